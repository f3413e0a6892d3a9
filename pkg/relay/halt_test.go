package relay_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

// TestAPausedLaneBindsNothingNew, sees to what is bound, in later sessions too, and continues by itself when it is resumed.
func TestAPausedLaneBindsNothingNew(t *testing.T) {
	t.Parallel()
	w := watch(t)
	var paused atomic.Bool
	w.deps.Paused = func(id score.Lane) bool { return id == 0 && paused.Load() }
	stop := w.start(w.config, w.deps)
	w.accept(some(1, 0, 30)...)
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) > 0 }, 2*time.Minute, time.Millisecond)
	paused.Store(true)
	w.waitsFor(lane.WaitPaused)
	next := w.states()[0].Next
	w.accept(some(1, 100, 30)...)
	require.Eventually(t, func() bool {
		w.geth.Commit()
		return len(w.states()[0].Slots) == 0
	}, 2*time.Minute, 20*time.Millisecond, "what is bound becomes final")
	require.Equal(t, next, w.states()[0].Next)

	stop()
	d := w.deps
	w.metrics = prometheus.NewRegistry()
	d.Metrics = w.metrics
	w.start(w.config, d)
	w.waitsFor(lane.WaitPaused)
	require.Equal(t, next, w.states()[0].Next, "nothing is bound")
	paused.Store(false)
	w.drain()
	require.Greater(t, w.states()[0].Next, next)
	require.Equal(t, map[score.Outcome]int{score.Applied: 60}, w.audit())
}
