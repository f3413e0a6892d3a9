package lane_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

func TestAReorgBringsSlotsBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, txpool.Added)
	b.mined(11, 0)
	b.head(11, 1)
	clear(b.blocks)
	effects := b.head(12, 0)
	require.Equal(t, score.Submitted, only[lane.Report](effects)[0].Stage)
	require.Equal(t, []lane.Send{{Nonces: []uint64{0}}}, only[lane.Send](effects), "the pool may have lost it")
	require.Nil(t, b.lane.Included(0))
	b.mined(13, 0)
	b.head(13, 1)
	require.Equal(t, []lane.SettleSlot{{Nonce: 0}}, only[lane.SettleSlot](b.head(16, 1)))
}

func TestAForeignTransactionIsBelievedOnlyWhenItIsSeenInAFinalBlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.head(11, 1)
	require.Empty(t, only[lane.SettleSlot](b.head(20, 1)), "a nonce that seems used proves nothing")
	b.thief(21, 0, common.Address{9})
	b.head(21, 1)
	require.Equal(t, lane.WaitForeign, b.lane.Blocked())
	clear(b.foreign) // it was reorged away
	b.head(22, 0)
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	b.thief(23, 0, common.Address{9})
	require.Empty(t, only[lane.SettleSlot](b.head(25, 1)))
	found := b.foreign[0]
	require.Equal(t, []lane.SettleSlot{{Nonce: 0, Foreign: &found}}, only[lane.SettleSlot](b.head(26, 1)))
}

// TestALaneThatCarriedNothingHaltsWhereAnotherDeploymentDrivesItsSigner: a batch to another contract shows that. It reads the account at each
// head until it has carried something.
func TestALaneThatCarriedNothingHaltsWhereAnotherDeploymentDrivesItsSigner(t *testing.T) {
	t.Parallel()
	another := registry.EncodeCreateProject(&score.Project{})
	b := newBench(t)
	b.head(10, 7)
	b.append(lane.Entry{Skip: &lane.Skip{Next: 7}}) // history is none of its concern
	b.bind()
	account, _ := b.lane.TakeNeeds()
	require.True(t, account)
	b.thief(12, 7, common.Address{9})
	b.head(12, 8)
	require.Equal(t, lane.WaitForeign, b.lane.Blocked(), "a payment by hand is a thief's, and ends by itself")
	b.thief(12, 7, common.Address{9}, another...)
	for _, block := range []uint64{12, 30} { // final or not
		require.Empty(t, only[lane.SettleSlot](b.head(block, 8)))
		require.Equal(t, lane.WaitUnjournaled, b.lane.Blocked())
	}
	b.append(lane.Entry{Resume: &lane.Resume{Below: 8}})
	require.Len(t, only[lane.SettleSlot](b.head(31, 8)), 1)

	b = newBench(t)
	b.head(6, 0)
	b.bind()
	b.mined(7, 0)
	b.head(10, 1)
	b.settle(0, 7)
	b.head(11, 1)
	account, _ = b.lane.TakeNeeds()
	require.False(t, account, "the account is read now and then")
	b.bind()
	b.thief(12, 1, common.Address{9}, another...)
	b.head(12, 2)
	require.Equal(t, lane.WaitForeign, b.lane.Blocked(), "the newcomer has to give way")
}

func TestATransactionToTheContractThatTheJournalDoesNotKnowHaltsTheLane(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.thief(11, 0, contract)
	b.thief(12, 1, contract)
	require.Empty(t, only[lane.SettleSlot](b.head(30, 2)))
	require.Equal(t, lane.WaitUnjournaled, b.lane.Blocked())
	b.append(lane.Entry{Resume: &lane.Resume{Below: 1}})
	require.Empty(t, only[lane.SettleSlot](b.head(31, 2)), "the other one is still unknown")
	b.append(lane.Entry{Resume: &lane.Resume{Below: 2}})
	require.Len(t, only[lane.SettleSlot](b.head(32, 2)), 1)
	b.append(lane.Entry{Settle: &lane.Settle{Nonce: 0, Result: lane.Foreign, Block: ref(11)}})
	require.Equal(t, uint64(2), only[lane.SkipNonces](b.head(33, 2))[0].Skip.Next)
}

