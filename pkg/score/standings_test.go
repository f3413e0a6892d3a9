package score_test

import (
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

func FuzzParseCursor(f *testing.F) {
	for _, n := range []int64{0, -1, math.MaxInt64, math.MinInt64} {
		c := score.Cursor{Score: n, Wallet: common.Address{1, 19: 0xff}}
		require.Len(f, c.String(), 38)
		got, err := score.ParseCursor(c.String())
		require.NoError(f, err)
		require.Equal(f, c, got)
		f.Add(c.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := score.ParseCursor(text)
		if err != nil {
			require.ErrorIs(t, err, score.ErrCursor)
			return
		}
		require.Equal(t, text, c.String(), "one text for each cursor")
	})
}

func TestMarksHaveAnOrder(t *testing.T) {
	t.Parallel()
	ascending := []score.Mark{{}, {Count: 1}, {Block: 1}, {Block: 1, Count: 7}, {Block: 2}}
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, i < j, a.Compare(b) < 0)
			require.Equal(t, i == j, a.Compare(b) == 0)
		}
	}
}

func TestAProjectionIsRebuildingUntilItsTarget(t *testing.T) {
	t.Parallel()
	require.True(t, score.Checkpoint{}.Rebuilding())
	require.True(t, score.Checkpoint{Generation: 1, Block: 6, Target: 7}.Rebuilding())
	require.False(t, score.Checkpoint{Generation: 1, Block: 7, Target: 7}.Rebuilding())
}
