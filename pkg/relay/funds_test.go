package relay_test

import (
	"log/slog"
	"math/big"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestALaneTellsHowLongItsSignersBalanceLasts: by what the account lost, in a metric and to its process, and logs once that it is not
// for long. The lane's clock is put forward.
func TestALaneTellsHowLongItsSignersBalanceLasts(t *testing.T) {
	t.Parallel()
	const low = "the balance of the lane's signer does not last for long"
	w := watch(t)
	ctx, key, price := t.Context(), w.keys[0].For(devnet.ChainID), big.NewInt(3e9)
	balance := func() *big.Int {
		b, err := w.geth.Client().BalanceAt(ctx, key.Address(), nil)
		require.NoError(t, err)
		return b
	}
	w.foreign(key, common.Address{1}, new(big.Int).Sub(balance(), big.NewInt(1e18)), price) // but for an ether
	var ahead atomic.Int64
	logged := &fresh.Log{}
	w.deps.Log = slog.New(slog.NewTextHandler(logged, nil))
	w.config.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.config.StaleAfter, w.config.BalanceAlarm = 1000*time.Hour, 1000*time.Hour // of the lane's clock
	first := balance()
	w.start(w.config, w.deps)
	w.drain()
	_, known := w.relayer.Lasts(0)
	require.False(t, known, "it was not seen for long enough")

	spend := func(first int) {
		for i := range 4 {
			ahead.Add(int64(2 * time.Minute))
			w.accept(some(1, first+20*i, 20)...)
			w.drain()
		}
	}
	before, began := balance(), w.config.Now()
	spend(0)
	lasts, known := 0.0, false
	require.Eventually(t, func() bool {
		w.mine()
		lasts, known = w.relayer.Lasts(0)
		return known && strings.Count(logged.String(), low) == 1
	}, 2*time.Minute, 10*time.Millisecond)
	now := balance()
	lastsOf := func(from *big.Int) float64 {
		left, _ := new(big.Float).SetInt(now).Float64()
		spent, _ := new(big.Float).SetInt(new(big.Int).Sub(from, now)).Float64()
		return left / spent * w.config.Now().Sub(began).Seconds()
	}
	// The first balance that the lane saw is of a block before its creation of a project, or after.
	require.Greater(t, lasts, 0.8*lastsOf(first))
	require.Less(t, lasts, 1.2*lastsOf(before))
	require.Equal(t, lasts, w.metric("balance_lasts_seconds", "0"))

	spend(80)
	require.Equal(t, 1, strings.Count(logged.String(), low), "it is logged once")
	w.foreign(admin(t), key.Address(), big.NewInt(9e18), price)
	w.foreign(admin(t), key.Address(), new(big.Int).Mul(big.NewInt(1e18), big.NewInt(1000)), price)
	require.Eventually(t, func() bool {
		w.mine()
		ahead.Add(int64(time.Second))
		lasts, _ = w.relayer.Lasts(0)
		return lasts > 1250*3600
	}, 2*time.Minute, 10*time.Millisecond, "what is paid in is seen")
	require.Equal(t, 1, strings.Count(logged.String(), low))
}

// TestABalanceThatDoesNotCoverATransactionLastsNoTime, however little was spent before.
func TestABalanceThatDoesNotCoverATransactionLastsNoTime(t *testing.T) {
	t.Parallel()
	w := watch(t)
	// All transactions pay the same price, so that the lane's does not change while the test mines: a base fee that falls, or a tip that others paid,
	// would make up for the gas.
	w.config.Rules.Fees.MinTip = 3e9
	stop := w.start(w.config, w.deps)
	w.drain()
	stop()
	key, price := w.keys[0].For(devnet.ChainID), big.NewInt(4e9)
	balance, err := w.geth.Client().BalanceAt(t.Context(), key.Address(), nil)
	require.NoError(t, err)
	// What is left covers nothing, however far the base fee falls meanwhile.
	balance.Sub(balance, new(big.Int).Mul(price, big.NewInt(21_000)))
	w.foreign(key, common.Address{1}, balance.Sub(balance, big.NewInt(1000)), price)
	w.metrics = prometheus.NewRegistry()
	w.deps.Metrics = w.metrics
	logged := &fresh.Log{}
	w.deps.Log = slog.New(slog.NewTextHandler(logged, nil))
	w.start(w.config, w.deps)
	w.waitsFor(lane.WaitFunds) // although there is nothing to do
	line := regexp.MustCompile(`level=ERROR msg="the lane's signer cannot pay for another transaction.* gas=\d+ signer=0x\w+ balance_wei=(\d+) need_wei=(\d+) block=\d+`)
	var said [][]string
	require.Eventually(t, func() bool {
		said = line.FindAllStringSubmatch(logged.String(), -1)
		return len(said) > 0
	}, 2*time.Minute, 10*time.Millisecond)
	require.Len(t, said, 1)
	is, err := w.geth.Client().BalanceAt(t.Context(), key.Address(), nil)
	require.NoError(t, err)
	require.Equal(t, is.String(), said[0][1])
	need, ok := new(big.Int).SetString(said[0][2], 10)
	require.True(t, ok)
	require.Positive(t, need.Cmp(is))
	require.Less(t, need.Cmp(new(big.Int).Mul(big.NewInt(200_000), new(big.Int).SetUint64(w.config.Rules.Fees.MaxCap))), 1, "of one update")
	idle := w.relayer.Lacks(0)
	w.accept(some(1, 0, 20)...)
	require.Eventually(t, func() bool {
		w.mine()
		lasts, known := w.relayer.Lasts(0)
		return known && lasts == 0 && w.relayer.Lacks(0).Cmp(idle) > 0 && w.metric("backlog_updates", "0") == 20
	}, 2*time.Minute, 10*time.Millisecond)
	require.Empty(t, w.states()[0].Slots, "a slot that cannot be paid is not bound")
	lacks := w.relayer.Lacks(0)
	left, err := w.geth.Client().BalanceAt(t.Context(), key.Address(), nil)
	require.NoError(t, err)
	most := new(big.Int).Mul(new(big.Int).SetUint64(w.config.Limits.MaxGas), new(big.Int).SetUint64(w.config.Rules.Fees.MaxCap))
	require.Negative(t, lacks.Cmp(new(big.Int).Sub(most, left)), "not more than a transaction can cost")
	// What it says is enough, and twice that for prices that rise with the blocks.
	w.foreign(admin(t), key.Address(), new(big.Int).Mul(lacks, big.NewInt(2)), price)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 20}, w.audit())
	_, known := w.relayer.Lasts(0)
	require.False(t, known)
	require.Zero(t, w.relayer.Lacks(0).Sign())
	_, used, fees := w.relayer.Done()
	require.InDelta(t, w.metric("gas_used_total", ""), used, 0)
	require.InDelta(t, w.metric("fees_ether_total", ""), fees, 1e-18)
	require.Positive(t, fees)
}