func TestATransactionThatWasDeclaredDeadAndIsExecutedAfterAllIsSkipped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.append(lane.Entry{Abandon: &lane.Abandon{By: "operator"}})
	b.thief(11, 0, contract)
	require.Empty(t, only[lane.SkipNonces](b.head(11, 1)), "not final yet")
	require.Equal(t, lane.WaitForeign, b.lane.Blocked(), "no operator has to decide")
	skips := only[lane.SkipNonces](b.head(14, 1))
	require.Len(t, skips, 1)
	require.Equal(t, []lane.Used{{Tx: b.foreign[0].Tx.Hash(), Block: ref(11)}}, skips[0].Skip.Used)
	b.append(lane.Entry{Skip: &skips[0].Skip})
	b.head(15, 1)
	require.Equal(t, lane.WaitCut, b.lane.Blocked(), "even by a replica that has the key and has not heard of the cut")
	require.EqualValues(t, 1, b.lane.State.Next)
}

func TestALaneBeginsBehindWhatItsAccountUsedBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	unproved := func(h *lane.View) { h.Account.Proved = false }
	require.Empty(t, b.head(10, 7, unproved))
	require.Equal(t, lane.WaitAccount, b.lane.Blocked())
	require.Empty(t, b.head(11, 7, unproved))
	require.Empty(t, b.head(12, 8, unproved), "counted from the last change")
	require.Empty(t, b.head(13, 8, unproved))
	skip := lane.Skip{Next: 8}
	require.Equal(t, []lane.Effect{lane.SkipNonces{Skip: skip}}, b.head(14, 8, unproved))

	b = newBench(t)
	skip.Next = 7
	require.Equal(t, []lane.Effect{lane.SkipNonces{Skip: skip}}, b.head(10, 7), "a proof is enough")
	b.append(lane.Entry{Skip: &skip})
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
}

func TestNoncesOfOthersAreSkippedWhenTheirTransactionsAreSeenInFinalBlocks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.mined(11, 0)
	b.head(11, 1)
	b.settle(0, 11)
	require.Empty(t, b.head(20, 3), "three too many, says an endpoint, and no transaction shows it")
	require.Equal(t, lane.WaitForeign, b.lane.Blocked())
	account, _ := b.lane.TakeNeeds()
	require.True(t, account)
	b.head(21, 1)
	require.Equal(t, lane.WaitNone, b.lane.Blocked(), "when the lie ends, so does the wait")
	b.thief(22, 1, common.Address{9})
	b.thief(24, 2, common.Address{9})
	require.Empty(t, only[lane.SkipNonces](b.head(24, 3)))
	skips := only[lane.SkipNonces](b.head(25, 3))
	require.Equal(t, uint64(2), skips[0].Skip.Next, "what is final, no more")
	b.append(lane.Entry{Skip: &skips[0].Skip})
	skips = only[lane.SkipNonces](b.head(27, 3))
	require.Equal(t, []lane.Used{{Tx: b.foreign[2].Tx.Hash(), Block: ref(24)}}, skips[0].Skip.Used)
	b.append(lane.Entry{Skip: &skips[0].Skip})
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	require.Len(t, b.lane.State.Past, 3)
}

func TestWhatWasFinalAndIsGoneIsOpenedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	var hashes []common.Hash
	for n := range uint64(3) {
		b.bind()
		hashes = append(hashes, b.lane.State.Slot(n).Last().Hash)
		b.mined(11+n, n)
	}
	b.head(14, 3)
	b.settle(0, 11)
	b.settle(1, 12)
	clear(b.blocks)
	gone := func(h *lane.View) { h.Reorged = []uint64{1} }
	again := b.head(15, 1, gone)
	require.Equal(t, []lane.Effect{lane.ReopenSlot{Nonce: 1, Fees: lane.Fees{Tip: gwei, Cap: 2 * gwei}}}, again, "that, and nothing else")
	b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: 1}})
	require.Equal(t, hashes[1], b.lane.State.Slot(1).Last().Hash, "the very bytes")
	require.Equal(t, score.Position{Seq: 1}, settledOf(t, b.lane.State))
	require.Equal(t, []lane.Send{{Nonces: []uint64{1, 2}}}, only[lane.Send](b.head(16, 1)))
	b.mined(17, 1, 2)
	b.head(17, 3)
	require.Equal(t, []lane.SettleSlot{{Nonce: 1}, {Nonce: 2}}, only[lane.SettleSlot](b.head(20, 3)))
}

