package limit_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/redisdb"
)

func newLimiter(t *testing.T, url string) (*limit.Limiter, *prometheus.Registry) {
	t.Helper()
	client, err := redisdb.Open(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	reg := prometheus.NewRegistry()
	return limit.New(client, "test:", slog.New(slog.DiscardHandler), reg), reg
}

func TestEachKeyHasItsRate(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t, devnet.Redis(t).URL)
	ctx := t.Context()
	const perSecond = 5
	allowed := 0
	var wait time.Duration
	for range 4 * perSecond { // takes far less than a second
		if wait = l.Allow(ctx, "a", perSecond); wait == 0 {
			allowed++
		}
	}
	require.GreaterOrEqual(t, allowed, perSecond)
	require.Less(t, allowed, 2*perSecond)
	require.Positive(t, wait)
	require.LessOrEqual(t, wait, time.Second)
	require.Zero(t, l.Allow(ctx, "b", perSecond), "another key")
	require.Eventually(t, func() bool { return l.Allow(ctx, "a", perSecond) == 0 }, 5*time.Second, 20*time.Millisecond)
}

func TestWithoutRedisEachReplicaLimitsByItself(t *testing.T) {
	t.Parallel()
	server := devnet.Redis(t)
	l, reg := newLimiter(t, server.URL)
	server.Close()
	const perSecond = 1000
	allowed := 0
	began := time.Now()
	for range 3 * perSecond {
		if l.Allow(t.Context(), "a", perSecond) == 0 {
			allowed++
		}
	}
	took := time.Since(began)
	require.Less(t, took, 2*time.Second, "a dead Redis must not slow requests down")
	require.GreaterOrEqual(t, allowed, perSecond)
	require.LessOrEqual(t, float64(allowed), perSecond*(1+took.Seconds())+1)
	families, err := reg.Gather()
	require.NoError(t, err)
	require.Equal(t, "scorelay_limit_unavailable_total", families[0].GetName())
	require.InDelta(t, allowed, families[0].GetMetric()[0].GetCounter().GetValue(), 0)
}

// TestAFloodingKeyDoesNotFloodRedis: what is over the key's rate on one replica is refused without asking.
func TestAFloodingKeyDoesNotFloodRedis(t *testing.T) {
	t.Parallel()
	l, reg := newLimiter(t, "redis://127.0.0.1:1") // each question would count
	var wait time.Duration
	for range 1000 {
		wait = l.Allow(t.Context(), "a", 1)
	}
	require.Positive(t, wait)
	require.LessOrEqual(t, wait, time.Second)
	families, err := reg.Gather()
	require.NoError(t, err)
	require.LessOrEqual(t, families[0].GetMetric()[0].GetCounter().GetValue(), 3.0)
}

func TestAKeysRateMayChange(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t, devnet.Redis(t).URL)
	require.Zero(t, l.Allow(t.Context(), "a", 1))
	require.NotZero(t, l.Allow(t.Context(), "a", 1))
	require.Less(t, l.Allow(t.Context(), "a", 100), 500*time.Millisecond, "not what is left of the old rate's second")
}
