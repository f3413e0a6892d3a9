package retry_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/retry"
)

func TestSleepEndsWithTheTimeOrTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		require.NoError(t, retry.Sleep(t.Context(), time.Minute))
		require.Equal(t, time.Minute, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, retry.Sleep(ctx, time.Minute), context.DeadlineExceeded)
		require.Equal(t, time.Minute+time.Second, time.Since(began))
		require.ErrorIs(t, retry.Sleep(ctx, 0), context.DeadlineExceeded)
	})
}

func TestDoTriesUntilItWorksOrThereIsNoTryOrTimeLeft(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for _, c := range []struct {
		failures, calls int
		err             error
		took            time.Duration
	}{
		{failures: 0, calls: 1},
		{failures: 2, calls: 3, took: 2 * time.Second},
		{failures: 9, calls: 4, took: 3 * time.Second, err: failed},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, calls := time.Now(), 0
			try := func() error {
				if calls++; calls <= c.failures {
					return failed
				}
				return nil
			}
			require.ErrorIs(t, retry.Do(t.Context(), 4, time.Second, try), c.err)
			require.Equal(t, c.calls, calls)
			require.Equal(t, c.took, time.Since(began))

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			calls = 0
			require.ErrorIs(t, retry.Do(ctx, 4, time.Second, func() error { calls++; return failed }), failed)
			require.Equal(t, 1, calls)
		})
	}
}

func TestTroubleIsToldOnceAndPanicsWithTheirStackAndLongerPauses(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	trouble := retry.Trouble{Log: slog.New(slog.NewTextHandler(&said, nil)), Fails: "it fails; again", Works: "it works"}
	require.NoError(t, retry.Contained(func() error { return nil }))
	failed := errors.New("failed")
	panicked := retry.Contained(func() error { panic("planted") })
	for _, c := range []struct {
		err   error
		says  string
		pause time.Duration
	}{
		{nil, "", time.Second},
		{failed, "level=WARN msg=\"it fails; again\" err=failed\n", time.Second},
		{failed, "", time.Second},
		{nil, "level=INFO msg=\"it works\"\n", time.Second},
		{fmt.Errorf("so: %w", panicked), "level=ERROR msg=\"it fails; again\" err=\"so: a bug, it panicked: planted\" stack=\"goroutine", 2 * time.Second},
		{panicked, "retry_test.go", 4 * time.Second},
		{panicked, "stack=", 8 * time.Second},
		{failed, "level=WARN", time.Second},
		{nil, "it works", time.Second},
	} {
		said.Reset()
		trouble.Say(t.Context(), c.err)
		require.Contains(t, said.String(), c.says)
		require.Equal(t, c.says == "", said.Len() == 0)
		require.Equal(t, c.pause, trouble.Pause(time.Second))
	}
	for range 100 {
		trouble.Say(t.Context(), panicked)
	}
	require.Equal(t, 5*time.Minute, trouble.Pause(time.Second))
	require.Equal(t, time.Hour, trouble.Pause(time.Hour))
}
