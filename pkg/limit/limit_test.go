package limit_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// open is a client of the Redis at a URL until the test ends.
func open(t *testing.T, url string) *redisdb.Client {
	t.Helper()
	client, err := redisdb.Open(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func newLimiter(t *testing.T, url string) (*limit.Limiter, *prometheus.Registry) {
	t.Helper()
	client := open(t, url)
	if url != nowhere {
		client.Timeout = time.Minute
	}
	return limiterOn(client)
}

func limiterOn(client *redisdb.Client) (*limit.Limiter, *prometheus.Registry) {
	reg := prometheus.NewRegistry()
	return limit.New(client, "test:", slog.New(slog.DiscardHandler), reg), reg
}

// broken is a limiter whose exchanges with Redis follow a plan, and are tried at once after one that failed.
func broken(t *testing.T, url string, plan *fault.Plan) *limit.Limiter {
	t.Helper()
	client := open(t, url)
	client.Timeout, client.Pause = time.Minute, 0
	client.AddHook(exchanges{Plan: plan})
	l, _ := limiterOn(client)
	return l
}

// exchanges follow a plan.
type exchanges struct {
	redis.Hook
	*fault.Plan
}

func (exchanges) DialHook(next redis.DialHook) redis.DialHook { return next }

func (exchanges) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (e exchanges) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return e.Write("exchange", func() error { return next(ctx, cmds) })
	}
}

const nowhere = "redis://127.0.0.1:1" // a question there counts as unanswered

// one takes one unit of a key.
func one(t *testing.T, l *limit.Limiter, key string, perSecond int) score.Left {
	t.Helper()
	return l.Take(t.Context(), key, score.QuotaOf(perSecond, 1), score.Cost{Units: 1})
}

// unanswered is how many requests a limiter let through by itself, unreadable how many values of Redis it could not read.
func unanswered(t *testing.T, reg *prometheus.Registry) float64 {
	return counter(t, reg, 0, "unavailable")
}

func unreadable(t *testing.T, reg *prometheus.Registry) float64 {
	return counter(t, reg, 1, "unreadable")
}

func counter(t *testing.T, reg *prometheus.Registry, place int, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	require.Equal(t, "scorelay_limit_"+name+"_total", families[place].GetName())
	return families[place].GetMetric()[0].GetCounter().GetValue()
}

func TestEachKeyHasItsRate(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t, fresh.Redis(t).URL)
	const perSecond = 5
	allowed, began := 0, time.Now()
	last := one(t, l, "a", perSecond)
	for ; last.Wait == 0; last = one(t, l, "a", perSecond) {
		allowed++
	}
	require.GreaterOrEqual(t, allowed, perSecond)
	require.LessOrEqual(t, float64(allowed), perSecond*(1+time.Since(began).Seconds())+1)
	require.LessOrEqual(t, last.Wait, time.Second)
	require.False(t, last.NoGas)
	require.Zero(t, last.Units)
	require.Positive(t, last.Full)
	require.LessOrEqual(t, last.Full, time.Second)
	other := one(t, l, "b", perSecond)
	require.Zero(t, other.Wait, "another key")
	require.Equal(t, perSecond-1, other.Units)
	require.Eventually(t, func() bool { return one(t, l, "a", perSecond).Wait == 0 }, time.Minute, 20*time.Millisecond)
}

// TestUnitsOfReplicasAreCountedTogether: a group takes as much as it has updates, all of it or nothing.
func TestUnitsOfReplicasAreCountedTogether(t *testing.T) {
	t.Parallel()
	url := fresh.Redis(t).URL
	a, _ := newLimiter(t, url)
	b, _ := newLimiter(t, url)
	quota := score.QuotaOf(1, 256)
	require.Equal(t, score.Quota{PerSecond: 1, Burst: 256}, quota)
	group := func(l *limit.Limiter, n int) score.Left {
		return l.Take(t.Context(), "a", quota, score.Cost{Units: n})
	}
	first := group(a, 200)
	require.Zero(t, first.Wait)
	require.InDelta(t, 56, first.Units, 40)
	second := group(b, 100)
	require.InDelta(t, 44, second.Wait.Seconds(), 40, "44 more than there are, at one a second")
	require.InDelta(t, 56, second.Units, 40, "nothing was taken")
	require.InDelta(t, 200, second.Full.Seconds(), 40)
	require.Zero(t, group(b, 46).Wait)
	require.Positive(t, group(a, 256).Wait)
	require.Zero(t, a.Over("never seen", quota))
}

