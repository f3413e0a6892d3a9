package relay_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// series are those of a relayer's metric.
func series(t *testing.T, registry *prometheus.Registry, name string) []*dto.Metric {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "scorelay_relay_"+name {
			return f.GetMetric()
		}
	}
	return nil
}

// observed is how many a histogram of one series has.
func observed(t *testing.T, registry *prometheus.Registry, name string) uint64 {
	t.Helper()
	if found := series(t, registry, name); len(found) == 1 {
		return found[0].GetHistogram().GetSampleCount()
	}
	return 0
}

// TestMetricsTellWhatUpdatesTookAndCost, also of what a session bound that was stopped before its end.
func TestMetricsTellWhatUpdatesTookAndCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	began := time.Now()
	w.create(1)
	w.create(2)
	w.accept(some(1, 0, 30)...)
	w.accept(some(2, 0, 10)...)
	deps, registry := w.deps(), prometheus.NewRegistry()
	deps.Metrics = registry
	stop := w.start(w.config(), deps)
	w.drain()
	require.Eventually(t, func() bool { return observed(t, registry, "accept_to_final_seconds") == 40 }, time.Minute, 10*time.Millisecond)
	took := series(t, registry, "accept_to_final_seconds")[0].GetHistogram().GetSampleSum()
	require.Positive(t, took)
	require.Less(t, took, 40*time.Since(began).Seconds())
	require.EqualValues(t, 40, observed(t, registry, "gas_per_update"))
	require.NotZero(t, counted(t, registry, "gas_used_total")["0"])
	fees, projects := counted(t, registry, "fees_ether_total"), counted(t, registry, "project_fees_ether_total")
	require.Len(t, projects, 2)
	require.InEpsilon(t, fees["0"], projects[score.ProjectID{1}.String()]+projects[score.ProjectID{2}.String()], 1e-9, "all did their work")
	lanes := series(t, registry, "lane_info")
	require.Len(t, lanes, 1)
	require.Equal(t, w.keys[0].Address().Hex(), lanes[0].GetLabel()[1].GetValue())

	w.accept(some(1, 30, 10)...)
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) > 0 }, time.Minute, 10*time.Millisecond)
	stop()
	deps, registry = w.deps(), prometheus.NewRegistry()
	deps.Metrics = registry
	w.start(w.config(), deps)
	w.drain()
	require.Eventually(t, func() bool { return observed(t, registry, "accept_to_final_seconds") == 10 }, time.Minute, 10*time.Millisecond)
}

// TestTheBacklogIsAllThatWaits: also what the lane did not read, since it waits for a creation; and after a restart.
func TestTheBacklogIsAllThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	began := time.Now()
	const first, second = 300, 500
	for at := 0; at < first; at += 100 {
		w.accept(some(1, at, 100)...)
	}
	w.create(2) // behind a window of batches that no block takes
	for at := 0; at < second; at += 100 {
		w.accept(some(2, at, 100)...)
	}
	waiting := func() float64 {
		n := first + second
		for _, slot := range w.states()[0].Slots {
			if slot.Work.Kind == lane.Updates {
				n -= slot.Work.Count
			}
		}
		return float64(n)
	}
	gauge := func(registry *prometheus.Registry, name string) float64 {
		if found := series(t, registry, name); len(found) == 1 {
			return found[0].GetGauge().GetValue()
		}
		return -1
	}
	var registry *prometheus.Registry
	for range 2 {
		deps := w.deps()
		registry = prometheus.NewRegistry()
		deps.Metrics = registry
		stop := w.start(w.config(), deps)
		require.Eventually(t, func() bool {
			return len(w.states()[0].Slots) == w.config().Rules.Window && gauge(registry, "backlog_updates") == waiting()
		}, time.Minute, 10*time.Millisecond)
		require.Eventually(t, func() bool { return gauge(registry, "oldest_waiting_timestamp_seconds") > 0 }, time.Minute, 10*time.Millisecond)
		oldest := time.UnixMilli(int64(1000 * gauge(registry, "oldest_waiting_timestamp_seconds")))
		require.WithinRange(t, oldest, began.Add(-time.Second), time.Now())
		stop()
	}
	deps := w.deps()
	registry = prometheus.NewRegistry()
	deps.Metrics = registry
	w.start(w.config(), deps)
	w.drain()
	require.Eventually(t, func() bool {
		return gauge(registry, "backlog_updates") == 0 && series(t, registry, "oldest_waiting_timestamp_seconds") == nil
	}, time.Minute, 10*time.Millisecond)
}
