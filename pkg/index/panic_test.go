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

// TestPanicsAreContained: at events, of all that follow them, and at a write; all is right once they end.
func TestPanicsAreContained(t *testing.T) {
	t.Parallel()
	w, b, m, said := newWorld(t), newBoards(t), newMemory(t), &devnet.Log{}
	p := project(1)
	w.create(p)
	w.relay(w.fresh(p, 20)...)
	w.poison.Store(true)
	board := &panicking{boards: b}
	board.left.Store(2)

	log, d := slog.New(slog.NewTextHandler(said, nil)), w.directory()
	follower, projector, f := w.follower(d), w.projector(board), w.folding(m)
	follower.Log, projector.Log, f.writer.Log = log, log, log
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{follower.Run, projector.Run, f.writer.Run, f.Run} {
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
	for _, what := range []string{"the follower couldn't", "the projector couldn't", "couldn't append to the ledger"} {
		require.Eventually(t, told(what, "planted at an event"), testPatience, testPoll, what)
	}
	w.poison.Store(false)
	require.Eventually(t, told("the projector couldn't", "planted at a write"), testPatience, testPoll)
	require.Eventually(t, func() bool {
		at, err := b.Checkpoint(t.Context())
		record, _, _, failed := d.Project(t.Context(), p.ID)
		return err == nil && at.Block >= w.top().Number && !at.Rebuilding() && failed == nil && record != nil && m.complete(t)
	}, testPatience, testPoll)
	w.requireStandings(b, p)
}
