package limit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

var scriptCalls = regexp.MustCompile(`cmdstat_eval(?:sha)?:calls=(\d+)`)

// TestTakesOfManyKeysShareCalls: what many keys take at the same time is taken by one call, and each gets exactly what it has, also
// when Redis forgets the script meanwhile: what was taken is not taken again.
func TestTakesOfManyKeysShareCalls(t *testing.T) {
	t.Parallel()
	devnet.Today()
	server := devnet.Redis(t)
	client := open(t, server.URL)
	client.Timeout = 10 * time.Second
	l := limit.New(client, "test:", slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	draw := testrand.New(t)

	const keys, each, gas = 40, 50, 1_000_000
	var wg sync.WaitGroup
	var mu sync.Mutex
	units, burnt := map[string]int{}, map[string]uint64{}
	flushed := make(chan struct{})
	for k := range keys {
		key := fmt.Sprint("key ", k)
		quota := score.QuotaOf(1, 256) // which gives one unit back while this runs, or a few
		quota.Gas = gas
		for range each {
			cost := score.Cost{Units: 1 + draw.IntN(20), Gas: uint64(draw.IntN(gas / 20))}
			wg.Go(func() {
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
		require.InDelta(t, 256-units[key], left.Units, 30, key)
		require.GreaterOrEqual(t, left.Units, 256-units[key], key)
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
	devnet.Today()
	client := open(t, devnet.Redis(t).URL)
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
		require.EqualValues(t, n+1, countOf(t, reg, "scorelay_limit_unreadable_total"))

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
	devnet.Today()
	url := devnet.Redis(t).URL
	client, err := redisdb.Open(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	const most = "9007199254740991"
	require.NoError(t, client.HSet(t.Context(), "test:{bad}:"+strconv.FormatInt(time.Now().Unix()/86400, 10), "a", most, "b", most).Err())
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

func countOf(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	require.Fail(t, "no metric "+name)
	return 0
}

// failure fails one exchange with Redis, when it is released.
type failure struct {
	redis.Hook
	stored         bool // it fails although Redis did what it was asked
	begun, release chan struct{}
}

func (f *failure) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *failure) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (f *failure) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		select {
		case <-f.release:
			return next(ctx, cmds)
		case f.begun <- struct{}{}:
		}
		if f.stored {
			_ = next(ctx, cmds)
		}
		<-f.release
		return errors.New("the connection broke")
	}
}

// TestGasIsCountedOnceWhereAnExchangeFails, while the key's next request waits for it already: whether Redis has what it did not answer,
// or not.
func TestGasIsCountedOnceWhereAnExchangeFails(t *testing.T) {
	t.Parallel()
	devnet.Today()
	for _, stored := range []bool{false, true} {
		url := devnet.Redis(t).URL
		client := open(t, url)
		client.Timeout, client.Pause = time.Minute, 0 // the next exchange is tried at once
		l := limit.New(client, "test:", slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		other, _ := newLimiter(t, url)
		quota := score.Quota{PerSecond: 1, Burst: 100_000, Gas: 100}
		take := func(gas uint64) score.Left {
			return l.Take(t.Context(), "a", quota, score.Cost{Units: 25_000, Gas: gas})
		}
		require.Zero(t, l.Take(t.Context(), "b", quota, score.Cost{}).Wait, "Redis has the script")

		fault := &failure{stored: stored, begun: make(chan struct{}), release: make(chan struct{})}
		client.AddHook(fault)
		first, second := make(chan score.Left, 1), make(chan score.Left, 1)
		go func() { first <- take(40) }()
		<-fault.begun
		go func() { second <- take(30) }()
		admitted := func() bool { // a refusal shows what the replica knows
			return l.Take(t.Context(), "a", quota, score.Cost{Units: quota.Burst + 1}).Units < 60_000
		}
		require.Eventually(t, admitted, time.Minute, time.Millisecond)
		close(fault.release)
		require.Zero(t, (<-first).Wait)
		require.Zero(t, (<-second).Wait)
		require.EqualValues(t, 30, l.Take(t.Context(), "a", score.Quota{Gas: 100}, score.Cost{}).Gas, "stored: %t", stored)
		require.EqualValues(t, 30, other.Take(t.Context(), "a", score.Quota{Gas: 100}, score.Cost{}).Gas, "stored: %t", stored)
	}
}
