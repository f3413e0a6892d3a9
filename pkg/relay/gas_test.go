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

func TestBatchesThatHadTheSameGasRaiseTheScaleOnce(t *testing.T) {
	t.Parallel()
	config := Config{Model: registry.GasModel(), Limits: batch.DefaultLimits(), Rules: lane.Rules{MaxGas: 1 << 24}}
	in, err := newIntake(config, &lane.State{})
	require.NoError(t, err)
	g := newGas(&config, in.horizon.LimitGas, newMetrics(prometheus.NewRegistry()).gasOfModel, slog.New(slog.DiscardHandler))
	for range 8 { // in flight together
		g.ranOut(500_000, 500_000)
	}
	require.Equal(t, uint64(150), g.scale)
	g.ranOut(750_000, 500_000)
	require.Equal(t, uint64(225), g.scale)
}

func TestBatchesFillABlockInWholeNumbers(t *testing.T) {
	t.Parallel()
	const limit = 1 << 24
	for _, block := range []uint64{9_000_000, 30_000_000, 60_000_000, 300_000_000, 1 << 50} {
		gas := batchGas(block, limit)
		require.LessOrEqual(t, gas, uint64(limit))
		for _, used := range []uint64{80, 86, 90, 95, 99, 100} { // percent of its limit that a batch uses
			full, n := uint64(0), 0
			for full+gas <= block {
				full += gas * used / 100
				n++
			}
			require.GreaterOrEqual(t, full*1000/block, uint64(940), "blocks of %d filled by %d batches that use %d %%", block, n, used)
		}
		require.LessOrEqual(t, maxGas(block, limit), block)
	}
	require.Equal(t, uint64(limit), batchGas(0, limit), "where it is not known")
}
