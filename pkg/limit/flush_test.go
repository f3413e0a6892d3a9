package limit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAFlushGivesAKeyNoGasBackThatItsReplicasKnow: of a budget of 17 over two replicas that were both refused, nothing is back, also not at a
// third that knows nothing.
func TestAFlushGivesAKeyNoGasBackThatItsReplicasKnow(t *testing.T) {
	t.Parallel()
	fresh.Today()
	url := fresh.Redis(t).URL
	raw := open(t, url)
	quota := score.Quota{PerSecond: 1000, Burst: 1000, Gas: 17}
	var replicas []*limit.Limiter
	for range 3 {
		l, _ := newLimiter(t, url)
		replicas = append(replicas, l)
	}
	take := func(l *limit.Limiter) bool {
		return l.Take(t.Context(), "a", quota, score.Cost{Units: 1, Gas: 1}).Wait == 0
	}
	passed := 0
	for n := range 40 {
		if take(replicas[n%2]) {
			passed++
		}
	}
	require.Equal(t, 17, passed)
	for n := range 6 {
		require.NoError(t, raw.FlushAll(t.Context()).Err())
		require.False(t, take(replicas[n%2]))
		require.False(t, take(replicas[2]), "it learns of it by Redis")
	}

	// All of another key's budget passed at one replica: what another lets through ends with the first request to the one that knows.
	used := func(l *limit.Limiter, gas uint64) score.Left {
		return l.Take(t.Context(), "b", quota, score.Cost{Units: 1, Gas: gas})
	}
	require.Zero(t, used(replicas[0], 17).Wait)
	require.NoError(t, raw.FlushAll(t.Context()).Err())
	require.Zero(t, used(replicas[1], 1).Wait, "the bound: the other has not been asked yet")
	require.True(t, used(replicas[0], 1).NoGas)
	require.True(t, used(replicas[1], 1).NoGas)
}

// TestGasOverFlushesAndReplicas: whenever it is flushed, and whichever replica loses its exchanges, a replica counts at least what it knew and what all
// that were asked since the flush let through, and never more than what was let through. At most, each lets a budget through.
func TestGasOverFlushesAndReplicas(t *testing.T) {
	t.Parallel()
	url := fresh.Redis(t).URL
	raw := open(t, url)
	draw := testrand.New(t)
	for round := range long.Size(40, 200) {
		fresh.Today()
		require.NoError(t, raw.FlushAll(t.Context()).Err())
		const budget = 1000
		quota := score.Quota{PerSecond: 1_000_000, Burst: 1_000_000, Gas: budget}
		count := 1 + draw.IntN(4)
		replicas, plans := make([]*limit.Limiter, count), make([]*fault.Plan, count)
		own, known := make([]uint64, count), make([]uint64, count)
		told := make([]uint64, count) // of their own, to Redis since the flush
		for i := range replicas {
			plans[i] = fault.NewPlan(nil)
			replicas[i] = broken(t, url, plans[i])
		}
		passed, counted := uint64(0), uint64(0) // by all; at least by Redis since the flush
		for step := range 60 {
			if draw.IntN(8) == 0 {
				require.NoError(t, raw.FlushDB(t.Context()).Err()) // with the scripts
				counted, told = 0, make([]uint64, count)
			}
			i, want := draw.IntN(count), uint64(1+draw.IntN(200))
			kind := fault.None
			if draw.IntN(6) == 0 {
				kind = fault.Failed + fault.Kind(draw.IntN(2))
			}
			plans[i].Set(fault.Always(kind))
			left := replicas[i].Take(t.Context(), "a", quota, score.Cost{Gas: want})
			where := []any{"round %d, step %d, replica %d of %d: %+v", round, step, i, count, left}
			least := max(known[i], own[i])
			if kind == fault.None {
				told[i] = own[i]
				together := uint64(0)
				for _, gas := range told {
					together += gas
				}
				least = max(least, counted, together)
			}
			if left.Wait == 0 {
				require.LessOrEqual(t, least+want, uint64(budget), where...)
				own[i] += want
				passed += want
				least += want
			} else {
				require.Greater(t, passed+want, uint64(budget), where...)
			}
			if kind == fault.None {
				counted, told[i] = least, own[i]
			}
			require.GreaterOrEqual(t, uint64(budget)-left.Gas, min(least, budget), where...)
			require.LessOrEqual(t, uint64(budget)-left.Gas, passed, where...)
			known[i] = max(least, uint64(budget)-left.Gas)
			require.LessOrEqual(t, own[i], uint64(budget), where...)
		}
		for range 2 { // once all are asked, each knows all
			for i := range replicas {
				plans[i].Set(nil)
				known[i] = budget - replicas[i].Take(t.Context(), "a", quota, score.Cost{}).Gas
			}
		}
		for i := range replicas {
			require.Equal(t, min(passed, budget), known[i], "round %d, replica %d of %d", round, i, count)
		}
	}
}
