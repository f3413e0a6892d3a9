package retry_test

import (
	"context"
	"errors"
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
