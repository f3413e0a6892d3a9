package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	ErrNoProject    = errors.New("the project does not exist in any final block")
	ErrNothingFinal = errors.New("the ledger of final blocks holds nothing: a relayer writes it; does one run?")
	ErrReplaced     = errors.New("final blocks with the project's updates were replaced")

	errContradiction = errors.New("the contract's events contradict each other; is the deployment's block right?")
)

const sourceBudget = 4 << 20 // bytes of the ledger's end in memory: it is read once

// read applies all messages from the state's position to the newest final block.
func (e *Export) read(ctx context.Context) error {
	if first, last, err := e.Ledger.Bounds(ctx); err != nil || first > last {
		return cmp.Or(err, ErrNothingFinal)
	}
	source := &ledger.Source{
		Ledger: e.Ledger, Chain: e.Chain, Deployment: e.Deployment, Budget: sourceBudget, Costless: true, Log: e.Log,
	}
	running, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { _ = source.Run(running) })
	defer following.Wait()
	defer stop()
	end, err := source.End(ctx)
	if err != nil {
		return err
	}
	at := e.state.Position
	if !e.state.begun() {
		if at, err = e.start(ctx, source, end); err != nil {
			return err
		}
	}
	atEnd := at.Block == end.Position.Block && at.Hash == end.Hash // sequences may be of another ledger
	for !atEnd {
		messages, err := source.Next(ctx, at)
		if err != nil {
			return err
		}
		if err := e.date(ctx, messages); err != nil {
			return err
		}
		for _, m := range messages {
			if err := e.take(m); err != nil {
				return err
			}
			at = m.Position
		}
		if err := e.checkpoint(end); err != nil {
			return err
		}
		if end, err = source.End(ctx); err != nil {
			return err
		}
		atEnd = at.Seq >= end.Seq
	}
	if e.state.Record == nil {
		return ErrNoProject
	}
	return nil
}

// start returns the position before the project's creation, or before the contract's if the directory lacks it. It
// ignores the contract's own block number, which may be another chain's.
func (e *Export) start(ctx context.Context, source *ledger.Source, end *ledger.Message) (at ledger.Position, err error) {
	info, err := registry.ReadProject(e.Project).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return e.Chain.View(ctx, e.Deployment.Contract, data)
	})
	switch {
	case err != nil:
		return at, err
	case !info.Exists():
		return at, ErrNoProject
	case e.Created > end.Position.Block:
		return source.Start(ctx, 0)
	}
	return source.Start(ctx, e.Created)
}

// date reads the times of blocks older than the ledger, which their messages lack. It requests only the project's
// transactions, and only if lines need them.
func (e *Export) date(ctx context.Context, messages []*ledger.Message) (err error) {
	var of []types.Log
	for _, m := range messages {
		for i := range m.Events {
			tx := m.Events[i].Tx.Hash
			for range registry.ExecutedOf(m.Events[i].Event, e.Project) {
				if n := len(of); m.Seq == 0 && e.What == Updates && (n == 0 || of[n-1].TxHash != tx) {
					of = append(of, types.Log{BlockNumber: m.Block.Number, BlockHash: m.Block.Hash, TxHash: tx})
				}
			}
		}
	}
	e.paid, err = e.Chain.Paid(ctx, of)
	return err
}

// take applies a message. Parts of a block are applied once complete: if the ledger loses a part, it repeats the
// whole block. ErrReplaced: a Rewind goes below the newest block with data of the project.
func (e *Export) take(m *ledger.Message) error {
	switch m.Kind {
	case ledger.Rewind:
		if e.state.Newest > m.Block.Number {
			return ErrReplaced
		}
		e.parts, e.state.At = nil, m.Block
	case ledger.Block:
		if e.parts = append(e.parts, m); !m.Whole {
			return nil
		}
		next := uint(0)
		for _, part := range e.parts {
			for i := range part.Events {
				event := &part.Events[i]
				if part.Block != m.Block || event.Log < next || m.Block.Number <= e.state.At.Number {
					continue // already applied, or replaced
				}
				next = event.Log + 1
				if err := e.event(part, event); err != nil {
					return fmt.Errorf("log %d of block %d: %w", event.Log, m.Block.Number, err)
				}
			}
		}
		e.parts = nil
		if m.Block.Hash != (common.Hash{}) {
			e.state.At = m.Block
		}
	}
	e.state.Position = m.Position
	return nil
}

func (e *Export) event(m *ledger.Message, event *ledger.Event) (err error) {
	for i, x := range registry.ExecutedOf(event.Event, e.Project) {
		row := updateRow{
			Block: m.Block.Number, Time: m.Time, Tx: event.Tx.Hash, Log: event.Log, Index: i,
			ID: x.ID, Target: x.Target, Signer: x.Signer, Outcome: x.Outcome.String(),
		}
		if paid, older := e.paid[event.Tx.Hash]; older {
			row.Time = time.Unix(int64(paid.Time), 0).UTC()
		}
		if e.state.Record == nil {
			return fmt.Errorf("%w: update %s is of a project that was not created", errContradiction, x.ID)
		}
		action, points, scoreType := e.state.Record.Words(x.Action, x.ScoreType)
		if action != nil {
			row.Action = *action
		}
		if scoreType != nil {
			row.ScoreType = *scoreType
		}
		if x.Outcome == score.Applied {
			if points == nil || scoreType == nil {
				return fmt.Errorf("%w: update %s was applied, of an action or score type that is not there", errContradiction, x.ID)
			}
			row.Points = *points
		}
		if e.What == Updates {
			err = e.write(row)
		} else if x.Outcome == score.Applied {
			e.state.scores[index.ScoreKey{Wallet: x.Target, ScoreType: x.ScoreType}] += row.Points
		}
		if err != nil {
			return err
		}
		e.state.Updates++
		e.state.Newest = m.Block.Number
	}
	if project, ok := index.ProjectOf(event.Event); ok && project == e.Project {
		follows := false
		if e.state.Record, follows = index.FoldRecord(e.state.Record, event.Event); !follows {
			return fmt.Errorf("%w: an event of the project does not follow the one before", errContradiction)
		}
		e.state.Newest = m.Block.Number
	}
	return nil
}