// TestGasOfReplicasIsCountedTogether, exactly: all that pass fit, and one more does not.
func TestGasOfReplicasIsCountedTogether(t *testing.T) {
	t.Parallel()
	fresh.Today()
	url := fresh.Redis(t).URL
	quota := score.Quota{Gas: 1000}
	var mu sync.Mutex
	var passed uint64
	var wg sync.WaitGroup
	for range 3 {
		l, _ := newLimiter(t, url)
		for range 4 {
			wg.Go(func() {
				for range 20 {
					left := l.Take(t.Context(), "a", quota, score.Cost{Units: 1, Gas: 7})
					if left.Wait == 0 {
						mu.Lock()
						passed += 7
						mu.Unlock()
						continue
					}
					if !left.NoGas || left.Wait > 24*time.Hour || left.Gas >= 7 {
						t.Errorf("%+v", left)
					}
				}
			})
		}
	}
	wg.Wait()
	require.EqualValues(t, 1000/7*7, passed)
}

// TestGasIsGivenBack: the next request of the key at that replica takes what was given back, and the replica's next tells Redis nothing.
func TestGasIsGivenBack(t *testing.T) {
	t.Parallel()
	fresh.Today()
	url := fresh.Redis(t).URL
	a, _ := newLimiter(t, url)
	b, _ := newLimiter(t, url)
	quota := score.Quota{Gas: 100}
	take := func(l *limit.Limiter, gas uint64) score.Left {
		return l.Take(t.Context(), "a", quota, score.Cost{Units: 1, Gas: gas})
	}
	require.EqualValues(t, 40, take(a, 60).Gas)
	a.Return("a", score.Cost{Gas: 60, At: time.Now().Add(-24 * time.Hour)}) // of yesterday
	require.True(t, take(a, 50).NoGas)
	a.Return("a", score.Cost{Gas: 60, At: time.Now()})
	refused := take(a, 101)
	require.True(t, refused.NoGas)
	require.EqualValues(t, 50, take(a, 50).Gas, "of what was given back")
	require.EqualValues(t, 10, take(b, 30).Gas, "the other replica knows of 60 and its own")
	require.EqualValues(t, 10, take(a, 10).Gas)
	require.True(t, take(b, 20).NoGas)
	require.Zero(t, take(b, 10).Gas)
	require.True(t, take(a, 1).NoGas)
}

// TestAFlushedRedisGetsTheDaysGasBack from the replicas that let it through.
func TestAFlushedRedisGetsTheDaysGasBack(t *testing.T) {
	t.Parallel()
	fresh.Today()
	server := fresh.Redis(t)
	a, _ := newLimiter(t, server.URL)
	b, _ := newLimiter(t, server.URL)
	quota := score.Quota{Gas: 100}
	take := func(l *limit.Limiter, gas uint64) score.Left {
		return l.Take(t.Context(), "a", quota, score.Cost{Units: 1, Gas: gas})
	}
	take(a, 30)
	take(b, 40)
	require.NoError(t, open(t, server.URL).FlushAll(t.Context()).Err())
	require.EqualValues(t, 69, take(a, 1).Gas, "b has not been heard of yet")
	require.EqualValues(t, 28, take(b, 1).Gas)
	require.EqualValues(t, 27, take(a, 1).Gas)
}

func TestWithoutRedisEachReplicaLimitsByItself(t *testing.T) {
	t.Parallel()
	fresh.Today()
	server := fresh.Redis(t)
	l, reg := newLimiter(t, server.URL)
	server.Close()
	const perSecond = 1000
	allowed := 0
	began := time.Now()
	for range 3 * perSecond {
		if one(t, l, "a", perSecond).Wait == 0 {
			allowed++
		}
	}
	took := time.Since(began)
	require.Less(t, took, 2*time.Minute, "a dead Redis must not slow requests down")
	require.GreaterOrEqual(t, allowed, perSecond)
	require.LessOrEqual(t, float64(allowed), perSecond*(1+took.Seconds())+1)
	require.InDelta(t, allowed, unanswered(t, reg), 0)

	gas := score.Quota{Gas: 100}
	for left := uint64(100); left > 0; left -= 10 {
		is := l.Take(t.Context(), "b", gas, score.Cost{Units: 1, Gas: 10})
		require.Zero(t, is.Wait)
		require.Equal(t, left-10, is.Gas)
	}
	require.True(t, l.Take(t.Context(), "b", gas, score.Cost{Units: 1, Gas: 1}).NoGas, "a day's budget at each replica, at most")
}

