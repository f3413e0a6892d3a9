package limit_test

import (
	"encoding/binary"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/limit"
)

// names are those from a number to another.
func names(from, to int) (names [][]byte) {
	for n := from; n < to; n++ {
		names = append(names, binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	return names
}

// TestDifferentNamesAreCountedOnce by all replicas, for each key, also where a call fails though Redis carried it out; a flush forgets them.
func TestDifferentNamesAreCountedOnce(t *testing.T) {
	t.Parallel()
	fresh.Today()
	server := fresh.Redis(t)
	a, _ := newLimiter(t, server.URL)
	plan := &fault.Plan{}
	b := broken(t, server.URL, plan)
	adds := func(l *limit.Limiter, key string, most uint64, names [][]byte) bool {
		t.Helper()
		added, err := l.Distinct(t.Context(), key, most, names)
		require.NoError(t, err)
		return added
	}
	require.True(t, adds(a, "one", 15, names(0, 10)))
	require.True(t, adds(b, "one", 15, names(5, 15)))
	require.False(t, adds(a, "one", 15, names(15, 40)), "it has 15")
	require.True(t, adds(a, "one", 16, names(0, 16)), "what was refused is not in it")
	require.False(t, adds(b, "one", 16, names(0, 1)))
	require.True(t, adds(a, "another", 1, names(0, 1)))

	plan.Set(fault.First(1, fault.Persisted))
	_, err := b.Distinct(t.Context(), "one", 20, names(16, 20))
	require.ErrorIs(t, err, fault.Err)
	require.False(t, adds(b, "one", 20, names(20, 21)), "the lost answer was carried out")

	var calls sync.WaitGroup // of many posts at once
	for from := 0; from < 100_000; from += 500 {
		calls.Go(func() { adds(a, "many", 1_000_000, names(from, from+500)) })
	}
	calls.Wait()
	require.False(t, adds(a, "many", 97_000, names(0, 1)))
	require.True(t, adds(a, "many", 103_000, names(0, 1)))

	require.NoError(t, open(t, server.URL).FlushAll(t.Context()).Err())
	require.True(t, adds(a, "one", 1, names(0, 1)))

	l, _ := newLimiter(t, nowhere)
	_, err = l.Distinct(t.Context(), "one", 1, names(0, 1))
	require.Error(t, err)
}
