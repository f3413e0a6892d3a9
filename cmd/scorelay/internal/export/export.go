package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Kinds of exports.
const (
	Updates = "updates"
	Scores  = "scores"
)

var (
	ErrNoProject    = errors.New("the project does not exist in any final block")
	ErrNothingFinal = errors.New("the ledger of final blocks holds nothing: a relayer writes it; does one run?")
	// ErrReplaced: exported updates, or those before Export.After, are void.
	ErrReplaced = errors.New("final blocks with the project's updates were replaced")
	ErrDiffer   = errors.New("the contract has other scores than its events add up to, so an endpoint did not tell " +
		"all of them; nothing was exported: run it again, with a further endpoint if it stays so")
	ErrUnknown = errors.New("the project directory lacks an action or a score type of an applied update; " +
		"run the export again once a relayer has followed the ledger")
)

const (
	tries        = 5 // of a read of the ledger or the chain, a second apart
	sayEvery     = 5 * time.Second
	sourceBudget = 4 << 20 // bytes of the ledger's end in memory, since an export reads it once
	examples     = 10      // scores that differ, in messages
)

type Export struct {
	Deployment score.Deployment
	ID         score.ProjectID
	Project    score.DatedRecord // from the directory; it resolves names, also of earlier updates
	Chain      *chain.Client
	Ledger     *stream.Ledger
	What       string // Updates or Scores
	Format     string // CSV or NDJSON
	After      string // updates only: those after this ledger.Position; empty: all
	Path       string // the file; empty: write to Out
	Out        io.Writer
	Say        func(string)
	Log        *slog.Logger

	parts    []*ledger.Message             // of an incomplete block
	paid     map[common.Hash]evidence.Paid // in blocks older than the ledger
	write    func(row) error
	position ledger.Position // everything up to it was read
	at       evidence.Ref    // newest block read
	after    uint64          // block behind which reading began
	newest   uint64          // newest block with updates that were read
	updates  int
	scores   index.Scores
}

// Run exports everything final. A file gets its name Path once it is complete.
func (e *Export) Run(ctx context.Context) error {
	if e.Path == "" {
		summary, err := e.run(ctx, e.Out)
		if err == nil {
			e.Say(summary)
		}
		return err
	}
	if info, err := os.Lstat(e.Path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file, which an export could replace; use the standard output", e.Path)
	}
	file, err := os.CreateTemp(filepath.Dir(e.Path), filepath.Base(e.Path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // fails once it has its name
	summary, err := e.run(ctx, file)
	if err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), e.Path); err != nil {
		return err
	}
	e.Say(summary) // last, since its cursor claims that the file is there
	return nil
}

func (e *Export) run(ctx context.Context, to io.Writer) (summary string, err error) {
	out := bufio.NewWriter(to)
	e.write, e.scores = linesTo(out, e.Format), index.Scores{}
	if e.Format == CSV {
		header := updateColumns
		if e.What == Scores {
			header = scoreColumns
		}
		if err := e.write(header); err != nil {
			return "", err
		}
	}
	if err := e.read(ctx); err != nil {
		return "", err
	}
	at := fmt.Sprintf("as of block %d (%s)", e.at.Number, e.at.Hash)
	if e.What == Updates {
		cursor := ledger.Position{Block: e.position.Block, Hash: e.position.Hash}
		return fmt.Sprintf("%d updates %s; later ones: --after %s", e.updates, at, cursor), out.Flush()
	}
	if err := e.compare(ctx); err != nil {
		return "", err
	}
	for _, key := range slices.SortedFunc(maps.Keys(e.scores), func(a, b index.ScoreKey) int {
		return cmp.Or(bytes.Compare(a.Wallet[:], b.Wallet[:]), cmp.Compare(a.ScoreType, b.ScoreType))
	}) {
		if err := e.write(scoreRow{key.Wallet, e.Project.ScoreTypes[key.ScoreType], e.scores[key]}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d scores of %d updates, equal to the contract's own, %s", len(e.scores), e.updates, at), out.Flush()
}

// read applies all messages up to the ledger's end.
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
	if e.position, err = e.start(ctx, source, end); err != nil {
		return err
	}
	begin := e.position
	e.after, e.at = begin.Block, evidence.Ref{Number: begin.Block}
	said := time.Now()
	next := begin // ahead of e.position within a block of several messages
	done := next.Block == end.Position.Block && next.Hash == end.Position.Hash
	if done {
		e.at = end.Block
	}
	for !done {
		var messages []*ledger.Message
		var lost error
		err := retry.Do(ctx, tries, time.Second, func() (err error) {
			if messages, err = source.Next(ctx, next); errors.Is(err, ledger.ErrReplaced) || errors.Is(err, ledger.ErrAhead) {
				lost = err
				return nil
			}
			if err == nil {
				err = e.date(ctx, messages)
			}
			return err
		})
		switch {
		case errors.Is(lost, ledger.ErrReplaced):
			return e.replaced(ctx, source, begin)
		case lost != nil || err != nil:
			return cmp.Or(lost, err)
		}
		for _, m := range messages {
			err := e.take(m)
			if errors.Is(err, ErrReplaced) {
				return e.replaced(ctx, source, begin)
			}
			if err != nil {
				return err
			}
			next = m.Position
		}
		if end, err = source.End(ctx); err != nil {
			return err
		}
		if time.Since(said) >= sayEvery {
			e.Say(fmt.Sprintf("block %d of %d, %d updates", e.at.Number, end.Block.Number, e.updates))
			said = time.Now()
		}
		done = next.Seq >= end.Seq
	}
	return nil
}

// replaced returns the error of an export whose lines, or position to begin at, are void.
func (e *Export) replaced(ctx context.Context, source *ledger.Source, begin ledger.Position) error {
	err := source.Stands(ctx, begin)
	switch {
	case e.After == "" || err == nil:
		return fmt.Errorf("%w meanwhile: run the export again", ErrReplaced)
	case errors.Is(err, ledger.ErrReplaced), errors.Is(err, ledger.ErrAhead):
		return fmt.Errorf("%w, and an earlier export may have some of them: export all again, without --after (%w)", ErrReplaced, err)
	default:
		return fmt.Errorf("%w, and whether an earlier export has some of them could not be found out: run the export again (%w)", ErrReplaced, err)
	}
}

// start returns the position After, or the one before the project's creation. The contract's own block number of the
// creation may be another chain's.
func (e *Export) start(ctx context.Context, source *ledger.Source, end *ledger.Message) (at ledger.Position, err error) {
	info, err := registry.ReadProject(e.ID).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return e.Chain.View(ctx, e.Deployment.Contract, data)
	})
	switch {
	case err != nil:
		return at, err
	case !info.Exists() || e.Project.Record == nil:
		return at, ErrNoProject
	case e.After != "":
		if at, err = ledger.ParsePosition(e.After); err == nil && at.Hash == [8]byte{} && at.Block >= e.Deployment.DeployBlock {
			err = ledger.ErrPosition
		}
		if err != nil {
			return at, fmt.Errorf("--after %q: %w", e.After, err)
		}
		return ledger.Position{Block: at.Block, Hash: at.Hash}, nil // the ledger's messages behind it may be of replaced blocks
	case e.Project.Created > end.Position.Block:
		return source.Start(ctx, 0)
	}
	return source.Start(ctx, e.Project.Created)
}

