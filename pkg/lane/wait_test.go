package lane_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

func TestWhatStopsNewSlots(t *testing.T) {
	t.Parallel()
	poor := func(h *lane.Head) { h.Account.Balance = big.NewInt(5) }
	for name, c := range map[string]struct {
		make func(*bench)
		want lane.Wait
	}{
		"funds":          {func(b *bench) { b.head(10, 0, poor) }, lane.WaitFunds},
		"refused funds":  {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, lane.Funds) }, lane.WaitFunds},
		"reserved":       {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, lane.Reserved) }, lane.WaitRefused},
		"invalid":        {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, lane.Invalid) }, lane.WaitRefused},
		"node's fee cap": {func(b *bench) { b.head(10, 0); b.bind(); b.sent(0, lane.FeeCapRPC) }, lane.WaitRefused},
		"window":         {func(b *bench) { b.head(10, 0); b.bind(); b.bind(); b.bind(); b.bind() }, lane.WaitWindow},
		"a full pool":    {func(b *bench) { b.head(10, 0); b.bind(); b.bind(); b.sent(0, lane.PoolFull) }, lane.WaitWindow},
		"foreign nonces": {func(b *bench) { b.head(10, 2) }, lane.WaitForeign},
		"a foreign taker": {func(b *bench) {
			b.head(10, 0)
			b.bind()
			b.head(11, 1)
			b.included(11)
			b.step(lane.Receipts{At: 11, Asked: []uint64{0}})
		}, lane.WaitForeign},
		"open slots": {func(b *bench) {
			b.head(10, 0)
			for n := range uint64(8) {
				b.bind()
				b.head(11+n, n+1)
				b.included(11+n, n)
			}
			b.head(19, 8, func(h *lane.Head) { h.Final.Number = 0 })
		}, lane.WaitFinality},
		"a chain that went back": {func(b *bench) {
			b.head(10, 0)
			b.bind()
			b.append(lane.Entry{Settle: &lane.Settle{Nonce: 0, Result: lane.Done}})
			b.head(11, 0)
		}, lane.WaitBehind},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c.make(b)
			_, wait := b.lane.Ready(100_000)
			require.Equal(t, c.want, wait)
		})
	}
}

func TestTheSumOfWhatIsInFlightIsAfforded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cost := big.NewInt(100_000 * 2 * gwei)
	rich := func(h *lane.Head) {
		h.Account.Balance = new(big.Int).Mul(cost, big.NewInt(2))
		h.Account.Balance.Sub(h.Account.Balance, big.NewInt(1))
	}
	b.head(10, 0, rich)
	_, wait := b.lane.Ready(100_000)
	require.Equal(t, lane.WaitNone, wait)
	b.bind()
	_, wait = b.lane.Ready(100_000)
	require.Equal(t, lane.WaitFunds, wait)
	b.head(11, 1, rich)
	b.included(11, 0)
	_, wait = b.lane.Ready(100_000)
	require.Equal(t, lane.WaitNone, wait, "what is in a block is paid")
}

func TestAReorgBringsSlotsBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, lane.Accepted)
	b.head(11, 1)
	b.included(11, 0)
	effects := b.head(12, 0, func(h *lane.Head) { h.Reorged = 11 })
	require.Equal(t, score.Submitted, only[lane.Report](effects)[0].Stage)
	require.Equal(t, []lane.Send{{Nonces: []uint64{0}}}, only[lane.Send](effects), "the pool may have lost it")
	require.Nil(t, b.lane.Inclusion(0))
	b.head(13, 1)
	require.Equal(t, []lane.Finalize{{Nonce: 0}}, only[lane.Finalize](append(b.included(13, 0), b.head(16, 1)...)))
}

func TestAReorgBelowDoesNotDisturb(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.head(11, 1)
	b.included(11, 0)
	b.head(12, 1, func(h *lane.Head) { h.Reorged = 12 })
	require.NotNil(t, b.lane.Inclusion(0))
}

