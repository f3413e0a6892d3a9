package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	// ErrNoProject says that no final block has the project's creation.
	ErrNoProject = errors.New("the project does not exist in any final block")
	// ErrReplaced says that a block is gone of which updates were read as final.
	ErrReplaced = errors.New("the chain has replaced blocks that were final")
)

const (
	nearFinal   = 32 // blocks: the states of so few are kept by every node
	timesAtOnce = 8  // blocks whose times are asked for
)

// Reader reads what the contract did with one project's updates, from its events in final blocks. It writes nothing, and may run
// beside anything.
type Reader struct {
	Deployment    score.Deployment
	Confirmations uint64 // by which blocks are final, as Chain.FinalBlock takes it: the relayers' rule or a stricter one
	Chain         Chain
	Project       score.ProjectID
	Times         bool // tell the blocks' times, which costs a call for each block with updates of the project
}

// Executed is what the contract did with one update, and where its event says so.
type Executed struct {
	score.Execution // without Gas and Fee; Points of what was applied, Time if Reader.Times

	ActionName    string // empty where the project did not have the action yet
	ScoreTypeName string // the same
	BlockHash     common.Hash
	Log           uint // index of the event's log in the block
	Index         int  // in the event's batch
}

// Progress is how far a project was read. The zero value is its beginning.
type Progress struct {
	At     evidence.Ref  `json:"at"`     // everything up to this block
	Record *score.Record `json:"record"` // as of that block; beyond it, before At moves
	Final  uint64        `json:"-"`      // height of the newest final block that is known
}

// Read hands everything after p to fn, in the order of the chain and some at a time, until it is at the newest final block or few
// blocks behind. Whenever Progress.At has moved, fn was given everything up to that block, and a later Read may continue there: it
// says ErrReplaced if the chain does not have the block any more, and ErrNoProject where no final block has the project. An error of fn ends it.
func (r *Reader) Read(ctx context.Context, p Progress, fn func(Progress, []Executed) error) error {
	for {
		final, err := r.Chain.FinalBlock(ctx, r.Confirmations)
		if errors.Is(err, ethereum.NotFound) {
			final, err = evidence.Block{}, nil
		}
		if err != nil {
			return fmt.Errorf("couldn't read the final block: %w", err)
		}
		from, err := r.first(ctx, p, final)
		if err != nil {
			return err
		}
		p.Final = final.Number
		if p, err = r.read(ctx, p, from, final, fn); err != nil {
			return err
		}
		if final.Number < from+nearFinal { // else the chain went on meanwhile
			return nil
		}
	}
}

// first is where the reading continues, once it is sure that it may.
func (r *Reader) first(ctx context.Context, p Progress, final evidence.Block) (uint64, error) {
	if p.Record == nil {
		if final.Number < r.Deployment.DeployBlock {
			return 0, ErrNoProject
		}
		info, err := registry.ReadProject(r.Project).Do(ctx, viewAt(r.Chain, r.Deployment.Contract, final.Hash))
		if err == nil && !info.Exists() {
			err = ErrNoProject
		}
		return info.CreatedBlock, err
	}
	if final.Number < p.At.Number {
		return 0, fmt.Errorf("the final block is %d, and up to block %d was read: an endpoint is behind, or another finality rule was used", final.Number, p.At.Number)
	}
	at, err := r.Chain.BlockByNumber(ctx, p.At.Number)
	if err == nil && at.Hash != p.At.Hash {
		err = fmt.Errorf("%w: block %d was %s, and is %s now", ErrReplaced, p.At.Number, p.At.Hash, at.Hash)
	}
	return p.At.Number + 1, err
}

// read reads the blocks from … final.
func (r *Reader) read(ctx context.Context, p Progress, from uint64, final evidence.Block, fn func(Progress, []Executed) error) (Progress, error) {
	at := &projectAt{DatedRecord: score.DatedRecord{Record: p.Record}}
	err := readRanges(ctx, r.Chain, r.Deployment.Contract, from, final.Number, func(through evidence.Block, logs []types.Log) error {
		if through.Number == final.Number && through.Hash != final.Hash {
			return fmt.Errorf("%w: block %d was %s, and is %s now", ErrReplaced, final.Number, final.Hash, through.Hash)
		}
		for some := range slices.Chunk(logs, logsAtOnce) {
			executed, err := r.execute(ctx, at, some)
			if err != nil {
				return err
			}
			p.Record = at.Record
			if err := fn(p, executed); err != nil {
				return err
			}
		}
		p.At, p.Record = through.Ref(), at.Record
		return fn(p, nil)
	})
	return p, err
}

// execute tells what some logs say of the project's updates, and brings the others into its record.
func (r *Reader) execute(ctx context.Context, at *projectAt, logs []types.Log) (executed []Executed, err error) {
	err = parseEach(logs, func(event registry.Event, log *types.Log) (err error) {
		executed, err = r.take(at, event, log, executed)
		return err
	})
	if err == nil && r.Times {
		err = r.times(ctx, executed)
	}
	return executed, err
}

// take brings one event into the record or, of updates, behind those before.
func (r *Reader) take(at *projectAt, event registry.Event, log *types.Log, executed []Executed) ([]Executed, error) {
	for index, e := range registry.ExecutedOf(event, r.Project) {
		e.Tx, e.Block = log.TxHash, log.BlockNumber
		one := Executed{Execution: e, BlockHash: log.BlockHash, Log: log.Index, Index: index}
		if err := one.name(at.Record); err != nil {
			return nil, err
		}
		executed = append(executed, one)
	}
	if project, ok := projectOf(event); !ok || project != r.Project {
		return executed, nil
	}
	return executed, at.fold(event)
}

// name tells of it in its project's words, as of then.
func (e *Executed) name(record *score.Record) error {
	if record == nil {
		return fmt.Errorf("%w: update %s is of a project that was not created", errContradiction, e.ID)
	}
	action, points, scoreType := record.Words(e.Action, e.ScoreType)
	if action != nil {
		e.ActionName = *action
	}
	if scoreType != nil {
		e.ScoreTypeName = *scoreType
	}
	if e.Outcome != score.Applied {
		return nil
	}
	if action == nil || scoreType == nil {
		return fmt.Errorf("%w: update %s was applied, whose action or score type the project does not have", errContradiction, e.ID)
	}
	e.Points = *points
	return nil
}

// times sets the times of updates, which are in the order of the chain.
func (r *Reader) times(ctx context.Context, executed []Executed) error {
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(timesAtOnce)
	for len(executed) > 0 {
		of, n := evidence.Ref{Number: executed[0].Block, Hash: executed[0].BlockHash}, 1
		for n < len(executed) && executed[n].BlockHash == of.Hash {
			n++
		}
		some := executed[:n]
		asking.Go(func() error {
			b, err := r.Chain.BlockByNumber(ctx, of.Number)
			if err == nil && b.Hash != of.Hash {
				err = fmt.Errorf("%w: block %d was %s, and is %s now", ErrReplaced, of.Number, of.Hash, b.Hash)
			}
			for i := range some {
				some[i].Time = timeOf(b.Time)
			}
			return err
		})
		executed = executed[n:]
	}
	return asking.Wait()
}

// Compare asks the contract for every score as of a block, and hands those that differ to fn, with what the contract has.
func (r *Reader) Compare(ctx context.Context, at evidence.Ref, scores Scores, fn func(key ScoreKey, has int64)) error {
	return scores.compare(ctx, viewAt(r.Chain, r.Deployment.Contract, at.Hash), r.Project, fn)
}
