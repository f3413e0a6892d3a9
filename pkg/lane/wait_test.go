package lane_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/txpool"
)

func TestWhatStopsNewSlots(t *testing.T) {
	t.Parallel()
	poor := func(h *lane.View) { h.Account.Balance = big.NewInt(5) }
	for name, c := range map[string]struct {
		make func(*bench)
		want lane.Wait
	}{
		"funds":          {func(b *bench) { b.head(10, 0, poor) }, lane.WaitFunds},
		"refused funds":  {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, txpool.Funds) }, lane.WaitFunds},
		"reserved":       {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, txpool.Reserved) }, lane.WaitRefused},
		"invalid":        {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, txpool.Invalid) }, lane.WaitRefused},
		"node's fee cap": {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, txpool.FeeCapRPC) }, lane.WaitRefused},
		"window":         {func(b *bench) { b.head(10, 0); b.bind(); b.bind(); b.bind(); b.bind() }, lane.WaitWindow},
		"a full pool":    {func(b *bench) { b.head(10, 0); b.bind(); b.bind(); b.sent(0, txpool.Full) }, lane.WaitWindow},
		"foreign nonces": {func(b *bench) { b.head(10, 0); b.bind(); b.head(11, 2) }, lane.WaitForeign},
		"an account that was not read": {func(b *bench) {
			b.head(10, 0, func(h *lane.View) { h.Account = evidence.Account{} })
		}, lane.WaitAccount},
		"no price": {func(b *bench) { b.head(10, 0, func(h *lane.View) { h.Price = evidence.Price{} }) }, lane.WaitAccount},
		"a foreign taker": {func(b *bench) {
			b.head(10, 0)
			b.bind()
			b.thief(11, 0, common.Address{9})
			b.head(11, 1)
		}, lane.WaitForeign},
		"open slots": {func(b *bench) {
			b.head(10, 0)
			for n := range uint64(8) {
				b.bind()
				b.mined(11+n, n)
				b.head(11+n, n+1)
			}
			b.head(19, 8, func(h *lane.View) { h.Final = evidence.Ref{} })
		}, lane.WaitFinality},
		"an account as it was before": {func(b *bench) {
			b.head(10, 0)
			b.bind()
			b.settle(0, 12)
			b.head(15, 0, func(h *lane.View) { h.Account.At = ref(11) })
		}, lane.WaitNone},
		"a chain that went back": {func(b *bench) {
			b.head(10, 0)
			b.bind()
			b.settle(0, 10)
			b.head(11, 0)
		}, lane.WaitBehind},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c.make(b)
			_, wait := b.lane.Ready(100_000, 0)
			require.Equal(t, c.want, wait)
		})
	}
}

func TestTheSumOfWhatIsInFlightIsAfforded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cost := big.NewInt(100_000 * 2 * gwei)
	rich := func(h *lane.View) {
		h.Account.Balance = new(big.Int).Mul(cost, big.NewInt(2))
		h.Account.Balance.Sub(h.Account.Balance, big.NewInt(1))
	}
	b.head(10, 0, rich)
	_, wait := b.lane.Ready(100_000, 0)
	require.Equal(t, lane.WaitNone, wait)
	b.bind()
	_, wait = b.lane.Ready(100_000, 0)
	require.Equal(t, lane.WaitFunds, wait)
	b.mined(11, 0)
	b.head(11, 1, rich)
	_, wait = b.lane.Ready(100_000, 0)
	require.Equal(t, lane.WaitNone, wait, "what is in a block is paid")
}

func TestAFullPoolShrinksTheWindowAndBlocksWidenIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	b.sent(1, txpool.Full)
	b.sent(1, txpool.Full)
	require.Equal(t, lane.WaitWindow, b.lane.Blocked())
	b.mined(11, 0, 1)
	b.head(11, 2)
	b.bind()
	b.bind()
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	b.bind()
	require.Equal(t, lane.WaitWindow, b.lane.Blocked(), "1 + 2")
}

func TestAnAnswerToAnOldAttemptIsIgnored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, txpool.Added)
	old := b.lane.State.Slots[0].Last().Hash
	b.replace(only[lane.Replace](b.head(13, 0))[0])
	require.Empty(t, b.step(lane.Sent{Nonce: 0, Tx: old, Class: txpool.TooBig, Now: b.now}))
	require.Empty(t, only[lane.Replace](b.head(14, 0)))
}

// unsure sends the lowest slot for some rounds, in which an endpoint leaves it open whether it has it and another refuses it.
func (b *bench) unsure(rounds int, class, refused txpool.Class) {
	b.t.Helper()
	for range rounds {
		b.step(lane.Sent{Nonce: 0, Tx: b.lane.State.Slots[0].Last().Hash, Class: class, Refused: refused, Now: b.now})
	}
}

