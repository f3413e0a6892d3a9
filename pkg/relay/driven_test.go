package relay

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestDriven tells of lanes from the opening of their sessions to when they are another replica's.
func TestDriven(t *testing.T) {
	t.Parallel()
	r := &Relayer{metrics: newMetrics(prometheus.NewRegistry())}
	require.Empty(t, r.Driven())
	r.metrics.told.read(7, 5)
	require.Empty(t, r.Driven(), "it is not driven")
	r.metrics.wait(1, lane.WaitNone)
	r.metrics.wait(2, lane.WaitFunds)
	r.metrics.told.read(2, 5)
	before := r.Driven()
	require.Equal(t, lane.WaitNone, before[1].Wait)
	require.NotZero(t, before[1].Since)
	r.metrics.wait(2, lane.WaitFunds)
	require.Equal(t, before, r.Driven(), "it waits since then")
	r.metrics.wait(2, lane.WaitCeiling)
	require.Equal(t, Driven{Wait: lane.WaitCeiling, Since: r.Driven()[2].Since, Waiting: 5}, r.Driven()[2])
	require.False(t, r.Driven()[2].Since.Before(before[2].Since))
	r.metrics.told.forget(2)
	require.NotContains(t, r.Driven(), score.Lane(2))
}
