package lane_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// bindSome binds some updates at the next nonce, with data of so many bytes.
func (b *bench) bindSome(updates, bytes int) {
	b.t.Helper()
	nonce, at := b.lane.State.Next, b.lane.State.ReadFrom()
	b.append(lane.Entry{Bind: &lane.Bind{
		Nonce: nonce, Raw: raw(nonce, lane.Fees{Tip: gwei, Cap: 2 * gwei}, 100_000, make([]byte, bytes)),
		Work: lane.Work{Kind: lane.Updates, Count: updates, From: at}, Moves: []lane.Move{moveOf(at.Seq, uint32(updates))},
	}})
}

// takenAndDropped has a node take all that waits at each block until the lowest slot is cancelled, and counts the blocks; 0 where it is not.
func (b *bench) takenAndDropped(from, blocks, nonce uint64, change ...func(*lane.View)) (after uint64) {
	b.t.Helper()
	for n := range blocks {
		for i := range b.lane.State.Slots {
			if b.lane.Included(b.lane.State.Slots[i].Nonce) == nil {
				b.sent(b.lane.State.Slots[i].Nonce, txpool.Added)
			}
		}
		for _, r := range only[lane.Replace](b.head(from+n, nonce, change...)) {
			b.replace(r)
			if r.Cancel {
				require.Equal(b.t, "dropped", r.Reason)
				return n + 1
			}
		}
	}
	return 0
}

func full(v *lane.View) { v.Head.GasUsed = 1_000_000 }

// TestABatchThatNodesTakeAndDropIsCancelled once some replacements at the market's price or more were in no block either, of which others
// had transactions: it is final before the work goes again.
func TestABatchThatNodesTakeAndDropIsCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bindSome(8, 900)
	b.bindSome(8, 900)
	require.EqualValues(t, 12, b.takenAndDropped(11, 100, 0, full))
	require.Len(t, b.lane.State.Slots[0].Attempts, 5, "three replacements, and the cancellation")
	require.Equal(t, lane.WaitUnincluded, b.lane.Blocked())
	require.Empty(t, b.lane.State.Queue, "the cancellation may not be executed")
	require.EqualValues(t, 0, b.lane.Lowest().Nonce)

	b.mined(30, 0)
	b.head(30, 1, full)
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	require.Equal(t, []lane.SettleSlot{{Nonce: 0}}, only[lane.SettleSlot](b.head(33, 1, full)))
	b.append(lane.Entry{Settle: &lane.Settle{Nonce: 0, Result: lane.Cancelled, Tx: b.lane.State.Slots[0].Last().Hash, Block: ref(30)}})
	require.True(t, b.lane.State.Queue[0].Halve)

	require.LessOrEqual(t, b.takenAndDropped(34, 100, 1, full), uint64(6), "of what is as large it is known sooner")
	require.EqualValues(t, 1, b.lane.Lowest().Nonce)
}

// TestWhatIsNotCancelledThoughItIsInNoBlock: what has no halves, what is no batch, what was carried by no transaction before, and what no node took.
func TestWhatIsNotCancelledThoughItIsInNoBlock(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*lane.Slot){
		"one update":          func(s *lane.Slot) { s.Work.Count = 1 },
		"a signed group":      func(s *lane.Slot) { s.Work.Whole = true },
		"a creation":          func(s *lane.Slot) { s.Work = lane.Work{Kind: lane.Creation, Count: 1, Project: &score.ProjectID{}} },
		"cancelled before":    func(s *lane.Slot) { s.Work.Tries = 1 },
		"it carries nothing":  func(s *lane.Slot) { s.Work = lane.Work{Kind: lane.NonceOnly} },
		"no node says it has": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.head(10, 0)
			b.bindSome(8, 900)
			if change == nil {
				for n := uint64(11); n < 100; n++ {
					b.sent(0, txpool.Timeout)
					require.Empty(t, only[lane.Replace](b.head(n, 0, full)))
				}
			} else {
				change(&b.lane.State.Slots[0])
				require.Zero(t, b.takenAndDropped(11, 100, 0, full))
			}
			require.Equal(t, lane.WaitUnincluded, b.lane.Blocked())
		})
	}
}

// TestWhereBlocksAreEmptyNothingIsCancelled: the chain may include nothing at all.
func TestWhereBlocksAreEmptyNothingIsCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bindSome(8, 900)
	require.Zero(t, b.takenAndDropped(11, 100, 0))
	require.Equal(t, lane.WaitUnincluded, b.lane.Blocked())
	b = newBench(t)
	b.head(10, 0)
	b.bindSome(8, 900)
	require.Zero(t, b.takenAndDropped(11, 60, 0, full, func(v *lane.View) { v.Price.BaseFee = 600 * gwei }), "the base fee is above its price, and above the ceiling")
	require.NotEqual(t, lane.WaitUnincluded, b.lane.Blocked())
}

// TestATakenBatchAtTheCeilingIsCancelledAtItsPrice, since the ceiling leaves no more.
func TestATakenBatchAtTheCeilingIsCancelledAtItsPrice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	low := rules
	low.Fees.MaxCap = 2*gwei + gwei/5
	b.lane = lane.New(b.lane.State, low)
	b.head(10, 0)
	b.bindSome(8, 900)
	require.NotZero(t, b.takenAndDropped(11, 100, 0, full))
	slot := b.lane.State.Slots[0]
	require.Len(t, slot.Attempts, 2)
	require.Equal(t, slot.Attempts[0].Cap, slot.Attempts[1].Cap)
}

// TestNearTheCeilingNothingIsCancelled: where the base fee leaves less than the market's tip, it is the price that keeps a batch out of the blocks.
func TestNearTheCeilingNothingIsCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	low := rules
	low.Fees.MaxCap = 2 * gwei
	b.lane = lane.New(b.lane.State, low)
	b.head(10, 0)
	b.bindSome(8, 900)
	require.Zero(t, b.takenAndDropped(11, 100, 0, full, func(v *lane.View) { v.Price.BaseFee = 3 * gwei / 2 }))
}

// TestAMinimumThatOneNodeNamesIsPaidBeforeABatchIsCancelled, where another node says that it took the batch.
func TestAMinimumThatOneNodeNamesIsPaidBeforeABatchIsCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bindSome(8, 900)
	var bumps []lane.Replace
	for n := uint64(11); len(bumps) == 0; n++ {
		require.Less(t, n, uint64(30))
		b.step(lane.Sent{Nonce: 0, Tx: b.lane.State.Slots[0].Last().Hash, Class: txpool.Added, MinTip: 25 * gwei, Now: b.now})
		bumps = only[lane.Replace](b.head(n, 0, full))
	}
	require.Equal(t, uint64(25*gwei), bumps[0].Fees.Tip)
}

// TestAReplacementThatIsUnderpricedForLongIsPricedOnAndOn, at the usual pace.
func TestAReplacementThatIsUnderpricedForLongIsPricedOnAndOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bindSome(8, 900)
	for n := uint64(11); n < 60; n++ {
		b.sent(0, txpool.ReplacementUnderpriced)
		for _, r := range only[lane.Replace](b.head(n, 0)) {
			b.replace(r)
		}
	}
	require.Greater(t, len(b.lane.State.Slots[0].Attempts), 10)
}
