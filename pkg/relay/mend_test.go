package relay

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
)

func mended(t *testing.T, told, ends uint64) *simStatuses {
	t.Helper()
	store := newSimStatuses()
	store.told[0] = told
	s := &session{
		Relayer: &Relayer{Deps: Deps{Statuses: store}, metrics: newMetrics(prometheus.NewRegistry())},
		log:     slog.New(slog.DiscardHandler), lane: lane.New(&lane.State{Ends: ends}, lane.Rules{}),
	}
	s.mend(t.Context())
	return store
}

func TestWhatNoSessionToldIsRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		told, ends uint64
		complete   bool
	}{
		"all was told":                {3, 3, true},
		"some was not":                {2, 3, false},
		"one was told, not journaled": {4, 3, true},
		"the first was":               {1, 0, true},
		"nothing ended":               {0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := mended(t, c.told, c.ends)
			require.Equal(t, c.complete, store.complete)
			require.Equal(t, c.ends, store.told[0], "what is told from here on counts")
		})
	}
}

func TestBatchesThatHadTheSameGasRaiseTheScaleOnce(t *testing.T) {
	t.Parallel()
	config := Config{Model: registry.GasModel(), Limits: batch.DefaultLimits(), Rules: lane.Rules{MaxGas: 1 << 24}}
	in, err := newIntake(config, lane.State{}.Cursor)
	require.NoError(t, err)
	s := &session{
		Relayer: &Relayer{config: config.withDefaults(), metrics: newMetrics(prometheus.NewRegistry())},
		log:     slog.New(slog.DiscardHandler), intake: in, scale: 100, maxGas: 1 << 24,
	}
	for range 8 { // in flight together
		s.ranOut(500_000, 500_000)
	}
	require.Equal(t, uint64(150), s.scale)
	s.ranOut(750_000, 500_000)
	require.Equal(t, uint64(225), s.scale)
}
