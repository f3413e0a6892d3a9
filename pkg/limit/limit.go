// Package limit bounds the use of each API key across all API replicas. It limits units per second with the generic
// cell rate algorithm (GCRA), and gas and gwei per UTC day by counting.
//
// # State
//
// For each key Redis holds the time at which all its units are back, and the gas spent per day and replica. Each
// replica holds per key (usage): tokens at the key's rate, the gas spent here today, the last known gas of all
// replicas, and the credit. The credit is spent gas that was given back, because an update was not stored, less
// credit used since.
//
// # Path of a request
//
//  1. admit: the replica refuses requests above the key's rate here, so that Redis sees at most that rate from a
//     flood. If a key has only a budget, admit refuses requests above it. An admitted request takes tokens, and
//     credit before gas.
//  2. exchange: takes that arrive during an exchange with Redis share the next one, across keys. The replica sends
//     its own and the last known total spending. In one round trip take.lua takes a request's units and gas, or
//     refuses it.
//  3. settle, before the key's next exchange. With a reply, spent becomes Redis's value, and a refused request gets
//     its credit back. Otherwise the replica decides alone by the budget, and adds the admitted gas to spent.
//
// A budget of gwei is counted like gas, under another name, after the rest of the quota admits a request. If it
// refuses, the request gets its gas back, but loses its units.
//
// While Redis is down, each replica applies the quota alone: a lost cache must not become an outage. So R replicas
// admit at most R times a key's quota.
//
// A replica's spending on a day only grows, here and in Redis, which keeps the larger number. So gas admitted while
// Redis was down counts as soon as it is back. Gas counts twice only if Redis executes a take after the replica
// settled it alone.
//
// After a flush, a key's next request restores the replica's own spending and the total of its last reply; the
// difference is the field "lost" until the others report again. Until then Redis misses only the gas that those
// others admitted after the last reply to a replica that has asked again. Each replica admits at most the budget, so
// R replicas admit at most R budgets a day, however often Redis is flushed.
//
// Redis alone estimates the number of a key's different names of a day (Distinct). It is unlimited while Redis is
// down.
//
// Rejected: fiber's limiter (a mutex held across round trips; replicas overwrite each other's counts). Counting per
// process (the limit grows with the replicas). Taking tokens in chunks (the other replicas lack a chunk).
package limit

import (
	"context"
	"crypto/rand"
	"errors"
	"hash/maphash"
	"log/slog"
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
	// A replica drops the usage of the least recently used key.
	maxKeys = 16_384
	day     = 24 * time.Hour
)

// Limiter is safe for concurrent use.
type Limiter struct {
	client  *redisdb.Client
	prefix  string
	replica string
	log     *slog.Logger

	unavailable, unreadable prometheus.Counter

	mu     sync.Mutex
	usages lru.BasicLRU[string, *usage]

	batchers  []*redisdb.Batcher[*take] // by the key's hash
	distincts *redisdb.Batcher[*distinct]
	seed      maphash.Seed
}

type usage struct {
	mu     sync.Mutex
	rate   *rate.Limiter // nil if PerSecond is 0
	day    int64         // days since 1970
	spent  uint64        // gas of the day that this replica admitted
	all    uint64        // the same of all replicas, as known here
	credit uint64        // part of spent that was given back, less the part used again
}

// New's prefix starts every Redis key, so that deployments can share a Redis.
func New(client *redisdb.Client, prefix string, log *slog.Logger, reg prometheus.Registerer) *Limiter {
	l := &Limiter{
		client: client, prefix: prefix, replica: rand.Text()[:12], log: log, seed: maphash.MakeSeed(),
		usages: lru.NewBasicLRU[string, *usage](maxKeys),
		unavailable: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unavailable_total",
			Help: "Requests that the replica let through by its own count of what the key used, because Redis did not answer.",
		}),
		unreadable: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unreadable_total",
			Help: "Values of rate limits in Redis that were no counts, and are counted again from nothing: another program writes to it.",
		}),
	}
	n := 1
	if client != nil && client.Cluster() {
		n = clusterBatchers
	}
	for range n {
		l.batchers = append(l.batchers, redisdb.NewBatcher(maxTakes, l.exchange))
	}
	l.distincts = redisdb.NewBatcher(maxDistinct, l.addDistinct)
	return l
}

