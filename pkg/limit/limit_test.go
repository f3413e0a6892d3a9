package limit_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/limit"
)

func newLimiter(t *testing.T, url string) (*limit.Limiter, *prometheus.Registry) {
	t.Helper()
	opts, err := redis.ParseURL(url)
	require.NoError(t, err)
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries = -1
	client := redis.NewClient(opts)
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

func TestWithoutRedisNothingIsLimited(t *testing.T) {
	t.Parallel()
	server := devnet.Redis(t)
	l, reg := newLimiter(t, server.URL)
	require.Zero(t, l.Allow(t.Context(), "a", 1))
	require.NotZero(t, l.Allow(t.Context(), "a", 1))
	server.Close()
	began := time.Now()
	for range 1000 {
		require.Zero(t, l.Allow(t.Context(), "a", 1))
	}
	require.Less(t, time.Since(began), 2*time.Second, "a dead Redis must not slow requests down")
	families, err := reg.Gather()
	require.NoError(t, err)
	require.Equal(t, "scorelay_limit_unavailable_total", families[0].GetName())
	require.InDelta(t, 1000, families[0].GetMetric()[0].GetCounter().GetValue(), 0)
}
