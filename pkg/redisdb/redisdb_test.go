package redisdb_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/redisdb"
)

func open(t *testing.T, url string) *redisdb.Client {
	t.Helper()
	client, err := redisdb.Open(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout, client.Pause = time.Minute, time.Hour
	return client
}

func ping(ctx context.Context, client *redisdb.Client) error {
	return client.Call(ctx, func(ctx context.Context) error { return client.Ping(ctx).Err() })
}

// TestADeadRedisSlowsNoCallDown: a server that takes connections and never answers.
func TestADeadRedisSlowsNoCallDown(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	client := open(t, "redis://"+listener.Addr().String()+"/0")

	client.Timeout, client.Pause = 200*time.Millisecond, time.Hour
	calls := 0
	call := func() error {
		return client.Call(t.Context(), func(ctx context.Context) error {
			calls++
			until, ends := ctx.Deadline()
			require.True(t, ends)
			require.LessOrEqual(t, time.Until(until), client.Timeout)
			err := client.Ping(ctx).Err()
			require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded, "it waits as long as it may, and then no longer")
			return err
		})
	}
	err = call()
	require.Error(t, err)
	require.NotErrorIs(t, err, redisdb.ErrDown)
	for range 1000 {
		require.ErrorIs(t, call(), redisdb.ErrDown)
	}
	require.Equal(t, 1, calls, "the others fail at once")
}

func TestCallsAreMadeAgainAfterThePause(t *testing.T) {
	t.Parallel()
	client := open(t, fresh.Redis(t).URL)
	client.Pause = 50 * time.Millisecond
	failed := errors.New("failed")
	require.ErrorIs(t, client.Call(t.Context(), func(context.Context) error { return failed }), failed)
	require.ErrorIs(t, ping(t.Context(), client), redisdb.ErrDown)
	require.Eventually(t, func() bool { return ping(t.Context(), client) == nil }, time.Minute, 5*time.Millisecond)
}

// TestWhatSaysNothingAboutRedis: a caller that gives up, and data that is not as expected.
func TestWhatSaysNothingAboutRedis(t *testing.T) {
	t.Parallel()
	client := open(t, fresh.Redis(t).URL)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("gone"))
	require.Error(t, ping(ctx, client))
	require.NoError(t, ping(t.Context(), client))
	require.Error(t, client.Call(t.Context(), func(context.Context) error { return redisdb.BadData("a %s", "record") }))
	require.NoError(t, ping(t.Context(), client))
}

// TestAScriptThatFailsByItself says that Redis answers; one that Redis refuses does not.
func TestAScriptThatFailsByItself(t *testing.T) {
	t.Parallel()
	client := open(t, fresh.Redis(t).URL)
	eval := func(script string) error {
		return client.Call(t.Context(), func(ctx context.Context) error { return client.Eval(ctx, script, nil).Err() })
	}
	for _, script := range []string{"return nil + 1", "return redis.call('GET')", "return unpack({}, 1, 10000)"} {
		require.ErrorContains(t, eval(script), "ERR ")
		require.NoError(t, ping(t.Context(), client))
	}
	require.Error(t, eval("return redis.error_reply('LOADING')"))
	require.ErrorIs(t, ping(t.Context(), client), redisdb.ErrDown)
}

// TestWhatRedisRefusesIsKept in its own words; what it did not answer is no refusal.
func TestWhatRedisRefusesIsKept(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	client := open(t, fresh.Redis(t).URL)
	var log strings.Builder
	client.Pause, client.Log = 0, slog.New(slog.NewTextHandler(&log, nil))
	require.Error(t, client.Call(t.Context(), func(context.Context) error { return errors.New("EOF") }))
	require.Empty(t, client.Refused())
	for range 3 {
		require.Error(t, client.Call(t.Context(), func(ctx context.Context) error { return client.Do(ctx, "nonsense").Err() }))
	}
	require.Contains(t, client.Refused(), "ERR unknown command")
	require.Equal(t, 1, strings.Count(log.String(), "Redis refused a call"))
	require.Contains(t, log.String(), "ERR unknown command")

	stranger := open(t, strings.Replace(fresh.Redis(t).URL, "redis://", "redis://stranger:password@", 1))
	require.Error(t, ping(t.Context(), stranger))
	require.Contains(t, stranger.Refused(), "WRONGPASS", "at the first words of a connection, too")
	require.ErrorContains(t, ping(t.Context(), stranger), "WRONGPASS", "what is not asked again has the cause")
}

func TestABadURLIsRefused(t *testing.T) {
	t.Parallel()
	_, err := redisdb.Open("http://localhost")
	require.Error(t, err)
}
