// Package limit bounds what each API key may use, across all API replicas: units per second with the generic cell rate
// algorithm (GCRA), and gas and gwei per UTC day by counting.
//
// # State
//
// Redis holds, for each key, the time at which all its units are back, and for each day the gas spent, by replica. Each replica
// holds, for each key (usage): tokens at the key's rate; the gas that was spent here today; what it knows that all replicas spent; and the
// credit, which is the part of the gas spent here that was given back, because an update was not stored, and was not taken again.
//
// # The way of a request
//
//  1. admit: the replica refuses by itself what is over the key's rate on this replica alone, so a key that floods the API does not
//     flood Redis, which is asked at that rate, at most. Of a key without a rate it refuses what is over the budget. What is admitted
//     takes tokens, and credit before gas.
//  2. exchange: what comes while one exchange with Redis is under way goes with the next, of all keys together. The replica
//     sends what it has spent and what it knows that all have; take.lua takes all units and all gas of a request, or refuses it. It is
//     one round trip.
//  3. settle, before the key's next exchange. Redis replied: spent is what Redis has, and a refused request's credit is put
//     back. It did not: the replica decides alone, by the budget, and adds what it lets through to what it has spent.
//
// A budget of gwei is counted like one of gas, under another name, once the rest of the quota let a request pass. A request that it refuses
// has its gas back, but not its units.
//
// Without Redis the quota on each replica is the limit: refusing every caller would turn a lost cache into an outage. So R
// replicas let through R times a key's quota, at most, as long as Redis is away.
//
// What a replica has spent on a day only grows, there and in Redis, which keeps the larger number. So what was let through while Redis
// was away is counted as soon as it is back. Gas is counted twice only if Redis carries out a take after the replica has settled it
// without a reply.
//
// A replica knows what it let through itself, and what all had spent as of its last reply. With a key's next request after a flush, Redis
// gets this back from that replica. What others spent of it is the field "lost", until they are asked and it is theirs again. So a flush
// forgets what replicas let through that are not asked yet, after the last reply to one that is. No replica lets through more than
// the budget, so R replicas let through R budgets of a day at most, however often Redis is flushed.
//
// Different names of a key and a day (Distinct) are counted in Redis alone, by estimate: without an answer they are not bounded.
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
	// maxKeys is of how many keys a replica knows the usage; the ones used least recently begin again.
	maxKeys = 16_384
	day     = 24 * time.Hour
)

// Limiter limits by key. It is safe for concurrent use.
type Limiter struct {
	client  *redisdb.Client
	prefix  string
	replica string
	log     *slog.Logger

	unavailable, unreadable prometheus.Counter

	mu     sync.Mutex
	usages lru.BasicLRU[string, *usage]

	batchers []*redisdb.Batcher[*take] // by the key's hash
	seed     maphash.Seed
}

// usage is what this replica knows of a key.
type usage struct {
	mu     sync.Mutex
	rate   *rate.Limiter // nil without a rate
	day    int64         // since 1970
	spent  uint64        // gas of the day, by the requests that this replica let through
	all    uint64        // of that and of other replicas' gas, what this one knows
	credit uint64        // of spent: given back and not taken again
}

// New returns a Limiter on the client. Prefix goes before every key, so that deployments can share a Redis.
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
	return l
}

// Over returns how long the key must wait before anything may pass here; 0: nothing to wait for. It takes nothing and asks no store.
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

// etherOf names a key's budget of gwei.
func etherOf(key string) string { return key + "/ether" }

// Take takes a request's cost (at most the burst) of what the key may use, all of its gas and gwei or nothing, and tells what is left.
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

// take takes a cost but for its gwei.
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

// Return gives gas and gwei back that Take took and that were not used. Those of another day are not this day's credit.
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

// usage is the key's at this replica.
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

// begin has the usage fit the day and the quota.
func (u *usage) begin(now time.Time, q score.Quota) {
	u.roll(now)
	switch {
	case q.PerSecond == 0:
		u.rate = nil
	case u.rate == nil || u.rate.Burst() != q.Burst || u.rate.Limit() != rate.Limit(q.PerSecond):
		u.rate = rate.NewLimiter(rate.Limit(q.PerSecond), q.Burst)
	}
}

// roll begins the count of another day.
func (u *usage) roll(now time.Time) {
	if today := dayOf(now); today != u.day {
		u.day, u.spent, u.all, u.credit = today, 0, 0, 0
	}
}

// spentOn is the gas that was spent on a day here and, as far as is known here, by all replicas. Both are 0 if that is not today.
func (u *usage) spentOn(day int64) (here, all uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if day != u.day {
		return 0, 0
	}
	return u.spent, u.all
}

// admit refuses what is over the quota here, or takes tokens and credit for it. left says what is left as far as this replica knows;
// credit is the part of the gas that it need not spend. What the rate admits is asked for also where the budget is used up: a Redis
// that was flushed learns of it.
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

// settle decides about an admitted request: by the script's reply, or without.
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

// settleReplied takes over what Redis has of this replica, with the credit back if the take was refused, and returns the credit.
func (u *usage) settleReplied(t *take) (credit uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if dayOf(t.at) != u.day { // another request began the next day meanwhile
		return 0
	}
	u.spent, u.all = max(u.spent, t.reply.mine), max(u.all, t.reply.all)
	if t.left.Wait > 0 {
		u.credit += t.credit
	}
	return u.credit
}

// settleAlone decides by the budget of this replica: the tokens were taken when it was admitted. What passes is spent today, even if it was
// asked for yesterday.
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

// gasLeft is what is left of a budget, of whose spent gas so much is credit.
func gasLeft(q score.Quota, spent, credit uint64) uint64 {
	return q.Gas - min(spent-min(credit, spent), q.Gas)
}
