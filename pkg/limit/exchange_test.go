package limit_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/score"
)

var scriptCalls = regexp.MustCompile(`cmdstat_eval(?:sha)?:calls=(\d+)`)

// TestTakesOfManyKeysShareCalls: what many keys take at the same time is taken by one call, and each gets exactly what it has, also
// when Redis forgets the script meanwhile: what was taken is not taken again.
func TestTakesOfManyKeysShareCalls(t *testing.T) {
	t.Parallel()
	fresh.Today()
	server := fresh.Redis(t)
	client := open(t, server.URL)
	client.Timeout = time.Minute
	var begun sync.WaitGroup // all takes: exchanges wait for them
	client.AddHook(exchanges{Plan: fault.NewPlan(func(string, int) fault.Kind { begun.Wait(); return fault.None })})
	l, _ := limiterOn(client)
	require.Zero(t, l.Take(t.Context(), "none", score.QuotaOf(1, 1), score.Cost{}).Wait, "Redis has the script")
	draw := testrand.New(t)

	const keys, each, gas = 40, 50, 1_000_000
	var wg sync.WaitGroup
	var mu sync.Mutex
	units, burnt := map[string]int{}, map[string]uint64{}
	flushed, began := make(chan struct{}), time.Now()
	begun.Add(keys * each)
	for k := range keys {
		key := fmt.Sprint("key ", k)
		quota := score.QuotaOf(1, 256) // which gives one unit back while this runs, or a few
		quota.Gas = gas
		for range each {
			cost := score.Cost{Units: 1 + draw.IntN(20), Gas: uint64(draw.IntN(gas / 20))}
			wg.Go(func() {
				begun.Done()
				if cost.Units == 7 {
					<-flushed
				}
				left := l.Take(t.Context(), key, quota, cost)
				if left.Wait == 0 {
					mu.Lock()
					units[key] += cost.Units
					burnt[key] += cost.Gas
					mu.Unlock()
				}
			})
		}
	}
	require.NoError(t, client.ScriptFlush(t.Context()).Err())
	close(flushed)
	wg.Wait()
	for k := range keys {
		key := fmt.Sprint("key ", k)
		left := l.Take(t.Context(), key, score.Quota{PerSecond: 1, Burst: 256, Gas: gas}, score.Cost{})
		require.Equal(t, uint64(gas)-burnt[key], left.Gas, "%s: gas is counted once", key)
		require.GreaterOrEqual(t, left.Units, 256-units[key], key)
		require.LessOrEqual(t, float64(left.Units-256+units[key]), time.Since(began).Seconds()+1, key)
	}
	text, _ := client.Info(t.Context(), "commandstats").Result()
	calls := 0
	for _, found := range scriptCalls.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(found[1])
		calls += n
	}
	t.Logf("%d script calls for %d requests", calls, keys*(each+1))
	require.Less(t, calls, keys*each/4+keys) // the embedded Redis counts none
}

// TestWhatIsNoCountBeginsAgain: other types and texts where a limit's values should be refuse no caller for long and let no more through than
// a Redis that was flushed; what this replica let through is still counted, and an operator is told.
func TestWhatIsNoCountBeginsAgain(t *testing.T) {
	t.Parallel()
	fresh.Today()
	client := open(t, fresh.Redis(t).URL)
	client.Timeout = 5 * time.Second
	var said bytes.Buffer
	reg := prometheus.NewRegistry()
	l := limit.New(client, "test:", slog.New(slog.NewTextHandler(&said, nil)), reg)
	quota, ctx := score.Quota{PerSecond: 10, Burst: 10, Gas: 1000}, t.Context()
	rate := "test:{a}"
	gas := rate + ":" + strconv.FormatInt(time.Now().Unix()/86400, 10)
	for n, spoil := range []func() error{
		func() error { return client.Set(ctx, rate, "garbage", 0).Err() },
		func() error { return client.Set(ctx, rate, "nan", 0).Err() },
		func() error { return client.Set(ctx, rate, "-1e300", 0).Err() },
		func() error { return client.Set(ctx, rate, "1e300", 0).Err() },
		func() error { return client.Set(ctx, rate, "", 0).Err() },
		func() error { client.Del(ctx, rate); return client.HSet(ctx, rate, "a", "b").Err() },
		func() error { client.Del(ctx, rate); return client.LPush(ctx, rate, "b").Err() },
		func() error { return client.HSet(ctx, gas, "other", "garbage").Err() },
		func() error { return client.HSet(ctx, gas, "other", "inf").Err() },
		func() error { return client.HSet(ctx, gas, "other", "-500").Err() },
		func() error { return client.Set(ctx, gas, "garbage", 0).Err() },
		func() error { client.Del(ctx, gas); return client.SAdd(ctx, gas, "b").Err() },
	} {
		require.NoError(t, spoil())
		said.Reset()
		left := l.Take(ctx, "a", quota, score.Cost{Units: 0, Gas: 10})
		require.Zero(t, left.Wait, n)
		require.Equal(t, uint64(1000-10*(n+1)), left.Gas, "what passed here is counted, %d", n)
		require.Contains(t, said.String(), "Does another program write to this Redis?", n)
		require.EqualValues(t, n+1, unreadable(t, reg))

		said.Reset()
		require.Zero(t, l.Take(ctx, "a", quota, score.Cost{}).Wait)
		require.Empty(t, said.String(), "it is told once, %d", n)
	}
	require.Zero(t, unanswered(t, reg))
}