// TestAnEndpointThatLeavesItOpenDoesNotHideARefusalForever, such as one that only reads.
func TestAnEndpointThatLeavesItOpenDoesNotHideARefusalForever(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		class, refused txpool.Class
		tries          int
		bump           string // the reason, if any
		wait           lane.Wait
	}{
		"too cheap":                        {txpool.Unknown, txpool.FeeLow, 0, "fee_low", lane.WaitNone},
		"too cheap, and one hangs":         {txpool.Timeout, txpool.FeeLow, 0, "fee_low", lane.WaitNone},
		"too little gas":                   {txpool.NodeDown, txpool.BadGas, 0, "gas", lane.WaitRefused},
		"too big":                          {txpool.Throttled, txpool.TooBig, 0, "cancel", lane.WaitRefused},
		"too big, and it failed before":    {txpool.Throttled, txpool.TooBig, 1, "", lane.WaitRefused},
		"another chain":                    {txpool.Unknown, txpool.Invalid, 0, "", lane.WaitRefused},
		"too cheap, its nonce too high":    {txpool.NonceHigh, txpool.FeeLow, 0, "fee_low", lane.WaitNone},
		"too cheap, its nonce used":        {txpool.NonceLow, txpool.FeeLow, 0, "fee_low", lane.WaitNone},
		"unknown words alone":              {txpool.Unknown, txpool.Unknown, 0, "slow", lane.WaitRefused},
		"no answer alone is no refusal":    {txpool.Timeout, txpool.Unknown, 0, "", lane.WaitNone},
		"nor are nodes that are not there": {txpool.NodeDown, txpool.Unknown, 0, "", lane.WaitNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.head(10, 0)
			b.bind()
			b.lane.State.Slots[0].Work.Tries = c.tries
			b.unsure(5, c.class, c.refused)
			require.Equal(t, lane.WaitNone, b.lane.Blocked())
			require.Empty(t, only[lane.Replace](b.head(13, 0)), "it may be in a pool")
			b.unsure(1, c.class, c.refused)
			require.Equal(t, c.wait, b.lane.Blocked())
			bumps := only[lane.Replace](b.head(14, 0))
			if c.bump == "" {
				require.Empty(t, bumps)
				return
			}
			require.Equal(t, c.bump, bumps[0].Reason)
			b.replace(bumps[0])
			require.Equal(t, lane.WaitNone, b.lane.Blocked(), "another attempt is judged by itself")
		})
	}
}

// TestWhatAPoolTookIsNotRefusedByAnother that leaves it open.
func TestWhatAPoolTookIsNotRefusedByAnother(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, txpool.Added)
	b.unsure(20, txpool.Unknown, txpool.FeeLow)
	require.Empty(t, only[lane.Replace](b.head(11, 0)))
}

// TestWaitingGasIsOfBatches: what a later batch must ask for, so that no builder of blocks finds room for it before its turn.
func TestWaitingGasIsOfBatches(t *testing.T) {
	t.Parallel()
	slot := func(nonce uint64, kind lane.WorkKind, gas ...uint64) (s lane.Slot) {
		s.Nonce, s.Work.Kind = nonce, kind
		for _, g := range gas {
			s.Attempts = append(s.Attempts, lane.Attempt{Gas: g})
		}
		return s
	}
	require.Zero(t, lane.New(&lane.State{}, lane.Rules{}).WaitingGas())
	state := lane.State{Next: 3, Slots: []lane.Slot{slot(0, lane.Updates, 9, 5), slot(1, lane.Creation, 7), slot(2, lane.Updates, 4)}}
	require.EqualValues(t, 5, lane.New(&state, lane.Rules{}).WaitingGas(), "of their newest attempts")
}

// TestAnUpdateIsTooDearByGasOrBytes: nothing is bound until it costs less.
func TestAnUpdateIsTooDearByGasOrBytes(t *testing.T) {
	t.Parallel()
	dear := rules
	dear.Fees.MaxUpdate = 10 * lane.UsualGas
	for _, c := range []struct {
		market evidence.Price
		want   lane.Wait
	}{
		{evidence.Price{BaseFee: 8, Tip: 2}, lane.WaitNone},
		{evidence.Price{BaseFee: 8, Tip: 3}, lane.WaitCeiling},
		{evidence.Price{Legacy: true, Gas: 10, BaseFee: 99}, lane.WaitNone},
		{evidence.Price{Legacy: true, Gas: 11}, lane.WaitCeiling},
		{evidence.Price{BaseFee: 4, Tip: 1, L1Byte: 5 * lane.UsualGas / lane.UsualBytes}, lane.WaitNone},
		{evidence.Price{BaseFee: 4, Tip: 1, L1Byte: 5*lane.UsualGas/lane.UsualBytes + 1}, lane.WaitCeiling},
	} {
		dear.Fees.MinTip = 1
		b := newBench(t)
		b.lane = lane.New(b.lane.State, dear)
		b.head(10, 0, func(v *lane.View) { v.Price = c.market })
		_, wait := b.lane.Ready(100_000, 0)
		require.Equal(t, c.want, wait, "%+v", c.market)
	}
}

// TestBytesOnTheChainBelowArePartOfWhatASlotNeeds: of the new one and of those in flight.
func TestBytesOnTheChainBelowArePartOfWhatASlotNeeds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	plain := b.lane.Need(100_000, 300, lane.Fees{Cap: 1})
	l1 := func(h *lane.View) { h.Price.L1Byte = 7 }
	b.head(11, 0, l1)
	more := new(big.Int).Sub(b.lane.Need(100_000, 300, lane.Fees{Cap: 1}), plain)
	require.EqualValues(t, 7*(300+128), more.Int64())
	b.bind()
	raw := len(b.lane.State.Slots[0].Last().Raw)
	with := b.lane.Need(0, 0, lane.Fees{})
	b.head(12, 0)
	require.EqualValues(t, 7*(raw+128), new(big.Int).Sub(with, b.lane.Need(0, 0, lane.Fees{})).Int64())
}

// TestADelegatedSignerHasAWindowOfOne until it is tried again whether it still is.
func TestADelegatedSignerHasAWindowOfOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	b.sent(1, txpool.Delegated)
	require.Equal(t, lane.WaitDelegated, b.lane.Blocked())
	b.mined(11, 0, 1)
	b.head(11, 2)
	b.bind()
	require.Equal(t, lane.WaitDelegated, b.lane.Blocked(), "blocks do not widen it")
	b.mined(400, 2)
	b.head(400, 3)
	b.bind()
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
}
