package httpapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/httpapi"
)

// TestWhatIsInProgressSaysHowLongToWait: requests that took long make the next ones wait long, and few fast ones do not.
func TestWhatIsInProgressSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Second, httpapi.WaitAfter(), "nothing is known")
	require.Equal(t, time.Second, httpapi.WaitAfter(time.Millisecond))
	require.Equal(t, 7*time.Second, httpapi.WaitAfter(7*time.Second))
	require.Equal(t, time.Minute, httpapi.WaitAfter(time.Hour))
	slow := make([]time.Duration, 100)
	for i := range slow[1:] {
		slow[1+i] = 10 * time.Second
	}
	slow[0] = time.Millisecond
	require.InDelta(t, 10, httpapi.WaitAfter(slow...).Seconds(), 0.1)
	require.Less(t, httpapi.WaitAfter(append(slow, time.Millisecond)...), 10*time.Second)
}

// TestACallerWaitsAsLongAsPostsTake: the second post that could not be stored is told what the first one took.
func TestACallerWaitsAsLongAsPostsTake(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.AcceptTimeout, s.faults = 1100*time.Millisecond, true })
	b.publisher.Set(fault.Always(fault.Failed))
	first := b.post("/create-project", createBody(b.project))
	require.Equal(t, "not_durable", first.code(), first)
	require.Equal(t, 1, retryAfter(t, first))
	second := b.post("/create-project", createBody(b.project))
	require.Equal(t, "not_durable", second.code(), second)
	require.GreaterOrEqual(t, retryAfter(t, second), 2)
}