// TestOneKeysNumbersLiftNoOtherKeysLimit: the largest that can be read, of which the sum is more than is counted, stand at one of two keys
// that are asked about together.
func TestOneKeysNumbersLiftNoOtherKeysLimit(t *testing.T) {
	t.Parallel()
	fresh.Today()
	url := fresh.Redis(t).URL
	const most = "9007199254740991"
	require.NoError(t, open(t, url).HSet(t.Context(), "test:{bad}:"+strconv.FormatInt(time.Now().Unix()/86400, 10), "a", most, "b", most).Err())
	quota := score.Quota{Gas: 1000}
	first, _ := newLimiter(t, url)
	require.Zero(t, first.Take(t.Context(), "good", quota, score.Cost{Gas: 1000}).Wait)

	l, reg := newLimiter(t, url) // which knows of the spent budget by Redis only
	var all sync.WaitGroup
	for i := range 256 {
		all.Go(func() {
			if left := l.Take(t.Context(), []string{"bad", "good"}[i%2], quota, score.Cost{Gas: 10}); !left.NoGas || left.Gas > 0 {
				t.Errorf("%d: %+v", i, left)
			}
		})
	}
	all.Wait()
	require.Zero(t, unanswered(t, reg))
}

// TestGasIsCountedOnceWhereAnExchangeFails, while the key's next request waits for it already: whether Redis has what it did not answer,
// or not.
func TestGasIsCountedOnceWhereAnExchangeFails(t *testing.T) {
	t.Parallel()
	fresh.Today()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		url := fresh.Redis(t).URL
		plan, fails, release := fault.NewPlan(nil), make(chan struct{}), make(chan struct{})
		l := broken(t, url, plan)
		other, _ := newLimiter(t, url)
		quota := score.Quota{PerSecond: 1, Burst: 100_000, Gas: 100}
		take := func(gas uint64) score.Left {
			return l.Take(t.Context(), "a", quota, score.Cost{Units: 25_000, Gas: gas})
		}
		require.Zero(t, l.Take(t.Context(), "b", quota, score.Cost{}).Wait, "Redis has the script")

		plan.Set(fault.First(1, kind))
		plan.After(func() { close(fails); <-release })
		first, second := make(chan score.Left, 1), make(chan score.Left, 1)
		go func() { first <- take(40) }()
		<-fails
		go func() { second <- take(30) }()
		admitted := func() bool { // a refusal shows what the replica knows
			return l.Take(t.Context(), "a", quota, score.Cost{Units: quota.Burst + 1}).Units < 60_000
		}
		require.Eventually(t, admitted, time.Minute, time.Millisecond)
		close(release)
		require.Zero(t, (<-first).Wait)
		require.Zero(t, (<-second).Wait)
		for _, replica := range []*limit.Limiter{l, other} {
			require.EqualValues(t, 30, replica.Take(t.Context(), "a", score.Quota{Gas: 100}, score.Cost{}).Gas)
		}
	})
}
