package limit_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
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
	devnet.Today()
	server := devnet.Redis(t)
	a, _ := newLimiter(t, server.URL)
	plan := &fault.Plan{}
	b := broken(t, server.URL, plan)
	count := func(n uint64, err error) uint64 {
		t.Helper()
		require.NoError(t, err)
		return n
	}
	require.EqualValues(t, 10, count(a.Distinct(t.Context(), "one", names(0, 10))))
	require.EqualValues(t, 15, count(b.Distinct(t.Context(), "one", names(5, 15))))
	require.EqualValues(t, 15, count(a.Distinct(t.Context(), "one", names(0, 15))))
	require.EqualValues(t, 1, count(a.Distinct(t.Context(), "another", names(0, 1))))

	plan.Set(fault.First(1, fault.Persisted))
	_, err := b.Distinct(t.Context(), "one", names(15, 20))
	require.ErrorIs(t, err, fault.Err)
	require.EqualValues(t, 20, count(b.Distinct(t.Context(), "one", names(15, 20))))
	for from := 0; from < 100_000; from += 1000 {
		_, err := a.Distinct(t.Context(), "many", names(from, from+1000))
		require.NoError(t, err)
	}
	require.InEpsilon(t, 100_000, count(a.Distinct(t.Context(), "many", names(0, 1))), 0.03)

	require.NoError(t, open(t, server.URL).FlushAll(t.Context()).Err())
	require.EqualValues(t, 1, count(a.Distinct(t.Context(), "one", names(0, 1))))

	l, _ := newLimiter(t, nowhere)
	began := time.Now()
	_, err = l.Distinct(t.Context(), "one", names(0, 1))
	require.Error(t, err)
	require.Less(t, time.Since(began), time.Minute)
}