// TestWhatIsAskedAtOnceOfASilentRedisFitsTheQuota: all ask before the first is let through without an answer; what was given
// back is taken once, too, and a refusal takes none of it.
func TestWhatIsAskedAtOnceOfASilentRedisFitsTheQuota(t *testing.T) {
	t.Parallel()
	fresh.Today()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts; no one answers
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	client := open(t, "redis://"+silent.Addr().String())
	client.Timeout, client.Pause = 100*time.Millisecond, 0 // each question hangs
	l, reg := limiterOn(client)
	atOnce := func(key string, q score.Quota, cost score.Cost) (passed int64) {
		var all sync.WaitGroup
		var n atomic.Int64
		begin := make(chan struct{})
		for range 1024 {
			all.Go(func() {
				<-begin
				if left := l.Take(t.Context(), key, q, cost); left.Wait == 0 {
					n.Add(1)
				} else if cost.Gas > 0 && (!left.NoGas || left.Gas >= cost.Gas) {
					t.Errorf("%+v", left)
				}
			})
		}
		close(begin)
		all.Wait()
		return n.Load()
	}
	gas := score.Quota{Gas: 1000}
	require.EqualValues(t, 3, atOnce("gas", gas, score.Cost{Gas: 300}))
	l.Return("gas", score.Cost{Gas: 400, At: time.Now()})
	require.EqualValues(t, 500, l.Take(t.Context(), "gas", gas, score.Cost{}).Gas)
	require.True(t, l.Take(t.Context(), "gas", gas, score.Cost{Gas: 501}).NoGas)
	require.EqualValues(t, 2, atOnce("gas", gas, score.Cost{Gas: 250}))
	require.InDelta(t, 3+1+2, unanswered(t, reg), 0)

	began := time.Now()
	passed := atOnce("units", score.QuotaOf(1, 256), score.Cost{Units: 64})
	require.GreaterOrEqual(t, passed, int64(4))
	require.LessOrEqual(t, float64(passed), 4+time.Since(began).Seconds()/64+1)
}

// TestGasThatPassedWithoutRedisIsCountedAfterwards, at all replicas.
func TestGasThatPassedWithoutRedisIsCountedAfterwards(t *testing.T) {
	t.Parallel()
	fresh.Today()
	server := fresh.Redis(t)
	client := open(t, server.URL)
	client.Timeout, client.Pause = time.Minute, time.Second
	l, _ := limiterOn(client)
	other, _ := newLimiter(t, server.URL)
	key := "a"
	take := func(l *limit.Limiter, gas uint64) score.Left {
		return l.Take(t.Context(), key, score.Quota{Gas: 100}, score.Cost{Units: 1, Gas: gas})
	}
	for ; ; key += "a" {
		began := time.Now()
		require.Error(t, client.Call(t.Context(), func(context.Context) error { return errors.New("it failed") }))
		first, second := take(l, 40), take(other, 30)
		if time.Since(began) >= client.Pause { // the machine took longer
			client.Pause *= 2
			continue
		}
		require.EqualValues(t, 60, first.Gas, "by its own count")
		require.EqualValues(t, 70, second.Gas, "no one has told it")
		break
	}
	require.Eventually(t, func() bool { return take(l, 0).Gas == 30 }, 2*time.Minute, 20*time.Millisecond)
	require.EqualValues(t, 30, take(other, 0).Gas)
}

// TestAFloodingKeyDoesNotFloodRedis: what is over the key's quota on one replica is refused without asking.
func TestAFloodingKeyDoesNotFloodRedis(t *testing.T) {
	t.Parallel()
	fresh.Today()
	l, reg := newLimiter(t, nowhere) // each question would count
	var last score.Left
	began := time.Now()
	for n := 0; n < 1000 || last.Wait == 0 || l.Over("a", score.QuotaOf(1, 1)) == 0; n++ { // a slow machine may have come to the next second
		last = one(t, l, "a", 1)
	}
	require.LessOrEqual(t, last.Wait, time.Second)
	require.LessOrEqual(t, unanswered(t, reg), 3+time.Since(began).Seconds())
	before := unanswered(t, reg)
	for range 1000 {
		last = l.Take(t.Context(), "b", score.Quota{Gas: 10}, score.Cost{Units: 1, Gas: 10})
	}
	require.True(t, last.NoGas)
	require.InDelta(t, before+1, unanswered(t, reg), 0)
}

func TestAKeysRateMayChange(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t, fresh.Redis(t).URL)
	require.Zero(t, one(t, l, "a", 1).Wait)
	for one(t, l, "a", 1).Wait == 0 { // a slow machine may have come to the next second
	}
	require.Less(t, one(t, l, "a", 100).Wait, 500*time.Millisecond, "not what is left of the old rate's second")
}

