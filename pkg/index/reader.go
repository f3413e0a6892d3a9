package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	score.Update

	ActionName    string // empty where the project did not have the action yet
	ScoreTypeName string // the same
	Outcome       score.Outcome
	Points        int64 // that its score changed by: 0 if it was not applied
	Tx            common.Hash
	Block         evidence.Ref
	Time          time.Time // of the block, if Reader.Times
	Log           uint      // index of the event's log in the block
	Place         int       // in the event's batch
}

// Progress is how far a project was read. The zero value is its beginning.
type Progress struct {
	At     evidence.Ref  `json:"at"`     // everything up to this block
	Record *score.Record `json:"record"` // as of that block; beyond it, before At moves
	Final  uint64        `json:"-"`      // height of the newest final block that is known
}

// Read hands everything after p to fn, in the order of the chain and some at a time, until it is at the newest final block or few
// blocks behind. Whenever Progress.At has moved, fn was given everything up to that block, and a later Read may continue there: it
// says ErrReplaced if the chain does not have the block any more. An error of fn ends it.
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
	at := &projectAt{record: p.Record}
	err := readRanges(ctx, r.Chain, r.Deployment.Contract, from, final.Number, func(through evidence.Block, logs []types.Log) error {
		if through.Number == final.Number && through.Hash != final.Hash {
			return fmt.Errorf("%w: block %d was %s, and is %s now", ErrReplaced, final.Number, final.Hash, through.Hash)
		}
		for some := range slices.Chunk(logs, logsAtOnce) {
			executed, err := r.execute(ctx, at, some)
			if err != nil {
				return err
			}
			p.Record = at.record
			if err := fn(p, executed); err != nil {
				return err
			}
		}
		p.At, p.Record = through.Ref(), at.record
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
	switch e := event.(type) {
	case registry.BatchApplied:
		n := 0
		for i := range e.Batch.Groups {
			for _, u := range e.Batch.Groups[i].Updates {
				if u.Project == r.Project {
					one, err := execution(at.record, u, e.Outcomes[n], log, n)
					if err != nil {
						return nil, err
					}
					executed = append(executed, one)
				}
				n++
			}
		}
		return executed, nil
	case registry.ScoreUpdated:
		if e.Update.Project != r.Project {
			return executed, nil
		}
		one, err := execution(at.record, e.Update, score.Applied, log, 0)
		return append(executed, one), err
	}
	if project, ok := projectOf(event); !ok || project != r.Project {
		return executed, nil
	}
	return executed, at.fold(event)
}

func execution(record *score.Record, u score.Update, outcome score.Outcome, log *types.Log, place int) (Executed, error) {
	e := Executed{
		Update: u, Outcome: outcome, Tx: log.TxHash, Block: evidence.Ref{Number: log.BlockNumber, Hash: log.BlockHash}, Log: log.Index, Place: place,
	}
	hasAction := record != nil && int(u.Action) < len(record.Actions)
	hasScoreType := record != nil && int(u.ScoreType) < len(record.ScoreTypes)
	if hasAction {
		e.ActionName = record.Actions[u.Action].Name
	}
	if hasScoreType {
		e.ScoreTypeName = record.ScoreTypes[u.ScoreType]
	}
	if outcome != score.Applied {
		return e, nil
	}
	if !hasAction || !hasScoreType {
		return e, fmt.Errorf("%w: update %s was applied, whose action or score type the project does not have", errContradiction, u.ID)
	}
	e.Points = record.Actions[u.Action].Delta()
	return e, nil
}

// times sets the times of updates, which are in the order of the chain.
func (r *Reader) times(ctx context.Context, executed []Executed) error {
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(timesAtOnce)
	for len(executed) > 0 {
		of, n := executed[0].Block, 1
		for n < len(executed) && executed[n].Block == of {
			n++
		}
		some := executed[:n]
		asking.Go(func() error {
			b, err := r.Chain.BlockByNumber(ctx, of.Number)
			if err == nil && b.Hash != of.Hash {
				err = fmt.Errorf("%w: block %d was %s, and is %s now", ErrReplaced, of.Number, of.Hash, b.Hash)
			}
			for i := range some {
				some[i].Time = time.Unix(int64(b.Time), 0).UTC()
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
