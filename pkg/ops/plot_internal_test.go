package ops

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/overview"
)

// TestAPlotHasGapsWhereNothingIsKnown, and there is none of what is never known.
func TestAPlotHasGapsWhereNothingIsKnown(t *testing.T) {
	t.Parallel()
	began := time.Unix(1_800_000_000, 0)
	var samples []overview.Sample
	for i, price := range []float64{0.002, 0.004, -1, 0.001} {
		s := overview.Sample{At: began.Add(time.Duration(i) * 5 * time.Minute)}
		if price >= 0 {
			s.GasPriceGwei = &price
		}
		samples = append(samples, s)
	}
	of := plot("Gas price paid", "gwei", samples, 0, func(s overview.Sample) *float64 { return s.GasPriceGwei })
	p := of.Plot
	require.Equal(t, "M0.0 50.0L200.0 0.0M600.0 75.0", p.Path)
	require.Equal(t, "0.004", p.Top)
	require.Equal(t, "0.001 gwei, 0.004 at most", of.Now)
	require.Equal(t, "Gas price paid, the last 15 minutes: 0.001 gwei, 0.004 at most", p.Label)
	require.Nil(t, plot("Block fill", "%", samples, 100, blockFill).Plot)
	for n, want := range map[float64]string{0: "0", 123.4: "123", 99.94: "99.9", 60: "60", 1.234: "1.23", 0.04567: "0.0457"} {
		require.Equal(t, want, figure(n))
	}
}