// TestOnACluster: what is asked of a key is in one slot.
func TestOnACluster(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	servers, err := fresh.StartRedisCluster(t.TempDir(), 3)
	require.NoError(t, err)
	t.Cleanup(servers.Close)
	l, reg := newLimiter(t, servers.URL)
	quota := score.QuotaOf(100, 1)
	quota.Gas = 1000
	for key := range 20 {
		left := l.Take(t.Context(), strconv.Itoa(key), quota, score.Cost{Units: 1, Gas: 10})
		require.Zero(t, left.Wait)
		require.EqualValues(t, 990, left.Gas)
	}
	require.Zero(t, unanswered(t, reg))
}

// TestAHigherRateCountsAtOnce: what was taken at the lower rate is at most a burst of the higher one.
func TestAHigherRateCountsAtOnce(t *testing.T) {
	t.Parallel()
	l, _ := newLimiter(t, fresh.Redis(t).URL)
	take := func(perSecond, units int) time.Duration {
		return l.Take(t.Context(), "a", score.QuotaOf(perSecond, 256), score.Cost{Units: units}).Wait
	}
	require.Zero(t, take(1, 256))
	require.Less(t, take(1000, 1), time.Second, "not the 256 s that the lower rate takes")
}

// TestABudgetOfEtherStandsBesideOneOfGas: a request takes of both or of none, on whichever replica, and what is given
// back may be taken again.
func TestABudgetOfEtherStandsBesideOneOfGas(t *testing.T) {
	t.Parallel()
	fresh.Today()
	url := fresh.Redis(t).URL
	a, _ := newLimiter(t, url)
	b, _ := newLimiter(t, url)
	quota := score.QuotaOf(1000, 1000)
	quota.Gas, quota.Gwei = 100, 50
	take := func(l *limit.Limiter, gas, gwei uint64) score.Left {
		return l.Take(t.Context(), "a", quota, score.Cost{Units: 1, Gas: gas, Gwei: gwei})
	}
	left := take(a, 10, 30)
	require.Zero(t, left.Wait)
	require.Equal(t, []uint64{90, 20}, []uint64{left.Gas, left.Gwei})

	left = take(b, 10, 30)
	require.True(t, left.NoGwei)
	require.False(t, left.NoGas)
	require.Positive(t, left.Wait)
	require.Equal(t, []uint64{90, 20}, []uint64{left.Gas, left.Gwei}, "what ether refuses takes no gas")
	left = take(b, 91, 1)
	require.True(t, left.NoGas)
	require.False(t, left.NoGwei)
	left = take(b, 90, 20)
	require.Zero(t, left.Wait, "what gas refused took no ether")
	require.Equal(t, []uint64{0, 0}, []uint64{left.Gas, left.Gwei})

	b.Return("a", score.Cost{Gas: 90, Gwei: 20, At: time.Now()})
	require.True(t, take(b, 1, 21).NoGwei)
	left = take(b, 80, 15)
	require.Zero(t, left.Wait)
	require.Equal(t, []uint64{10, 5}, []uint64{left.Gas, left.Gwei})

	quota = score.Quota{Gwei: 50} // alone
	require.True(t, take(a, 1000, 21).NoGwei, "another budget is no reason to forget")
	require.Zero(t, take(a, 1000, 0).Wait)
}

// TestEtherThatPassedWithoutAnAnswer is counted once, whether Redis carried the takes out or not: those of gas and
// ether fail apart.
func TestEtherThatPassedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	fresh.Today()
	url := fresh.Redis(t).URL
	quota := score.Quota{Gas: 100, Gwei: 100}
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		key, plan := kind.String(), fault.NewPlan(fault.Always(kind))
		l := broken(t, url, plan)
		take := func(gas, gwei uint64) score.Left {
			return l.Take(t.Context(), key, quota, score.Cost{Gas: gas, Gwei: gwei})
		}
		left := take(10, 60)
		require.Zero(t, left.Wait)
		require.Equal(t, []uint64{90, 40}, []uint64{left.Gas, left.Gwei})
		require.True(t, take(10, 60).NoGwei, "by its own count")
		plan.Set(nil)
		left = take(0, 0)
		require.Equal(t, []uint64{90, 40}, []uint64{left.Gas, left.Gwei})
		other, _ := newLimiter(t, url)
		left = other.Take(t.Context(), key, quota, score.Cost{Gas: 10, Gwei: 41})
		require.True(t, left.NoGwei, "other replicas know it")
	})
}
