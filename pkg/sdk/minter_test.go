package sdk

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

func counterOf(id score.UpdateID) uint64 { return uint64(binary.BigEndian.Uint32(id[prefixSize:])) }

// TestAMinterNeverRepeats mixes single ids and ranges, from anywhere in the counter's way.
func TestAMinterNeverRepeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := NewMinter()
		m.next = rapid.OneOf(
			rapid.Just(uint64(0)), rapid.Uint64Range(0, counters), rapid.Uint64Range(counters-3*wordIDs, counters),
		).Draw(t, "next")
		seen := map[score.UpdateID]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			n := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(1, 3*wordIDs)).Draw(t, "n")
			if n == 0 {
				id := m.Next()
				require.False(t, seen[id], id)
				seen[id] = true
				continue
			}
			ids, err := m.Range(n)
			require.NoError(t, err)
			first := ids.First
			require.Equal(t, n, ids.Count)
			touched := map[score.Word]bool{}
			for id := range ids.All() {
				require.False(t, seen[id], id)
				require.Equal(t, first[:prefixSize], id[:prefixSize], "a range has one prefix")
				seen[id], touched[id.Word()] = true, true
			}
			require.Len(t, touched, (n+wordIDs-1)/wordIDs, "a range touches as few words as it can")
			require.LessOrEqual(t, counterOf(first)+uint64(n), uint64(counters), "the counter does not overflow")
		}
	})
}

func TestIDsCountUp(t *testing.T) {
	t.Parallel()
	m := NewMinter()
	first := m.Next()
	for n := uint64(1); n < 1000; n++ {
		id := m.Next()
		require.Equal(t, first[:prefixSize], id[:prefixSize])
		require.Equal(t, n, counterOf(id))
	}
	m.next = math.MaxUint32
	last := m.Next()
	require.EqualValues(t, math.MaxUint32, counterOf(last))
	next := m.Next()
	require.Zero(t, counterOf(next), "a used-up prefix is followed by a new one")
	require.NotEqual(t, last[:prefixSize], next[:prefixSize])
	require.NotEqual(t, first[:prefixSize], NewMinter().prefix[:], "every minter has a prefix of its own")
}

func TestSmallRangesShareAWord(t *testing.T) {
	t.Parallel()
	m := NewMinter()
	for _, want := range []struct {
		n  int
		at uint64
	}{{100, 0}, {100, 100}, {100, 256}, {156, 356}, {1, 512}, {MaxRange, 768}, {256, 66304}} {
		r, err := m.Range(want.n)
		require.NoError(t, err)
		require.Equal(t, want.at, counterOf(r.First))
	}
}

func TestRangesHaveBounds(t *testing.T) {
	t.Parallel()
	m := NewMinter()
	for _, n := range []int{math.MinInt, -1, 0, MaxRange + 1, math.MaxInt} {
		_, err := m.Range(n)
		require.Error(t, err)
	}
	require.Zero(t, m.next, "what failed reserved nothing")
	require.Empty(t, slices.Collect(IDRange{}.All()))
	r := IDRange{Count: 2}
	require.Equal(t, score.UpdateID{31: 1}, r.At(1))
	require.Panics(t, func() { r.At(2) })
	require.Panics(t, func() { r.At(-1) })
	for range r.All() {
		break // an iteration may end early
	}
}

func TestAMinterServesManyAtOnce(t *testing.T) {
	t.Parallel()
	m := NewMinter()
	m.next = counters - 1000 // some will see the prefix change
	const callers, each = 8, 300
	ids := make([][]score.UpdateID, callers)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				if i%10 == 0 {
					r, err := m.Range(10)
					if err != nil {
						panic(err)
					}
					ids[c] = slices.AppendSeq(ids[c], r.All())
				} else {
					ids[c] = append(ids[c], m.Next())
				}
			}
		})
	}
	wg.Wait()
	seen := map[score.UpdateID]bool{}
	for _, id := range slices.Concat(ids...) {
		require.False(t, seen[id], id)
		seen[id] = true
	}
	require.Len(t, seen, callers*each/10*19)
}