// date reads the times of blocks older than the ledger, which their messages lack. It requests only the project's
// transactions, and only if lines need them.
func (e *Export) date(ctx context.Context, messages []*ledger.Message) (err error) {
	var of []types.Log
	for _, m := range messages {
		for i := range m.Events {
			tx := m.Events[i].Tx.Hash
			for range registry.ExecutedOf(m.Events[i].Event, e.ID) {
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
// whole block.
func (e *Export) take(m *ledger.Message) error {
	switch m.Kind {
	case ledger.Rewind:
		if m.Block.Number < e.newest || e.After != "" && m.Block.Number < e.after {
			return ErrReplaced
		}
		e.parts, e.at = nil, m.Block
	case ledger.Block:
		if e.parts = append(e.parts, m); !m.Whole {
			return nil
		}
		next := uint(0)
		for _, part := range e.parts {
			for i := range part.Events {
				event := &part.Events[i]
				if part.Block != m.Block || event.Log < next || m.Block.Number <= e.at.Number {
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
			e.at = m.Block
		}
	}
	e.position = m.Position
	return nil
}

func (e *Export) event(m *ledger.Message, event *ledger.Event) error {
	for i, x := range registry.ExecutedOf(event.Event, e.ID) {
		row := updateRow{
			Block: m.Block.Number, Time: m.Time, Tx: event.Tx.Hash, Log: event.Log, Index: i,
			ID: x.ID, Target: x.Target, Signer: x.Signer, Outcome: x.Outcome.String(),
		}
		if paid, older := e.paid[event.Tx.Hash]; older {
			row.Time = time.Unix(int64(paid.Time), 0).UTC()
		}
		action, points, scoreType := e.Project.Words(x.Action, x.ScoreType)
		if action != nil && x.Outcome != score.UnknownAction { // which the project may have got later
			row.Action = *action
		}
		if scoreType != nil && x.Outcome != score.UnknownScoreType {
			row.ScoreType = *scoreType
		}
		if x.Outcome == score.Applied {
			if points == nil || scoreType == nil {
				return fmt.Errorf("%w: update %s", ErrUnknown, x.ID)
			}
			row.Points = *points
		}
		if e.What == Updates {
			if err := e.write(row); err != nil {
				return err
			}
		} else if x.Outcome == score.Applied {
			e.scores[index.ScoreKey{Wallet: x.Target, ScoreType: x.ScoreType}] += row.Points
		}
		e.updates++
		e.newest = m.Block.Number
	}
	return nil
}

func (e *Export) compare(ctx context.Context) error {
	differ := 0
	view := func(ctx context.Context, data []byte) ([]byte, error) {
		return e.Chain.Call(ctx, evidence.Call{To: e.Deployment.Contract, Data: data}, e.at.Hash)
	}
	err := e.scores.Compare(ctx, view, e.ID, func(key index.ScoreKey, has int64) {
		if differ++; differ <= examples {
			e.Say(fmt.Sprintf("%s has %d of score type %d on the contract, and the applied points add up to %d",
				key.Wallet, has, key.ScoreType, e.scores[key]))
		}
	})
	if err != nil || differ == 0 {
		return err
	}
	return fmt.Errorf("%d of %d scores differ: %w", differ, len(e.scores), ErrDiffer)
}
