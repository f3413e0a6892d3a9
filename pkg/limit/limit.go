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
// Rejected: fiber's limiter (one mutex held across the store's round trips, and replicas that overwrite each other's
// counts); counting in each process only (the limit would be times the number of replicas); taking tokens in chunks (fewer round
// trips, but a chunk taken by one replica is missing at the others, and a key at one request a second has none to share).
package limit

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	// maxKeys is of how many keys a replica knows what it let through; the ones used least recently begin again.
	maxKeys = 16_384
	day     = 24 * time.Hour
)

// takeScript: KEYS the time in µs at which all units are back, and the day's gas by replica if there is a budget; ARGV µs for a unit (0: no
// rate), burst, units; budget, gas, replica, what that replica knows it let through, ms for which the day is kept. All or nothing is
// taken. Times are counted from 2026 on, for a double's precision. It answers: µs to wait; whether for want of
// gas; units left; µs until all are back; the day's gas; this replica's part.
var takeScript = redis.NewScript(`
local t = redis.call('TIME')
local now = (tonumber(t[1]) - 1767225600) * 1000000 + tonumber(t[2])
local each, burst, units = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full, left, wait = now, burst, 0
if each > 0 then
  full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
  full = math.min(full, now + burst * each) -- at a lower rate it was later
  wait = full + units * each - burst * each - now
end
local all, mine = 0, 0
local spent = 0
if KEYS[2] then
  local parts = redis.call('HGETALL', KEYS[2])
  mine = tonumber(ARGV[7])
  for i = 1, #parts, 2 do
    if parts[i] == ARGV[6] then
      mine = math.max(mine, tonumber(parts[i + 1]))
    else
      all = all + tonumber(parts[i + 1])
    end
  end
  all = all + mine
  if all + tonumber(ARGV[5]) > tonumber(ARGV[4]) then
    spent = 1
  end
end
if wait < 1 and spent == 0 then
  wait = 0
  if each > 0 then
    full = full + units * each
    redis.call('SET', KEYS[1], string.format('%.2f', full), 'PX', math.ceil((full - now) / 1000) + 1)
  end
  if KEYS[2] then
    all, mine = all + tonumber(ARGV[5]), mine + tonumber(ARGV[5])
    redis.call('HSET', KEYS[2], ARGV[6], string.format('%.0f', mine))
    redis.call('PEXPIRE', KEYS[2], ARGV[8])
  end
end
if each > 0 then
  left = math.floor((now + burst * each - full) / each + 0.0001)
end
return {math.ceil(math.max(wait, 0)), spent, left, math.ceil(full - now), string.format('%.0f', all), string.format('%.0f', mine)}`)

// Limiter limits by key. It is safe for concurrent use.
type Limiter struct {
	client  *redisdb.Client
	prefix  string
	replica string
	log     *slog.Logger
	own     prometheus.Counter
	here    *lru.Cache[string, *account]
}

// account is what passed this replica of a key.
type account struct {
	mu     sync.Mutex
	rate   *rate.Limiter // nil without a rate
	day    int64         // since 1970
	gas    uint64        // of the day, as far as it is known to have passed here
	credit uint64        // of that, given back and not taken again
}

// New returns a Limiter on the client. Prefix goes before every key, so that deployments can share a Redis.
func New(client *redisdb.Client, prefix string, log *slog.Logger, reg prometheus.Registerer) *Limiter {
	return &Limiter{
		client: client, prefix: prefix, replica: rand.Text()[:12], log: log,
		here: lru.NewCache[string, *account](maxKeys),
		own: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "scorelay_limit_unavailable_total",
			Help: "Requests that the replica let through by its own count of what the key used, because Redis did not answer.",
		}),
	}
}

// Over returns how long the key should wait of which nothing may pass this replica now, or 0. It takes nothing and asks no store.
func (l *Limiter) Over(key string, q score.Quota) (wait time.Duration) {
	a, now := l.account(key), time.Now()
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
	a := l.account(key)
	left, credit, passed := a.take(now, q, cost)
	if left.Wait > 0 {
		return left
	}
	cost.Gas -= credit
	keys, each := []string{l.prefix + "{" + key + "}"}, 0.0
	if q.PerSecond > 0 {
		each = 1e6 / float64(q.PerSecond)
	}
	if q.Gas > 0 {
		keys = append(keys, keys[0]+":"+strconv.FormatInt(dayOf(now), 10))
	}
	var answer []int64
	err := l.client.Call(ctx, func(ctx context.Context) (err error) {
		answer, err = takeScript.Run(ctx, l.client, keys, each, q.Burst, cost.Units, q.Gas, cost.Gas, l.replica, passed, (2 * day).Milliseconds()).Int64Slice()
		return err
	})
	if err != nil {
		l.own.Inc()
		if ctx.Err() == nil && !errors.Is(err, redisdb.ErrDown) {
			l.log.Warn("Redis did not answer for a rate limit; the API limits each key by its own count", "for", l.client.Pause, "err", err)
		}
		a.passed(now, cost.Gas)
		return left
	}
	told := score.Left{
		Wait: time.Duration(answer[0]) * time.Microsecond, NoGas: answer[1] > 0,
		Units: int(max(answer[2], 0)), Full: time.Duration(answer[3]) * time.Microsecond,
	}
	if told.NoGas {
		told.Wait = max(told.Wait, untilTomorrow(now))
	}
	unspent := a.told(now, uint64(answer[5]), credit, told.Wait > 0)
	if all := uint64(answer[4]); all < q.Gas {
		told.Gas = q.Gas - all
	}
	told.Gas = min(told.Gas+unspent, q.Gas)
	return told
}

// Return gives the gas of a cost back that Take took and that was not used. That of another day is not this day's credit.
func (l *Limiter) Return(key string, cost score.Cost) {
	a, now := l.account(key), time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.roll(now); dayOf(cost.At) == a.day {
		a.credit += cost.Gas
	}
}

func (l *Limiter) account(key string) *account {
	if a, ok := l.here.Get(key); ok {
		return a
	}
	a := &account{}
	l.here.Add(key, a) // of two at once, one counts for itself for a moment
	return a
}

func dayOf(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

func untilTomorrow(now time.Time) time.Duration { return now.UTC().Truncate(day).Add(day).Sub(now) }

// begin has the account fit the day and the quota.
func (a *account) begin(now time.Time, q score.Quota) {
	a.roll(now)
	switch {
	case q.PerSecond == 0:
		a.rate = nil
	case a.rate == nil || a.rate.Burst() != q.Burst || a.rate.Limit() != rate.Limit(q.PerSecond):
		a.rate = rate.NewLimiter(rate.Limit(q.PerSecond), q.Burst)
	}
}

// roll begins the count of another day.
func (a *account) roll(now time.Time) {
	if today := dayOf(now); today != a.day {
		a.day, a.gas, a.credit = today, 0, 0
	}
}

// take takes the cost from what may pass this replica. left says what is left as far as this replica knows; credit is the part of the gas
// that it had given back, passed what it let through before.
func (a *account) take(now time.Time, q score.Quota, cost score.Cost) (left score.Left, credit, passed uint64) {
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

// passed counts what was let through without Redis.
func (a *account) passed(now time.Time, gas uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roll(now)
	a.gas += gas
}

// told takes in this replica's part as Redis has it, with the credit back if nothing was taken, and returns the credit.
func (a *account) told(now time.Time, part, credit uint64, refused bool) (unspent uint64) {
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
