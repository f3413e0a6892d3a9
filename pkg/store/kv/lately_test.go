package kv

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLately is of the last minute, however long the replica runs and however seldom it is asked.
func TestLately(t *testing.T) {
	t.Parallel()
	var w Window
	now := time.Unix(1_000_000, 0)
	require.Nil(t, w.Add(now, Counts{Accepted: 1_000}))
	for range 100 { // ten a second
		now = now.Add(2 * time.Second)
		w.Add(now, Counts{Accepted: 1_000 + 10*uint64(now.Unix()-1_000_000)})
	}
	lately := w.Add(now.Add(time.Second), Counts{Accepted: 4_010, Final: 4, Gas: 100_000})
	require.InDelta(t, 60, lately.Seconds, 2)
	require.InDelta(t, 10, float64(lately.Accepted-1_000)/lately.Seconds, 1)
	require.Equal(t, uint64(4), lately.Final)
	require.Equal(t, uint64(100_000), lately.Gas)
	lately = w.Add(now.Add(time.Hour), Counts{Accepted: 4_010, Final: 4, Gas: 100_000})
	require.Greater(t, lately.Seconds, 3_000.0, "a process that was suspended")
}
