package relay_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// halts is a Halt as a test wants it.
type halts struct {
	halted      atomic.Bool
	journaled   atomic.Uint64 // the highest sequence told
	unjournaled atomic.Int64  // how often
}

func (h *halts) Halted() bool { return h.halted.Load() }

func (h *halts) Journaled(_ time.Time, seq uint64) { h.journaled.Store(max(h.journaled.Load(), seq)) }

func (h *halts) Unjournaled(score.Lane) { h.unjournaled.Add(1) }

// TestWhileAcceptingHalts lanes bind nothing, see to what is bound, and resume by themselves; what fills a gap of sequences does
// not disturb them.
func TestWhileAcceptingHalts(t *testing.T) {
	t.Parallel()
	w := watch(t)
	halt := w.deps.Halt.(*halts)
	w.start(w.config, w.deps)
	w.accept(some(1, 0, 30)...)
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) > 0 }, 2*time.Minute, time.Millisecond)
	halt.halted.Store(true)
	w.waitsFor(lane.WaitHalted)
	next := w.states()[0].Next
	w.accept(some(1, 100, 30)...)
	state, err := w.stream.State(t.Context())
	require.NoError(t, err)
	require.NoError(t, w.stream.Extend(t.Context(), state.LastSeq+3000, nil))
	require.Eventually(t, func() bool {
		w.geth.Commit()
		return len(w.states()[0].Slots) == 0
	}, 2*time.Minute, 20*time.Millisecond, "what is bound becomes final")
	require.Equal(t, next, w.states()[0].Next, "nothing is bound")
	halt.halted.Store(false)
	w.drain()
	require.Greater(t, w.states()[0].Next, next)
	w.audit()
}
