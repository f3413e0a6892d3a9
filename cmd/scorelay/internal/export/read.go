package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	// ErrNoProject reports that no final block has the project's creation.
	ErrNoProject = errors.New("the project does not exist in any final block")
	// ErrNothingFinal reports that the ledger holds nothing.
	ErrNothingFinal = errors.New("the ledger of final blocks holds nothing: a relayer writes it; does one run?")

	errTakenBack = fmt.Errorf("final blocks with the project's updates were replaced while they were exported: %w",
		ledger.ErrReplaced)
	errAgain = errors.New("the export begins again")
)

const (
	sourceBudget = 4 << 20          // bytes of the ledger's end that are kept in memory: it is read once
	nearFinal    = 32               // blocks: the states of so few are kept by every node
	timesAtOnce  = 8                // blocks whose times are asked for
	endWait      = 30 * time.Second // for the ledger's newest message
	newsWait     = 5 * time.Second  // for a message that there need not be
)

// read takes what the ledger tells behind the state, and from the chain what is older, until it is at the newest
// final block or few blocks behind.
func (e *Export) read(ctx context.Context) error {
	source := &ledger.Source{
		Ledger: e.Ledger, Chain: times{e.Chain, e.Project, e.What == Updates}, Deployment: e.Deployment,
		Budget: sourceBudget, Log: e.Log,
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = source.Run(running) // that its context ended is no error
	}()
	defer func() {
		stop()
		<-ended
	}()
	for {
		end, err := e.end(ctx, source)
		if err != nil {
			return err
		}
		if err = e.readTo(ctx, source, end); errors.Is(err, errAgain) {
			e.Say("final blocks with the project's updates were replaced: " + errAgain.Error())
			e.state, e.parts = e.fresh(), nil
			continue
		}
		if err != nil {
			return err
		}
		now, err := e.end(ctx, source)
		if err != nil || now.Block.Number < end.Block.Number+nearFinal { // else the chain continued meanwhile
			return err
		}
	}
}

// end is the ledger's newest message.
func (e *Export) end(ctx context.Context, source *ledger.Source) (*ledger.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	_, some, err := source.Final(ctx)
	if err == nil && !some {
		err = ErrNothingFinal
	}
	if err != nil {
		return nil, err
	}
	return source.End(ctx)
}

// readTo takes the messages up to one.
func (e *Export) readTo(ctx context.Context, source *ledger.Source, end *ledger.Message) error {
	at := e.state.Position
	if !e.state.begun() {
		var err error
		if at, err = e.start(ctx, end); err != nil {
			return err
		}
	}
	same := func() bool { return at.Block == end.Position.Block && at.Hash == end.Hash } // maybe of another ledger
	for n := 0; !same() && (n == 0 || at.Seq < end.Seq); n++ {
		messages, err := next(ctx, source, at, end)
		if err != nil || len(messages) == 0 {
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
	}
	if e.state.Words == nil {
		return ErrNoProject
	}
	return nil
}

// start is the position before the project's creation.
func (e *Export) start(ctx context.Context, end *ledger.Message) (ledger.Position, error) {
	info, err := registry.ReadProject(e.Project).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return e.Chain.View(ctx, e.Deployment.Contract, data)
	})
	if err == nil && (!info.Exists() || info.CreatedBlock > end.Block.Number) {
		err = ErrNoProject
	}
	return ledger.Position{Block: max(info.CreatedBlock, 1) - 1}, err
}

// next are the messages after a position; none if the ledger neither has it nor has got beyond its block.
func next(
	ctx context.Context, source *ledger.Source, at ledger.Position, end *ledger.Message,
) ([]*ledger.Message, error) {
	if at.Block < end.Position.Block {
		return source.Next(ctx, at)
	}
	limited, cancel := context.WithTimeout(ctx, newsWait)
	defer cancel()
	messages, err := source.Next(limited, at)
	if ctx.Err() == nil && limited.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	return messages, err
}

// take takes a message. A block is taken as a whole, so that what comes again of it counts once.
func (e *Export) take(m *ledger.Message) error {
	switch m.Kind {
	case ledger.Rewind:
		e.parts, e.state.Position, e.state.At = nil, m.Position, m.Block
		return e.takeBack(m.Block)
	case ledger.Block:
		if len(e.parts) > 0 && !follows(e.parts[0], m) {
			e.parts = nil // the block comes again, from its beginning
		}
		if e.parts = append(e.parts, m); !m.Whole {
			return nil
		}
		parts := e.parts
		e.parts = nil
		if m.Block.Number <= e.state.At.Number {
			break
		}
		for _, part := range parts {
			for i := range part.Events {
				if err := e.event(part, &part.Events[i]); err != nil {
					return fmt.Errorf("log %d of block %d: %w", part.Events[i].Log, m.Block.Number, err)
				}
			}
		}
		if m.Block.Hash != (common.Hash{}) {
			e.state.At = m.Block
		}
	}
	e.state.Position = m.Position
	return nil
}

