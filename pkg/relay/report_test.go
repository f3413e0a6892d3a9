package relay

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
)

func resumed(t *testing.T, reported, ends uint64) *simStatuses {
	t.Helper()
	store := newSimStatuses()
	store.reported[0] = reported
	l, failures := lane.New(&lane.State{Ends: ends}, lane.Rules{}), newMetrics(prometheus.NewRegistry()).statusFails
	r := newReporter(0, store, l, nil, failures, slog.New(slog.DiscardHandler))
	r.resume(t.Context(), 16)
	return store
}

func TestWhatNoSessionReportedIsRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reported, ends uint64
		complete       bool
	}{
		"all was reported":                {3, 3, true},
		"some was not":                    {2, 3, false},
		"one was reported, not journaled": {4, 3, true},
		"the first was":                   {1, 0, true},
		"nothing ended":                   {0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := resumed(t, c.reported, c.ends)
			require.Equal(t, c.complete, store.complete)
			require.Equal(t, c.ends, store.reported[0], "what is reported from here on counts")
		})
	}
}
