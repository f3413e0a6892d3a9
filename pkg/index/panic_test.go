package index_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
)

// panicking panics at its first writes, after they were stored.
type panicking struct {
	*boards

	left atomic.Int32
}

func (p *panicking) Append(ctx context.Context, generation uint64, part score.Part) error {
	err := p.boards.Append(ctx, generation, part)
	if p.left.Add(-1) >= 0 {
		panic("planted at a write")
	}
	return err
}

// panickingDirectory panics at its first write, after it was stored.
type panickingDirectory struct {
	*directory.Directory

	did bool
}

func (p *panickingDirectory) Put(ctx context.Context, revision uint64, dated score.DatedRecord) error {
	err := p.Directory.Put(ctx, revision, dated)
	if !p.did {
		p.did = true
		panic("planted at a write")
	}
	return err
}

// panickingStatuses panics at its first write of facts, after it was stored.
type panickingStatuses struct {
	*memory

	did bool
}

func (p *panickingStatuses) Fold(ctx context.Context, from []string, to string, facts []score.Fact) error {
	err := p.memory.Fold(ctx, from, to, facts)
	if !p.did && len(facts) > 0 {
		p.did = true
		panic("planted at a write")
	}
	return err
}

// TestPanicsAreContained: at events, of the ledger's writer, and at writes, of all folds; all is right once they end.
func TestPanicsAreContained(t *testing.T) {
	t.Parallel()
	w, b, m, said := newWorld(t), newBoards(t), newMemory(t), &devnet.Log{}
	p := project(1)
	w.create(p)
	w.relay(w.fresh(p, 20)...)
	board := &panicking{boards: b}
	board.left.Store(2)

	log, d, l, f := slog.New(slog.NewTextHandler(said, nil)), w.directory(), w.followed(), w.folding(&panickingStatuses{memory: m})
	l.append()
	l.purge(1) // what is older its readers read from the chain
	w.poison.Store(true)
	w.relay(w.fresh(p, 20)...)
	l.writer.Log, f.writer.Log, f.Log = log, log, log
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{
		f.Run, l.writer.Run,
		func(ctx context.Context) error {
			return ledger.RunFold(ctx, l.source, l.directoryFold(&panickingDirectory{Directory: d}), "records", log)
		},
		func(ctx context.Context) error {
			return ledger.RunFold(ctx, l.source, l.standings(board), "standings", log)
		},
	} {
		running.Go(func() { _ = run(ctx) })
	}
	t.Cleanup(func() { stop(); running.Wait() })
	told := func(what, panicked string) func() bool {
		return func() bool {
			for line := range strings.Lines(said.String()) {
				if strings.Contains(line, what) && strings.Contains(line, panicked) && strings.Contains(line, "_test.go:") {
					return true
				}
			}
			return false
		}
	}
	for _, what := range []string{"couldn't append to the ledger", "fold=statuses", "fold=records", "fold=standings"} {
		require.Eventually(t, told(what, "planted at an event"), testPatience, testPoll, what)
	}
	w.poison.Store(false)
	for _, what := range []string{"fold=records", "fold=standings", "fold=statuses"} {
		require.Eventually(t, told(what, "planted at a write"), testPatience, testPoll, what)
	}
	require.Eventually(t, func() bool {
		at, err := b.Checkpoint(t.Context())
		record, failed := d.Project(t.Context(), p.ID)
		return err == nil && at.Block >= w.top().Number && !at.Rebuilding() && failed == nil && record != nil && m.complete(t)
	}, testPatience, testPoll)
	l.requireStandings(b, p)
}