func TestANonceOfOthersThatIsGoneIsFilled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.mined(11, 0)
	b.head(11, 1)
	b.settle(0, 11)
	b.thief(12, 1, common.Address{9})
	b.append(lane.Entry{Skip: &only[lane.SkipNonces](b.head(15, 2))[0].Skip})
	clear(b.foreign)
	again := only[lane.ReopenSlot](b.head(16, 1, func(h *lane.View) { h.Reorged = []uint64{1} }))
	require.Len(t, again, 1)
	require.True(t, again[0].Fill)
	b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: 1, Raw: raw(1, again[0].Fees, 21_000, nil)}})
	require.Equal(t, lane.NonceOnly, b.lane.State.Slot(1).Work.Kind)
	b.mined(17, 1)
	b.head(17, 2)
	require.Equal(t, []lane.SettleSlot{{Nonce: 1}}, only[lane.SettleSlot](b.head(20, 2)))
	b.append(lane.Entry{Settle: &lane.Settle{Nonce: 1, Result: lane.Cancelled, Tx: b.lane.State.Slot(1).Last().Hash, Block: ref(17)}})
	require.Empty(t, b.lane.State.Queue, "nothing to do again")
}

func TestAGapBelowTheFirstNonceIsFilled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.append(lane.Entry{Skip: &only[lane.SkipNonces](b.head(10, 3))[0].Skip})
	b.bind()
	require.Empty(t, only[lane.ReopenSlot](b.head(11, 1)), "only a final block shows a gap")
	_, final := b.lane.TakeNeeds()
	require.True(t, final)
	finally := func(h *lane.View) {
		h.FinalAccount = evidence.Account{Nonce: 1, Balance: big.NewInt(1), At: ref(9)}
	}
	again := only[lane.ReopenSlot](b.head(12, 1, finally))
	require.Equal(t, []uint64{2, 1}, []uint64{again[0].Nonce, again[1].Nonce})
	for _, e := range again {
		b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: e.Nonce, Raw: raw(e.Nonce, e.Fees, 21_000, nil)}})
	}
	require.Equal(t, uint64(1), *b.lane.State.First)
	require.Equal(t, []lane.Send{{Nonces: []uint64{1, 2, 3}}}, only[lane.Send](b.head(13, 1)))
	b.mined(14, 1, 2, 3)
	b.head(14, 4)
	require.Len(t, only[lane.SettleSlot](b.head(17, 4)), 3)
}

func TestASlotOpenedAgainKnowsItsOtherAttempts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	first := b.lane.State.Slot(0).Last().Hash
	b.mined(12, 0)
	b.replace(lane.Replace{Fees: lane.Fees{Tip: 2 * gwei, Cap: 4 * gwei}, Gas: 100_000})
	bumped := b.lane.State.Slot(0).Last().Hash
	b.head(12, 1)
	b.append(lane.Entry{Settle: &lane.Settle{Nonce: 0, Result: lane.Done, Tx: first, Block: ref(12)}})
	b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: 0}})
	slot := b.lane.State.Slot(0)
	require.True(t, slot.Reopened)
	require.Equal(t, first, slot.Last().Hash, "the one that was executed is sent")
	require.NotNil(t, slot.Attempt(bumped), "a pool may still hold it, and it is not a stranger's")

	parts, err := b.lane.State.Snapshots()
	require.NoError(t, err)
	var restored lane.Folder
	for _, part := range parts {
		restored.Add(part)
	}
	again, err := restored.State()
	require.NoError(t, err)
	require.Equal(t, b.lane.State.Slots, again.Slots)
}

func TestAnAccountOfBeforeTheLastSettledBlockIsNotBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.mined(11, 0)
	b.head(11, 1)
	b.settle(0, 11)
	older := func(h *lane.View) { h.Account.At = ref(10) }
	b.head(14, 0, older)
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	b.head(15, 0)
	require.Equal(t, lane.WaitBehind, b.lane.Blocked(), "this block should have the transaction")
}

