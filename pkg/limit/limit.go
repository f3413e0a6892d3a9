// Package limit bounds how fast each API key may send, across all API replicas, with the generic cell rate algorithm
// (GCRA) in Redis.
//
// Each replica refuses by itself what is over a key's rate on this replica alone, so a key that floods the API does not flood
// Redis: it asks Redis at its rate, at most. Without Redis that is the limit: refusing every caller would turn a lost cache
// into an outage.
//
// What a replica asks about a key while it waits for an answer goes with the next question, so Redis is not asked once for each request.
//
// Rejected: fiber's limiter (one mutex held across the store's round trips, and replicas that overwrite each other's
// counts); counting in each process only (the limit would be times the number of replicas).
package limit

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/go-redis/redis_rate/v10"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/time/rate"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

// maxKeys is of how many keys a replica knows what it let through; the ones used least recently begin again.
const maxKeys = 16_384

// Limiter limits by key. It is safe for concurrent use.
type Limiter struct {
	client *redisdb.Client
	rate   *redis_rate.Limiter
	prefix string
	log    *slog.Logger
	own    prometheus.Counter
	here   *lru.Cache[string, *limited] // by key
}

// limited is a key at a rate.
type limited struct {
	here *rate.Limiter // what passes this replica
	ask  *redisdb.Batcher[*question]
}

// question is whether a request may pass all replicas' limit.
type question struct{ retryAfter time.Duration }

// maxQuestions is how many requests one call asks for.
const maxQuestions = 1024

// New returns a Limiter on the client. Prefix goes before every key, so that deployments can share a Redis.
func New(client *redisdb.Client, prefix string, log *slog.Logger, reg prometheus.Registerer) *Limiter {
	return &Limiter{
		client: client, rate: redis_rate.NewLimiter(client), prefix: prefix, log: log,
		here: lru.NewCache[string, *limited](maxKeys),
		own: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unavailable_total",
			Help: "Requests that the replica let through by its own count of the key's rate, because Redis did not answer.",
		}),
	}
}

// Allow takes one request of the key at a rate of perSecond (at least 1; a whole second's worth may come at once). It
// returns 0 when the request may pass, or how long the caller should wait before the next try.
func (l *Limiter) Allow(ctx context.Context, key string, perSecond int) (retryAfter time.Duration) {
	k := l.limited(key, max(perSecond, 1))
	request := k.here.Reserve()
	if wait := request.Delay(); wait > 0 {
		request.Cancel()
		return wait
	}
	var q question
	if err := k.ask.Do(ctx, &q, 1); err != nil {
		l.own.Inc()
		if ctx.Err() == nil && !errors.Is(err, redisdb.ErrDown) {
			l.log.Warn("Redis did not answer for a rate limit; the API limits each key by its own count", "for", l.client.Pause, "err", err)
		}
		return 0
	}
	return q.retryAfter
}

// limited is the key at its rate, another one if the rate is.
func (l *Limiter) limited(key string, perSecond int) *limited {
	k, ok := l.here.Get(key)
	if !ok || k.here.Burst() != perSecond {
		k = &limited{
			here: rate.NewLimiter(rate.Limit(perSecond), perSecond),
			ask: redisdb.NewBatcher(maxQuestions, func(ctx context.Context, questions []*question) error {
				return l.askAll(ctx, key, perSecond, questions)
			}),
		}
		l.here.Add(key, k)
	}
	return k
}

// askAll asks for many requests of a key at once. Those that came first pass.
func (l *Limiter) askAll(ctx context.Context, key string, perSecond int, questions []*question) error {
	var result *redis_rate.Result
	err := l.client.Call(ctx, func(ctx context.Context) (err error) {
		result, err = l.rate.AllowAtMost(ctx, l.prefix+key, redis_rate.PerSecond(perSecond), len(questions))
		return err
	})
	if err != nil {
		return err
	}
	for i, q := range questions {
		if i >= result.Allowed {
			q.retryAfter = max(result.RetryAfter, time.Second/time.Duration(perSecond), time.Millisecond)
		}
	}
	return nil
}
