package txpool_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/txpool"
)

// TestJoinRanksEveryClass: a class that is not ranked would be lost.
func TestJoinRanksEveryClass(t *testing.T) {
	t.Parallel()
	for class := txpool.Unknown; class <= txpool.Timeout; class++ {
		words := errors.New(class.String())
		for _, delivered := range []bool{true, false} {
			joined := txpool.Join([]txpool.Answer{{Class: class, Delivered: delivered, Err: words}})
			require.Equal(t, class, joined.Class)
			if class.Taken() {
				require.NoError(t, joined.Err)
			} else {
				require.Equal(t, words, joined.Err)
			}
		}
	}
}

// TestJoinPrefersTheCautiousAnswer of each pair of classes: taken before ambiguous before refused, in any order of the nodes.
func TestJoinPrefersTheCautiousAnswer(t *testing.T) {
	t.Parallel()
	weight := func(c txpool.Class) int {
		switch {
		case c.Taken():
			return 2
		case c.Ambiguous():
			return 1
		default:
			return 0
		}
	}
	for a := txpool.Unknown; a <= txpool.Timeout; a++ {
		for b := txpool.Unknown; b <= txpool.Timeout; b++ {
			first, second := txpool.Answer{Class: a, Delivered: true}, txpool.Answer{Class: b, Delivered: true}
			joined := txpool.Join([]txpool.Answer{first, second})
			require.Equal(t, max(weight(a), weight(b)), weight(joined.Class), "%s and %s", a, b)
			require.Equal(t, joined.Class, txpool.Join([]txpool.Answer{second, first}).Class, "%s and %s", a, b)
		}
	}
}

// TestJoinHearsWhoWasReached: what a node says that the bytes cannot have reached counts only where they reached none.
func TestJoinHearsWhoWasReached(t *testing.T) {
	t.Parallel()
	refused := errors.New("fee too low")
	away, low := txpool.Answer{Class: txpool.NodeDown, Err: errors.New("connection refused")}, txpool.Answer{Class: txpool.FeeLow, Delivered: true, Err: refused}
	require.Equal(t, txpool.Result{Class: txpool.FeeLow, Err: refused}, txpool.Join([]txpool.Answer{away, low}))
	require.Equal(t, txpool.NodeDown, txpool.Join([]txpool.Answer{away, away}).Class)
	none := txpool.Join(nil)
	require.Equal(t, txpool.Unknown, none.Class)
	require.Error(t, none.Err)
}

// TestJoinKeepsTheRefusalBesideWhatLeavesItOpen.
func TestJoinKeepsTheRefusalBesideWhatLeavesItOpen(t *testing.T) {
	t.Parallel()
	reader := txpool.Answer{Class: txpool.Unknown, Delivered: true, Err: errors.New("method not whitelisted")}
	low, big := txpool.Answer{Class: txpool.FeeLow, Delivered: true}, txpool.Answer{Class: txpool.TooBig, Delivered: true}
	for _, answers := range [][]txpool.Answer{{reader, big, low}, {low, reader, big}} {
		joined := txpool.Join(answers)
		require.Equal(t, txpool.Unknown, joined.Class)
		require.Equal(t, txpool.FeeLow, joined.Refused)
		require.Equal(t, reader.Err, joined.Err)
	}
	big.Delivered = false
	require.Equal(t, txpool.Unknown, txpool.Join([]txpool.Answer{reader, big}).Refused, "it does not have the bytes")
	require.Equal(t, txpool.Unknown, txpool.Join([]txpool.Answer{reader}).Refused)
}

// TestJoinKeepsTheRefusalOfWhatIsInTheTransaction beside one that speaks of its nonce.
func TestJoinKeepsTheRefusalOfWhatIsInTheTransaction(t *testing.T) {
	t.Parallel()
	low := txpool.Answer{Class: txpool.FeeLow, Delivered: true, MinTip: 25}
	for _, class := range []txpool.Class{txpool.NonceLow, txpool.NonceHigh, txpool.ReplacementUnderpriced, txpool.Delegated} {
		joined := txpool.Join([]txpool.Answer{low, {Class: class, Delivered: true}})
		require.Equal(t, txpool.Result{Class: class, Refused: txpool.FeeLow, MinTip: 25}, joined)
		require.Equal(t, txpool.Unknown, txpool.Join([]txpool.Answer{{Class: class, Delivered: true}, {Class: txpool.NonceLow, Delivered: true}}).Refused)
	}
}

// TestJoinTakesTheLowestTipThatAllNodesName: it suffices that one takes it, and one alone that names much is not believed.
func TestJoinTakesTheLowestTipThatAllNodesName(t *testing.T) {
	t.Parallel()
	low := func(tip uint64) txpool.Answer {
		return txpool.Answer{Class: txpool.FeeLow, Delivered: true, MinTip: tip}
	}
	require.EqualValues(t, 25, txpool.Join([]txpool.Answer{low(30), low(25)}).MinTip)
	require.Zero(t, txpool.Join([]txpool.Answer{low(30), low(0)}).MinTip)
	require.Zero(t, txpool.Join([]txpool.Answer{low(0)}).MinTip)
}