// Over returns the wait for the key's next unit at this replica, or 0. It reads only local state.
func (l *Limiter) Over(key string, q score.Quota) (wait time.Duration) {
	u, now := l.usage(key), time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.begin(now, q); u.rate == nil {
		return 0
	}
	if tokens := u.rate.TokensAt(now); tokens < 1 {
		return max(time.Duration((1-tokens)/float64(q.PerSecond)*float64(time.Second)), time.Millisecond)
	}
	return 0
}

func etherOf(key string) string { return key + "/ether" }

// Take takes a request's cost (at most the burst) from the key's quota and returns the remaining quota. Of gas and
// gwei it takes all or none.
func (l *Limiter) Take(ctx context.Context, key string, q score.Quota, cost score.Cost) (left score.Left) {
	now := time.Now()
	if q.PerSecond > 0 || q.Gas > 0 {
		left = l.take(ctx, now, key, q, cost)
	}
	if q.Gwei == 0 || left.Wait > 0 {
		return left
	}
	ether := l.take(ctx, now, etherOf(key), score.Quota{Gas: q.Gwei}, score.Cost{Gas: cost.Gwei})
	if left.Gwei = ether.Gas; ether.Wait > 0 {
		left.Wait, left.NoGwei = ether.Wait, true
		if q.Gas > 0 {
			l.giveBack(key, cost.Gas, now)
			left.Gas = min(left.Gas+cost.Gas, q.Gas)
		}
	}
	return left
}

func (l *Limiter) take(ctx context.Context, now time.Time, key string, q score.Quota, cost score.Cost) score.Left {
	u := l.usage(key)
	left, credit := u.admit(now, q, cost)
	if left.Wait > 0 {
		return left
	}
	t := take{
		counters: counters{quota: q}, usage: u, at: now,
		units: cost.Units, gas: cost.Gas - credit, credit: credit, reply: reply{err: errNoReply}, left: left,
	}
	name := l.prefix + "{" + key + "}"
	if q.PerSecond > 0 {
		t.rateKey = name
	}
	if q.Gas > 0 {
		t.gasKey = name + ":" + strconv.FormatInt(dayOf(now), 10)
	}
	err := l.batcher(key).Do(ctx, &t, 1)
	if t.reply.err == nil {
		return t.left
	}
	if err == nil {
		err = t.reply.err
	}
	if ctx.Err() == nil && !errors.Is(err, redisdb.ErrDown) {
		l.log.Warn("Redis did not answer for a rate limit; the API limits each key by its own count", "for", l.client.Pause, "err", err)
	}
	if t.left.Wait == 0 {
		l.unavailable.Inc()
	}
	return t.left
}

// Return gives back unused gas and gwei of a Take, except those of another day.
func (l *Limiter) Return(key string, cost score.Cost) {
	l.giveBack(key, cost.Gas, cost.At)
	l.giveBack(etherOf(key), cost.Gwei, cost.At)
}

func (l *Limiter) giveBack(key string, gas uint64, at time.Time) {
	if gas == 0 {
		return
	}
	u := l.usage(key)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.roll(time.Now()); dayOf(at) == u.day {
		u.credit += gas
	}
}

func (l *Limiter) usage(key string) *usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u, ok := l.usages.Get(key); ok {
		return u
	}
	u := &usage{}
	l.usages.Add(key, u)
	return u
}

