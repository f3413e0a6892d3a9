package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBatchesGrowWithWhatTheyLeaveOver: by what they use they fill a block as before, and by their limits no fewer than five.
func TestBatchesGrowWithWhatTheyLeaveOver(t *testing.T) {
	t.Parallel()
	for percent, want := range map[uint64]uint64{100: 10, 90: 9, 80: 8, 50: 5, 30: 5, 8: 5} {
		f := newFill()
		require.EqualValues(t, batchesPerBlock, f.plan(), "before anything is known")
		for range 100 {
			f.learn(percent, 100)
		}
		require.Equal(t, want, f.plan(), "%d %%", percent)
	}
	f := newFill()
	f.learn(300, 100)
	require.LessOrEqual(t, f.plan(), uint64(batchesPerBlock), "an endpoint lies")
}

// TestBatchesFillABlockByWhatTheyUse, in whole numbers: but for the fifth that the largest ask for.
func TestBatchesFillABlockByWhatTheyUse(t *testing.T) {
	t.Parallel()
	for _, block := range []uint64{9_000_000, 30_000_000, 60_000_000, 300_000_000} {
		for _, used := range []uint64{20, 30, 50, 80, 86, 90, 95, 99, 100} {
			f := newFill()
			for range 100 {
				f.learn(used, 100)
			}
			gas, full := batchGas(block, 1<<24, f.plan()), uint64(0)
			for full+gas <= block {
				full += gas * used / 100
			}
			least := uint64(890)
			if used < 80 {
				least = 830
			}
			require.GreaterOrEqual(t, full*1000/block, least, "blocks of %d filled by batches that use %d %%", block, used)
		}
	}
}

// TestFillDoesNotSwing: batches that use now a little more, now a little less, are not planned again each time.
func TestFillDoesNotSwing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, middle := newFill(), rapid.Uint64Range(25, 95).Draw(t, "percent")
		for range 100 {
			f.learn(middle, 100)
		}
		before, changes := f.plan(), 0
		for range 200 {
			f.learn(rapid.Uint64Range(middle-2, middle+2).Draw(t, "used"), 100)
			if now := f.plan(); now != before {
				before, changes = now, changes+1
			}
		}
		require.LessOrEqual(t, changes, 1)
	})
}