// follows reports whether a message tells more of a block whose beginning is known.
func follows(first, m *ledger.Message) bool {
	return first.Block == m.Block && len(m.Events) > 0 && m.Events[0].Log > first.Events[0].Log
}

// event takes what an event tells of the project.
func (e *Export) event(m *ledger.Message, event *ledger.Event) (err error) {
	for index, x := range registry.ExecutedOf(event.Event, e.Project) {
		row := updateRow{
			Block: m.Block.Number, Time: m.Time, Tx: event.Tx.Hash, Log: event.Log, Index: index,
			ID: x.ID, Target: x.Target, Signer: x.Signer, Outcome: x.Outcome.String(),
		}
		if row.Action, row.ScoreType, err = e.state.Words.name(&x); err != nil {
			return err
		}
		row.Points = x.Points
		if e.What == Updates {
			err = e.rows.write(row)
		} else if x.Outcome == score.Applied {
			e.state.scores[scoreOf(&x)] += x.Points
		}
		if err != nil {
			return err
		}
		e.state.Updates++
		e.state.Newest = m.Block.Number
	}
	now, changes, err := e.state.Words.with(event.Event, e.Project, m.Block.Number)
	if changes {
		e.state.Words, e.state.Newest = now, m.Block.Number
	}
	return err
}

func scoreOf(x *score.Execution) index.ScoreKey {
	return index.ScoreKey{Wallet: x.Target, ScoreType: x.ScoreType}
}

// takeBack undoes what came of blocks above one, which were final and are gone: it cuts the file of updates off
// there. Sums begin again, and lines that went elsewhere are an error.
func (e *Export) takeBack(to evidence.Ref) error {
	switch {
	case e.state.Newest <= to.Number:
		return nil
	case e.What == Scores:
		return errAgain
	case e.file == nil:
		return errTakenBack
	}
	if err := errors.Join(e.rows.flush(), e.out.Flush()); err != nil {
		return err
	}
	if _, err := e.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	bytes, updates, err := above(e.Format, e.file, to.Number)
	if err != nil {
		return fmt.Errorf("couldn't find the updates of blocks above %d in %s: %w", to.Number, e.Path, err)
	}
	e.Say(fmt.Sprintf("final blocks above %d were replaced: %d updates of them are taken off the file",
		to.Number, e.state.Updates-updates))
	e.state.Words, e.before = e.state.Words.until(to.Number), min(e.before, updates)
	e.state.Bytes, e.state.Updates, e.state.Newest = bytes, updates, to.Number
	return e.cut()
}

// times is the chain for blocks that are older than the ledger. Of what transactions cost it tells nothing, and when
// a block was made only if it has updates of the project: a call for each of these, in place of one for each
// transaction of all projects.
type times struct {
	*chain.Client
	project score.ProjectID
	wanted  bool
}

// Paid sets the times alone.
func (c times) Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	paid := map[common.Hash]evidence.Paid{}
	if !c.wanted {
		return paid, nil
	}
	var blocks []evidence.Ref
	first := map[common.Hash]common.Hash{} // transaction, by block
	for i := range logs {
		l := &logs[i]
		if _, known := first[l.BlockHash]; !known {
			first[l.BlockHash] = l.TxHash
		}
		if n := len(blocks); n > 0 && blocks[n-1].Hash == l.BlockHash {
			continue
		}
		event, err := registry.ParseLog(l)
		if err != nil {
			return nil, err
		}
		for range registry.ExecutedOf(event, c.project) {
			blocks = append(blocks, evidence.Ref{Number: l.BlockNumber, Hash: l.BlockHash})
			break
		}
	}
	found := make([]uint64, len(blocks))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(timesAtOnce)
	for i, of := range blocks {
		asking.Go(func() error {
			b, err := c.BlockByNumber(ctx, of.Number)
			if err == nil && b.Hash != of.Hash {
				err = fmt.Errorf("block %d was %s, and is %s now", of.Number, of.Hash, b.Hash)
			}
			found[i] = b.Time
			return err
		})
	}
	err := asking.Wait()
	for i, of := range blocks {
		paid[first[of.Hash]] = evidence.Paid{Time: found[i]}
	}
	return paid, err
}
