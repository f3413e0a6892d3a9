package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestTrail: however a trail grew, it is short, descending, keeps its oldest block, and has no gap that is much larger than
// the distance to its newer end.
func TestTrail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var trail evidence.Trail
		number := rapid.Uint64Range(0, 1000).Draw(t, "first")
		oldest, step := number, uint64(0)
		for range rapid.IntRange(1, 400).Draw(t, "blocks") {
			step = rapid.Uint64Range(1, 100).Draw(t, "step")
			trail = trail.With(evidence.Ref{Number: number})
			number += step
		}
		require.LessOrEqual(t, len(trail), 64)
		require.Equal(t, number-step, trail[0].Number)
		require.Equal(t, oldest, trail[len(trail)-1].Number)
		for i := 1; i < len(trail); i++ {
			require.Less(t, trail[i].Number, trail[i-1].Number)
			near, far := trail[0].Number-trail[i-1].Number, trail[0].Number-trail[i].Number
			require.LessOrEqual(t, far, 2*near+200)
		}
	})
	trail := evidence.Trail{{Number: 9}, {Number: 7}, {Number: 2}}
	require.Equal(t, trail[1:], trail.Below(9))
	require.Equal(t, trail, trail.Below(10))
	require.Empty(t, trail.Below(2))
}
