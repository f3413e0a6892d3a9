// Package limit bounds how fast each API key may send, across all API replicas, with the generic cell rate algorithm
// (GCRA) in Redis.
//
// It fails open: without Redis nothing is limited, since refusing everybody would turn a lost cache into an outage. Like
// all calls to Redis here, one waits for a bounded time, and after a failure Redis is left alone for a moment.
//
// Rejected: fiber's limiter (one mutex held across the store's round trips, and replicas that overwrite each other's
// counts); counting in each process (the limit would be times the number of replicas).
package limit

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/redis/go-redis/v9"
)

const (
	timeout = 100 * time.Millisecond
	pause   = time.Second // without limits after a failure
)

// Limiter limits by key. It is safe for concurrent use.
type Limiter struct {
	rate      *redis_rate.Limiter
	prefix    string
	log       *slog.Logger
	open      prometheus.Counter
	downUntil atomic.Int64 // unix ns
}

// New returns a Limiter on the client, whose contexts' deadlines must be honoured (ContextTimeoutEnabled). Prefix goes
// before every key, so that deployments can share a Redis.
func New(client *redis.Client, prefix string, log *slog.Logger, reg prometheus.Registerer) *Limiter {
	return &Limiter{
		rate: redis_rate.NewLimiter(client), prefix: prefix, log: log,
		open: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unavailable_total",
			Help: "Requests that were let through without asking for their rate, because Redis did not answer.",
		}),
	}
}

// Allow takes one request of the key at a rate of perSecond (at least 1; a whole second's worth may come at once). It
// returns 0 when the request may go on, or how long the caller should wait before the next try.
func (l *Limiter) Allow(ctx context.Context, key string, perSecond int) (retryAfter time.Duration) {
	if time.Now().UnixNano() < l.downUntil.Load() {
		l.open.Inc()
		return 0
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := l.rate.Allow(limited, l.prefix+key, redis_rate.PerSecond(max(perSecond, 1)))
	switch {
	case err != nil:
		l.open.Inc()
		if ctx.Err() == nil {
			l.downUntil.Store(time.Now().Add(pause).UnixNano())
			l.log.Warn("Redis did not answer for a rate limit; letting requests through without limits", "for", pause, "err", err)
		}
		return 0
	case result.Allowed > 0:
		return 0
	default:
		return max(result.RetryAfter, time.Millisecond)
	}
}
