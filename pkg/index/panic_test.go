package index_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/ledger"
)

// panics has the first write of a name panic, after it was stored.
func panics(name string) *fault.Plan {
	plan := fault.NewPlan(fault.Of(name, fault.Nth(1, fault.Persisted)))
	plan.After(func() { panic("planted at a write") })
	return plan
}

// TestPanicsAreContained: at events, of the ledger's writer, and at writes, of all folds; all is right once they end.
func TestPanicsAreContained(t *testing.T) {
	t.Parallel()
	w, b, m, said := newWorld(t), newBoards(t), newMemory(t), &fresh.Log{}
	p := project(1)
	w.create(p)
	w.relay(w.fresh(p, 20)...)
	log, d, l, f := slog.New(slog.NewTextHandler(said, nil)), w.directory(), w.followed(), w.folding(faulty{m, panics("fold")})
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
			return ledger.RunFold(ctx, l.source, l.directoryFold(faultyDirectory{d, panics("put")}), "records", log)
		},
		func(ctx context.Context) error {
			return ledger.RunFold(ctx, l.source, l.standings(faultyStandings{b, panics("append")}), "standings", log)
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
	}, testPatience, 10*testPoll)
	l.requireStandings(b, p)
}
