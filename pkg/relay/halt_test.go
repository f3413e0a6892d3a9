package relay_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
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

// TestAPausedProjectWaitsAlone: more of it comes than a horizon holds, and its neighbour does not wait; the next session holds to it, too.
// When it is resumed all of it is applied, once.
func TestAPausedProjectWaitsAlone(t *testing.T) {
	t.Parallel()
	w := watch(t)
	store, err := kv.OpenBacklogs(t.Context(), w.js, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	var paused atomic.Bool
	var looked atomic.Int64
	one, two := score.ProjectID{1}, score.ProjectID{2}
	w.deps.Backlogs, w.deps.PausedProjects = store, func() map[score.ProjectID]bool {
		if !paused.Load() {
			return nil
		}
		looked.Add(1)
		return map[score.ProjectID]bool{one: true, {9}: true}
	}
	w.config.Horizon = batch.HorizonLimits{Updates: 100, Lateness: time.Second}
	stop := w.start(w.config, w.deps)
	w.create(2)
	w.accept(some(1, 0, 30)...)
	bound := func(id score.ProjectID) bool {
		return w.states()[0].Buckets[score.BucketOf(id)].Of(id).Has(score.Position{Seq: w.last(id)})
	}
	w.mineUntil(func() bool { return bound(one) })
	paused.Store(true)
	w.mineUntil(func() bool { return looked.Load() > 1 }) // and did what follows from the first look
	for first := 100; first < 700; first += 20 {
		w.accept(some(1, first, 20)...)
	}
	waits := func() bool {
		return w.metric("paused_updates", "0") == 600 && w.metric("backlog_updates", "0") == 0
	}
	w.accept(some(2, 0, 3)...)
	w.mineUntil(func() bool { return bound(two) && waits() })
	require.False(t, bound(one))

	w.mineUntil(func() bool {
		told, err := store.Told(t.Context())
		require.NoError(t, err)
		return told[one].Waiting == 600 && len(w.states()[0].Slots) == 0
	})
	stop()
	w.metrics = prometheus.NewRegistry()
	w.deps.Metrics = w.metrics
	w.start(w.config, w.deps)
	w.accept(some(1, 700, 20)...)
	w.accept(some(2, 100, 3)...)
	w.mineUntil(func() bool { return bound(two) && w.metric("paused_updates", "0") == 620 })
	require.False(t, bound(one))
	paused.Store(false)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 656}, w.audit())
	w.mineUntil(func() bool {
		return w.metric("paused_updates", "0") == 0 && len(w.states()[0].Buckets[score.BucketOf(one)].Parked) == 0
	})
}
