// Package limit bounds what each API key may use, across all API replicas: units per second with the generic cell rate
// algorithm (GCRA), and gas per UTC day by counting. Both are in Redis, in one script and so one round trip.
//
// Each replica refuses by itself what is over a key's quota on this replica alone, so a key that floods the API does not flood
// Redis: it asks Redis at its rate, at most. Without Redis that is the limit: refusing every caller would turn a lost cache
// into an outage. So R replicas let through R times a key's quota, at most, as long as Redis is away.
//
// The gas of a day is counted by replica, each count only grows, and a replica tells Redis its own with every request. So what
// was let through while Redis was away is counted as soon as it is back, and a Redis that was flushed gets
// back what the running replicas let through. What is given back (of an update that was not stored) is a credit of the replica, which the
// key's next requests there take first: so no count ever falls.
//
// What requests ask while a question to Redis is under way goes with the next one, of all keys together.
//
// Rejected: fiber's limiter (one mutex held across the store's round trips, and replicas that overwrite each other's
// counts); counting in each process only (the limit would be times the number of replicas); taking tokens in chunks (fewer round
// trips, but a chunk taken by one replica is missing at the others, and a key at one request a second has none to share).
package limit

import (
	"context"
	"crypto/rand"
	"errors"
	"hash/maphash"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/time/rate"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	// maxKeys is of how many keys a replica knows what it let through; the ones used least recently begin again.
	maxKeys = 16_384
	day     = 24 * time.Hour
)

// Limiter limits by key. It is safe for concurrent use.
type Limiter struct {
	client  *redisdb.Client
	prefix  string
	replica string
	log     *slog.Logger
	own     prometheus.Counter
	bad     prometheus.Counter

	mu   sync.Mutex
	here lru.BasicLRU[string, *passing]

	batchers []*redisdb.Batcher[*question] // by the key's hash
	seed     maphash.Seed
}

// passing is what passed this replica of a key.
type passing struct {
	mu     sync.Mutex
	rate   *rate.Limiter // nil without a rate
	day    int64         // since 1970
	gas    uint64        // of the day, as far as it is known to have passed here
	credit uint64        // of that, given back and not taken again
}

// New returns a Limiter on the client. Prefix goes before every key, so that deployments can share a Redis.
func New(client *redisdb.Client, prefix string, log *slog.Logger, reg prometheus.Registerer) *Limiter {
	l := &Limiter{
		client: client, prefix: prefix, replica: rand.Text()[:12], log: log, seed: maphash.MakeSeed(),
		here: lru.NewBasicLRU[string, *passing](maxKeys),
		own: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unavailable_total",
			Help: "Requests that the replica let through by its own count of what the key used, because Redis did not answer.",
		}),
		bad: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unreadable_total",
			Help: "Values of rate limits in Redis that were no counts, and are counted again from nothing: another program writes to it.",
		}),
	}
	n := 1
	if client != nil && client.Cluster() {
		n = clusterBatchers
	}
	for range n {
		l.batchers = append(l.batchers, redisdb.NewBatcher(maxQuestions, l.askAll))
	}
	return l
}

// Over returns how long the key should wait of which nothing may pass this replica now, or 0. It takes nothing and asks no store.
func (l *Limiter) Over(key string, q score.Quota) (wait time.Duration) {
	a, now := l.passing(key), time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begin(now, q); a.rate == nil {
		return 0
	}
	if tokens := a.rate.TokensAt(now); tokens < 1 {
		return max(time.Duration((1-tokens)/float64(q.PerSecond)*float64(time.Second)), time.Millisecond)
	}
	return 0
}

