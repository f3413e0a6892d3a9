package lane_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/lane"
)

const ether = 1e18

func weiOf(eth float64) *big.Int {
	wei, _ := new(big.Float).Mul(big.NewFloat(eth), big.NewFloat(ether)).Int(nil)
	return wei
}

// TestAForecastIsTheBalanceOverTheRateAtWhichItFell, once that was seen for five minutes.
func TestAForecastIsTheBalanceOverTheRateAtWhichItFell(t *testing.T) {
	t.Parallel()
	var f lane.Forecast
	began, balance := time.Unix(1_800_000_000, 0), 10.0
	_, known := f.Lasts()
	require.False(t, known, "nothing was seen")
	see := func(minutes int, perMinute float64) {
		for range minutes {
			began, balance = began.Add(time.Minute), balance-perMinute
			f.See(weiOf(balance), began)
		}
	}
	f.See(weiOf(balance), began)
	see(4, 0.001)
	_, known = f.Lasts()
	require.False(t, known, "not for long enough")
	see(1, 0.001)
	lasts, known := f.Lasts()
	require.True(t, known)
	require.InEpsilon(t, balance/0.001*60, lasts, 1e-6)
	rate, _ := f.Rate()
	require.InEpsilon(t, 0.001*ether/60, rate, 1e-6)

	balance += 5 // paid in: it is not spent, and hides what is spent in that minute
	see(1, 0.001)
	after, _ := f.Lasts()
	require.Greater(t, after, balance/0.001*60)
	require.Less(t, after, 1.3*balance/0.001*60)

	see(240, 0.002) // four hours later only the new rate counts
	lasts, _ = f.Lasts()
	require.InEpsilon(t, balance/0.002*60, lasts, 0.02)
	see(24*60, 0)
	lasts, _ = f.Lasts()
	require.Greater(t, lasts, 1e6*60*60, "an idle lane's balance lasts")

	f.See(new(big.Int), began.Add(time.Second))
	lasts, known = f.Lasts()
	require.Equal(t, []any{0.0, true}, []any{lasts, known})
}

func TestAForecastOfASignerThatSpendsNothingIsInfinite(t *testing.T) {
	t.Parallel()
	var f lane.Forecast
	at := time.Unix(1_800_000_000, 0)
	f.See(weiOf(1), at)
	f.See(weiOf(1), at.Add(-time.Hour)) // a clock that was set back
	f.See(weiOf(1), at.Add(time.Hour))
	lasts, known := f.Lasts()
	require.True(t, known)
	require.True(t, math.IsInf(lasts, 1))
}

// TestAForecastDoesNotDependOnHowOftenABalanceIsSeen, while it falls evenly.
func TestAForecastDoesNotDependOnHowOftenABalanceIsSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var f lane.Forecast
		at, seconds := time.Unix(1_800_000_000, 0), 0
		f.See(weiOf(1000), at)
		for range rapid.IntRange(1, 50).Draw(t, "looks") {
			seconds += rapid.IntRange(300, 20_000).Draw(t, "pause")
			f.See(new(big.Int).Sub(weiOf(1000), big.NewInt(int64(seconds)*1e12)), at.Add(time.Duration(seconds)*time.Second))
		}
		rate, known := f.Rate()
		require.True(t, known)
		require.InEpsilon(t, 1e12, rate, 1e-3)
	})
}