func dayOf(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

func untilTomorrow(now time.Time) time.Duration { return now.UTC().Truncate(day).Add(day).Sub(now) }

func (u *usage) begin(now time.Time, q score.Quota) {
	u.roll(now)
	switch {
	case q.PerSecond == 0:
		u.rate = nil
	case u.rate == nil || u.rate.Burst() != q.Burst || u.rate.Limit() != rate.Limit(q.PerSecond):
		u.rate = rate.NewLimiter(rate.Limit(q.PerSecond), q.Burst)
	}
}

func (u *usage) roll(now time.Time) {
	if today := dayOf(now); today != u.day {
		u.day, u.spent, u.all, u.credit = today, 0, 0, 0
	}
}

// spentOn returns the gas that this replica and, as known here, all replicas spent; 0 for any day but the current
// one.
func (u *usage) spentOn(day int64) (here, all uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if day != u.day {
		return 0, 0
	}
	return u.spent, u.all
}

// admit refuses a cost above the quota here, or takes tokens and credit for it. credit is the part of cost.Gas that
// credit pays. If the key has a rate, even a used-up budget leads to an exchange, so that a flushed Redis gets its
// counts back.
func (u *usage) admit(now time.Time, q score.Quota, cost score.Cost) (left score.Left, credit uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.begin(now, q)
	credit = min(cost.Gas, u.credit)
	if q.Gas > 0 && u.rate == nil && u.spent+cost.Gas-credit > q.Gas {
		left.Wait, left.NoGas = untilTomorrow(now), true
	}
	if u.rate != nil {
		if left.Wait == 0 {
			request := u.rate.ReserveN(now, cost.Units)
			if left.Wait = request.DelayFrom(now); left.Wait > 0 {
				request.CancelAt(now)
			}
		}
		tokens := max(u.rate.TokensAt(now), 0)
		left.Units = int(tokens)
		left.Full = time.Duration((float64(q.Burst) - tokens) / float64(q.PerSecond) * float64(time.Second))
	}
	all := u.all
	if left.Wait == 0 {
		u.credit -= credit
		all += cost.Gas - credit
	}
	left.Gas = gasLeft(q, all, u.credit)
	return left, credit
}

// settle decides an admitted request by the script's reply, or alone if that is missing.
func (t *take) settle() {
	if t.reply.err != nil {
		t.usage.settleAlone(t)
		return
	}
	t.left = score.Left{Wait: t.reply.wait, NoGas: t.reply.noGas, Units: t.reply.units, Full: t.reply.full}
	if t.left.NoGas {
		t.left.Wait = max(t.left.Wait, untilTomorrow(t.at))
	}
	t.left.Gas = gasLeft(t.quota, t.reply.all, t.usage.settleReplied(t))
}

// settleReplied adopts Redis's counts and returns the credit.
func (u *usage) settleReplied(t *take) (credit uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if dayOf(t.at) != u.day { // a later request began a new day
		return 0
	}
	u.spent, u.all = max(u.spent, t.reply.mine), max(u.all, t.reply.all)
	if t.left.Wait > 0 {
		u.credit += t.credit
	}
	return u.credit
}

// settleAlone decides by this replica's budget; admit already took the tokens. Admitted gas counts for today, even if
// yesterday's request asked for it.
func (u *usage) settleAlone(t *take) {
	u.mu.Lock()
	defer u.mu.Unlock()
	today := time.Now()
	u.roll(today)
	if t.quota.Gas > 0 && u.all+t.gas > t.quota.Gas {
		t.left.Wait, t.left.NoGas = untilTomorrow(today), true
		if dayOf(t.at) == u.day {
			u.credit += t.credit
		}
	} else {
		u.spent, u.all = u.spent+t.gas, u.all+t.gas
	}
	t.left.Gas = gasLeft(t.quota, u.all, u.credit)
}

// gasLeft returns the rest of a budget after spent, less its credit.
func gasLeft(q score.Quota, spent, credit uint64) uint64 {
	return q.Gas - min(spent-min(credit, spent), q.Gas)
}