// Take takes a request's cost (at most the burst) of what the key may use, all of it or nothing, and tells what is left.
func (l *Limiter) Take(ctx context.Context, key string, q score.Quota, cost score.Cost) score.Left {
	now := time.Now()
	a := l.passing(key)
	left, credit, passed := a.take(now, q, cost)
	if left.Wait > 0 {
		return left
	}
	cost.Gas -= credit
	asked := question{account: account{quota: q}, units: cost.Units, gas: cost.Gas, passed: passed}
	name := l.prefix + "{" + key + "}"
	if q.PerSecond > 0 {
		asked.rateKey = name
	}
	if q.Gas > 0 {
		asked.gasKey = name + ":" + strconv.FormatInt(dayOf(now), 10)
	}
	if err := l.ask(ctx, key, &asked); err != nil {
		if ctx.Err() == nil && !errors.Is(err, redisdb.ErrDown) {
			l.log.Warn("Redis did not answer for a rate limit; the API limits each key by its own count", "for", l.client.Pause, "err", err)
		}
		if left = a.alone(now, q, cost.Gas, credit, left); left.Wait == 0 {
			l.own.Inc()
		}
		return left
	}
	answer := asked.answer
	told := score.Left{Wait: answer.wait, NoGas: answer.noGas, Units: answer.units, Full: answer.full}
	if told.NoGas {
		told.Wait = max(told.Wait, untilTomorrow(now))
	}
	unspent := a.told(now, answer.mine, credit, told.Wait > 0)
	if answer.all < q.Gas {
		told.Gas = q.Gas - answer.all
	}
	told.Gas = min(told.Gas+unspent, q.Gas)
	return told
}

// Return gives the gas of a cost back that Take took and that was not used. That of another day is not this day's credit.
func (l *Limiter) Return(key string, cost score.Cost) {
	a, now := l.passing(key), time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.roll(now); dayOf(cost.At) == a.day {
		a.credit += cost.Gas
	}
}

func (l *Limiter) passing(key string) *passing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.here.Get(key); ok {
		return a
	}
	a := &passing{}
	l.here.Add(key, a)
	return a
}

func dayOf(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

func untilTomorrow(now time.Time) time.Duration { return now.UTC().Truncate(day).Add(day).Sub(now) }

// begin has the account fit the day and the quota.
func (a *passing) begin(now time.Time, q score.Quota) {
	a.roll(now)
	switch {
	case q.PerSecond == 0:
		a.rate = nil
	case a.rate == nil || a.rate.Burst() != q.Burst || a.rate.Limit() != rate.Limit(q.PerSecond):
		a.rate = rate.NewLimiter(rate.Limit(q.PerSecond), q.Burst)
	}
}

// roll begins the count of another day.
func (a *passing) roll(now time.Time) {
	if today := dayOf(now); today != a.day {
		a.day, a.gas, a.credit = today, 0, 0
	}
}

// take takes the cost from what may pass this replica. left says what is left as far as this replica knows; credit is the part of the gas
// that it had given back, passed what it let through before.
func (a *passing) take(now time.Time, q score.Quota, cost score.Cost) (left score.Left, credit, passed uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(now, q)
	credit = min(cost.Gas, a.credit)
	if q.Gas > 0 && a.gas+cost.Gas-credit > q.Gas {
		left.Wait, left.NoGas = untilTomorrow(now), true
	}
	if a.rate != nil {
		if left.Wait == 0 {
			request := a.rate.ReserveN(now, cost.Units)
			if left.Wait = request.DelayFrom(now); left.Wait > 0 {
				request.CancelAt(now)
			}
		}
		tokens := max(a.rate.TokensAt(now), 0)
		left.Units = int(tokens)
		left.Full = time.Duration((float64(q.Burst) - tokens) / float64(q.PerSecond) * float64(time.Second))
	}
	used := a.gas
	if left.Wait == 0 {
		a.credit -= credit
		used += cost.Gas - credit
	}
	left.Gas = q.Gas - min(used-min(a.credit, used), q.Gas)
	return left, credit, a.gas
}

// alone decides without Redis, which take counts on for the gas: of what is in question at once, as much passes as there is room for now. It
// counts what passes, of today even if it was asked yesterday, and returns what is left.
func (a *passing) alone(now time.Time, q score.Quota, gas, credit uint64, left score.Left) score.Left {
	a.mu.Lock()
	defer a.mu.Unlock()
	today := time.Now()
	a.roll(today)
	if q.Gas > 0 && a.gas+gas > q.Gas {
		left.Wait, left.NoGas = untilTomorrow(today), true
		if dayOf(now) == a.day {
			a.credit += credit
		}
	} else {
		a.gas += gas
	}
	left.Gas = q.Gas - min(a.gas-min(a.credit, a.gas), q.Gas)
	return left
}

// told takes in this replica's part as Redis has it, with the credit back if nothing was taken, and returns the credit.
func (a *passing) told(now time.Time, part, credit uint64, refused bool) (unspent uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if dayOf(now) != a.day { // another request began the next day meanwhile
		return 0
	}
	a.gas = max(a.gas, part)
	if refused {
		a.credit += credit
	}
	return min(a.credit, math.MaxInt64)
}