// TestAFillThatIsNoneEnds: an account that was too low once had the lane fill nonces that are used.
func TestAFillThatIsNoneEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.append(lane.Entry{Skip: &only[lane.SkipNonces](b.head(10, 3))[0].Skip})
	final := func(nonce uint64) func(*lane.View) {
		return func(h *lane.View) {
			h.FinalAccount = evidence.Account{Nonce: nonce, Balance: big.NewInt(1), At: h.Final}
		}
	}
	for _, e := range only[lane.ReopenSlot](b.head(12, 0, final(0))) {
		b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: e.Nonce, Raw: raw(e.Nonce, e.Fees, 21_000, nil)}})
	}
	require.Len(t, b.lane.State.Slots, 3)
	b.head(13, 3)
	_, asks := b.lane.TakeNeeds()
	require.True(t, asks, "a final account ends them")
	require.Len(t, only[lane.SettleSlot](b.head(14, 3, final(3))), 3)
}

// TestAWideGapIsFilledInParts, where it is proved.
func TestAWideGapIsFilledInParts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.append(lane.Entry{Skip: &only[lane.SkipNonces](b.head(10, 2000))[0].Skip})
	b.bind()
	proved := func(h *lane.View) {
		h.FinalAccount = evidence.Account{Nonce: 3, Balance: big.NewInt(1), At: h.Final, Proved: true}
	}
	require.Empty(t, only[lane.ReopenSlot](b.head(11, 3, proved, func(h *lane.View) { h.FinalAccount.Proved = false })))
	heads := uint64(0)
	for b.lane.State.FirstOpen() > 3 {
		again := only[lane.ReopenSlot](b.head(12+heads, 3, proved))
		require.LessOrEqual(t, len(again), 64)
		require.NotEmpty(t, again)
		for _, e := range again {
			b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: e.Nonce, Raw: raw(e.Nonce, e.Fees, 21_000, nil)}})
		}
		heads++
	}
	require.Equal(t, uint64(32), heads)
}

// TestASlotThatWasSettledByALieIsOpenedAgain: its block is in the chain, and a proof shows that its nonce is not used.
func TestASlotThatWasSettledByALieIsOpenedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.settle(0, 11)
	b.head(15, 0)
	require.Equal(t, lane.WaitBehind, b.lane.Blocked())
	low := func(h *lane.View) { h.FinalAccount = evidence.Account{Balance: big.NewInt(1), At: h.Final} }
	require.Empty(t, only[lane.ReopenSlot](b.head(16, 0, low)), "a word is not enough")
	again := only[lane.ReopenSlot](b.head(17, 0, low, func(h *lane.View) { h.FinalAccount.Proved = true }))
	require.Len(t, again, 1)
	require.False(t, again[0].Fill, "its own bytes")
	b.append(lane.Entry{Reopen: &lane.Reopen{Nonce: 0}})
	b.mined(18, 0)
	b.head(18, 1)
	b.settle(0, 18)
	old := func(h *lane.View) {
		h.FinalAccount = evidence.Account{Balance: big.NewInt(1), At: ref(19), Proved: true}
	}
	require.Empty(t, only[lane.ReopenSlot](b.head(22, 1, old)), "the account shows it now: what a final one said before is over")
}

// TestAnOperatorEndsASlotWhoseNonceWasUsedBefore: the account was told too low when the lane began, by endpoints without
// proofs, so that its first slots can never execute.
func TestAnOperatorEndsASlotWhoseNonceWasUsedBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	used := func(h *lane.View) { h.FinalAccount = evidence.Account{Nonce: 3, Balance: big.NewInt(1), At: h.Final} }
	require.Empty(t, only[lane.SettleSlot](b.head(20, 3, used)))
	b.append(lane.Entry{Resume: &lane.Resume{Below: 1}})
	require.Empty(t, only[lane.SettleSlot](b.head(21, 3, used)), "it may be the slot's own, in a block that was not read yet")
	searched := func(h *lane.View) { h.Unfound = new(uint64) }
	require.Len(t, only[lane.SettleSlot](b.head(22, 3, used, searched)), 1)
}