func TestAForeignTransactionIsBelievedOnlyWhenFinal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.head(11, 1)
	none := lane.Receipts{At: 11, Asked: []uint64{0}}
	require.Empty(t, only[lane.Finalize](b.step(none)))
	b.head(12, 1)
	require.Empty(t, only[lane.Finalize](b.step(lane.Receipts{At: 12, Asked: []uint64{0}})))
	b.head(13, 0, func(h *lane.Head) { h.Reorged = 11 }) // it was reorged away
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	b.head(14, 1)
	b.step(lane.Receipts{At: 14, Asked: []uint64{0}})
	b.head(16, 1)
	require.Empty(t, only[lane.Finalize](b.step(lane.Receipts{At: 16, Asked: []uint64{0}})))
	b.head(17, 1)
	require.Equal(t, []lane.Finalize{{Nonce: 0}}, only[lane.Finalize](b.step(lane.Receipts{At: 17, Asked: []uint64{0}})))
}

func TestNoncesThatOthersUsedAreAdoptedWhenFinal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Empty(t, only[lane.Takeover](b.head(10, 7)))
	require.Empty(t, only[lane.Takeover](b.head(12, 9)))
	require.Equal(t, []lane.Takeover{{Next: 7}}, only[lane.Takeover](b.head(13, 9)), "what was seen first is final first")
	b.append(lane.Entry{Adopt: &lane.Adopt{Next: 7}})
	require.Equal(t, lane.WaitForeign, b.lane.Blocked())
	b.head(14, 9)
	require.Equal(t, []lane.Takeover{{Next: 9}}, only[lane.Takeover](b.head(17, 9)))
	b.append(lane.Entry{Adopt: &lane.Adopt{Next: 9}})
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	require.Equal(t, uint64(9), b.lane.State.Next)
}

func TestAChainBehindItsFinalityIsNotTouched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	b.append(lane.Entry{Settle: &lane.Settle{Nonce: 0, Result: lane.Done}})
	require.Empty(t, b.head(50, 0, func(h *lane.Head) { h.Now = h.Now.Add(time.Hour) }))
}

func TestWhatWasFinalAndIsGoneIsHandedOutAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	var raws [][]byte
	for n := range uint64(3) {
		b.bind()
		last := b.lane.State.Slot(n).Last()
		raws = append(raws, last.Raw)
		if n < 2 {
			b.append(lane.Entry{Settle: &lane.Settle{Nonce: n, Result: lane.Done, Tx: last.Hash}})
		}
	}
	require.Empty(t, only[lane.Revive](b.head(11, 2)))
	gone := b.head(12, 1)
	require.Equal(t, []lane.Effect{lane.Revive{Raw: raws[1:2]}}, gone, "that, and nothing else")
	require.Equal(t, lane.WaitBehind, b.lane.Blocked())
	require.Empty(t, b.head(13, 0), "not at every head")
	b.now = b.now.Add(rules.Rebroadcast)
	require.Equal(t, []lane.Effect{lane.Revive{Raw: raws[:2]}}, b.head(14, 0))
	require.Equal(t, uint64(2), only[lane.Resign](b.head(15, 2))[0].Nonce, "then life goes on")
}

func TestAFullPoolShrinksTheWindowAndBlocksWidenIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	b.sent(1, lane.PoolFull)
	b.sent(1, lane.PoolFull)
	require.Equal(t, lane.WaitWindow, b.lane.Blocked())
	b.head(11, 2)
	b.included(11, 0, 1)
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
	old := b.lane.State.Slots[0].Last().Hash
	b.resign(only[lane.Resign](b.head(13, 0))[0])
	require.Empty(t, b.step(lane.Sent{Nonce: 0, Tx: old, Class: lane.TooBig, Now: b.now}))
	require.Empty(t, only[lane.Resign](b.head(14, 0)))
}
