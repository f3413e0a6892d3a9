package heads_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

func TestReceiptsThatDoNotComeConcludeNothing(t *testing.T) {
	for name, fault := range map[string]func(*node, bool){
		"null":  func(n *node, on bool) { n.noReceipts = on },
		"wrong": func(n *node, on bool) { n.badReceipt = on },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
			s := r.Subscribe(r.signer(), 0)
			tx := r.tx(0, 0)
			s.Watch(0, tx.Hash(), 40)
			r.rounds(1)
			fault(r.nodes[0], true)
			in := r.mine(tx)
			for range 20 {
				r.mine()
				r.rounds(2)
				v := r.view(s)
				require.Empty(t, v.Included)
				require.Empty(t, v.Foreign)
				require.Equal(t, r.tip.Ref(), v.Head.Ref())
			}
			fault(r.nodes[0], false)
			r.rounds(9)
			v := r.view(s)
			require.Equal(t, in.Ref(), v.Included[tx.Hash()].Block)
			require.EqualValues(t, 1, v.Included[tx.Hash()].Receipt.Status)
		})
	}
}

func TestTransactionMissingInItsBlocksListIsFound(t *testing.T) {
	for _, noFind := range []bool{false, true} {
		r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
		s := r.Subscribe(r.signer(), 0)
		tx := r.tx(0, 0)
		s.Watch(0, tx.Hash(), 40)
		r.nodes[0].hidden = map[common.Hash]bool{tx.Hash(): true}
		r.nodes[0].noFind = noFind
		r.rounds(1)
		in := r.mine(tx)
		for range 12 {
			r.mine()
			r.rounds(2)
		}
		v := r.view(s)
		require.Equal(t, in.Ref(), v.Included[tx.Hash()].Block)
		require.Empty(t, v.Foreign)
	}
}

func TestTransactionFalselyListedIsNotIncluded(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	ours, theirs := r.tx(0, 0), r.tx(0, 1)
	s.Watch(0, ours.Hash(), 40)
	r.nodes[0].listed = map[common.Hash]common.Hash{theirs.Hash(): ours.Hash()}
	r.rounds(1)
	in := r.mine(theirs)
	for range 20 {
		r.mine()
		r.rounds(2)
	}
	v := r.view(s)
	require.Empty(t, v.Included)
	require.Equal(t, in.Ref(), v.Foreign[0].Block)
}

func TestForeignTransactions(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	s.Watch(0, r.tx(0, 0).Hash(), 40)
	r.rounds(1)
	fork := r.mine()
	in := r.mine(r.tx(0, 7), r.tx(1, 7), r.tx(2, 7)) // 1 and 2 are of no slot
	r.mine()
	s.NeedAccount()
	r.rounds(2)
	v := r.view(s)
	require.Len(t, v.Foreign, 3)
	for nonce, found := range v.Foreign {
		require.Equal(t, r.tx(nonce, 7).Hash(), found.Tx.Hash())
		require.Equal(t, in.Ref(), found.Block)
	}
	r.branch(fork, 5, "b", r.tx(0, 0))
	r.rounds(2)
	v = r.view(s)
	require.Empty(t, v.Foreign)
	require.Contains(t, v.Included, r.tx(0, 0).Hash())
}

func TestNonceThatIsNotUsedConcludesNothing(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	s.Watch(0, r.tx(0, 0).Hash(), 40)
	r.rounds(1)
	r.nodes[0].nonceLie = 3
	s.NeedAccount()
	for range 20 {
		r.mine()
		r.rounds(2)
		v := r.view(s)
		require.Empty(t, v.Foreign)
		require.Empty(t, v.Included)
	}
	require.EqualValues(t, 3, r.viewAfterRound(s).Account.Nonce)
	r.nodes[0].nonceLie = 0
	before := r.by["transactions"]
	for range 10 {
		r.mine()
		r.rounds(2)
	}
	require.Zero(t, r.view(s).Account.Nonce)
	require.LessOrEqual(t, r.by["transactions"]-before, 0)
}

// viewAfterRound is the View of one more round.
func (r *rig) viewAfterRound(s *heads.Subscription) evidence.View {
	r.rounds(1)
	return r.view(s)
}

func TestSearchGoesBackBehindAWrongBound(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2, Keep: 64}, 40, "a")
	in := r.mine(r.tx(0, 3))
	for range 300 {
		r.mine()
	}
	r.nodes[0].noFind = true
	s := r.Subscribe(r.signer(), 0)
	s.Watch(0, r.tx(0, 0).Hash(), 330) // a lie: it was used in block 41
	for range 40 {
		r.rounds(1)
	}
	require.Equal(t, in.Ref(), r.view(s).Foreign[0].Block)
}

// TestAccountsBlockBoundsNoSearch: a nonce that ended by an account was used in that block or in any below, and so may the
// nonce above it.
func TestAccountsBlockBoundsNoSearch(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	in := r.mine(r.tx(0, 7), r.tx(1, 0))
	for range 20 {
		r.mine()
	}
	own := r.tx(1, 0).Hash()
	r.nodes[0].unproved, r.nodes[0].noFind = true, true
	r.nodes[0].listed = map[common.Hash]common.Hash{own: {1}} // only the full block shows it
	s := r.Subscribe(r.signer(), 0)
	s.Settled(0, common.Hash{}, r.tip.at(50).Ref(), 0)
	s.Watch(1, own, 40)
	for range 10 {
		s.NeedFinal()
		r.rounds(1)
		require.Nil(t, r.view(s).Unfound)
	}
	require.EqualValues(t, 2, r.viewAfterRound(s).FinalAccount.Nonce)
	require.Equal(t, in.Ref(), r.viewAfterRound(s).Included[own].Block)
}

func TestSearchWithoutABoundEndsWithTheWindow(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2, Keep: 64}, 10, "a")
	r.mine(r.tx(0, 3))
	for i := range 500 {
		r.mine(r.other(uint64(i)))
	}
	s := r.Subscribe(r.signer(), 0)
	r.rounds(40)
	v := r.view(s)
	require.Empty(t, v.Foreign)
	require.EqualValues(t, 1, v.Account.Nonce)
	require.LessOrEqual(t, r.by["transactions"], 80)
}

// other is a transaction of another signer.
func (r *rig) other(nonce uint64) *types.Transaction {
	mine := r.key
	defer func() { r.key = mine }()
	r.key, _ = crypto.ToECDSA(crypto.Keccak256([]byte("another")))
	return r.tx(nonce, 0)
}

func TestSessionThatResumesFindsItsTransactions(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	r.rounds(1)
	var in []*modelBlock
	for nonce := range uint64(30) {
		in = append(in, r.mine(r.tx(nonce, 0)))
		r.rounds(1)
	}
	s := r.Subscribe(r.signer(), 30)
	for nonce := range uint64(30) {
		s.Watch(nonce, r.tx(nonce, 0).Hash(), 40)
	}
	r.rounds(1) // at the same head
	v := r.view(s)
	require.Len(t, v.Included, 30)
	for nonce, b := range in {
		require.Equal(t, b.Ref(), v.Included[r.tx(uint64(nonce), 0).Hash()].Block)
	}
	s.Close()
	r.rounds(1)
}

func TestSettledBlocksBelowTheWindow(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2, Keep: 64}, 300, "a", "b")
	s := r.Subscribe(r.signer(), 12)
	s.Settled(9, common.Hash{1}, r.tip.at(5).Ref(), 0)
	s.Settled(10, common.Hash{1}, r.tip.at(10).Ref(), 0)
	s.Settled(11, common.Hash{1}, evidence.Ref{Number: 11, Hash: common.Hash{1}}, 0)
	before := r.by["blocks"]
	r.rounds(3)
	require.Equal(t, []uint64{11}, r.view(s).Reorged)
	require.LessOrEqual(t, r.by["blocks"]-before, 16+2+1)
	s.Settled(12, common.Hash{1}, evidence.Ref{Number: 270, Hash: common.Hash{1}}, 12)
	r.rounds(2)
	require.Equal(t, []uint64{12}, r.view(s).Reorged)
	s.Reopened(12)
	r.rounds(1)
	require.Empty(t, r.view(s).Reorged)
}

func TestFinalAccount(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 3}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	r.rounds(1)
	require.Zero(t, r.view(s).FinalAccount.At)
	s.NeedFinal()
	r.rounds(1)
	require.Equal(t, r.tip.at(38).Ref(), r.view(s).FinalAccount.At)
}

func TestIdleCalls(t *testing.T) {
	for _, confirmations := range []uint64{0, 2} {
		r := newRig(t, heads.Config{Confirmations: confirmations}, 40, "a")
		r.nodes[0].finalized = 30
		for lane := range 4 {
			r.Subscribe(common.BigToAddress(common.Big1), uint64(lane))
			r.Subscribe(common.Address{byte(lane)}, 0)
		}
		r.rounds(1)
		r.count = 0
		const polls = 400
		for range polls / 2 {
			r.mine()
			r.rounds(2)
		}
		require.LessOrEqual(t, float64(r.count)/polls, 1.5, "%v", r.by)
		r.atTip()
	}
}

func TestBusyCalls(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	var subs []*heads.Subscription
	for lane := range 4 {
		s := r.Subscribe(common.Address{byte(lane)}, 0)
		s.Busy(true)
		subs = append(subs, s)
	}
	lane := r.Subscribe(r.signer(), 0)
	lane.Busy(true)
	r.rounds(1)
	r.count = 0
	const blocks, each = 40, 16
	nonce := uint64(0)
	for range blocks {
		var txs types.Transactions
		for range each {
			tx := r.tx(nonce, 0)
			lane.Watch(nonce, tx.Hash(), r.tip.Number)
			txs = append(txs, tx)
			nonce++
		}
		in := r.mine(txs...)
		r.rounds(2)
		v := r.view(lane)
		require.Equal(t, r.tip.Ref(), v.Head.Ref())
		for _, tx := range txs {
			require.Equal(t, in.Ref(), v.Included[tx.Hash()].Block)
			lane.Settled(tx.Nonce(), tx.Hash(), in.Ref(), tx.Nonce())
		}
	}
	require.Len(t, subs, 4)
	require.LessOrEqual(t, float64(r.count)/(blocks*each), 0.5, "sends are 1 more each: %v", r.by)
}

func TestCallersMayComeWhileRoundsRun(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	r.rounds(1)
	var callers sync.WaitGroup
	for lane := range 4 {
		callers.Go(func() {
			s := r.Subscribe(common.Address{byte(lane)}, 0)
			for nonce := range uint64(200) {
				s.Watch(nonce, crypto.Keccak256Hash(fmt.Append(nil, lane, nonce)), 0)
				s.Busy(nonce%2 == 0)
				s.NeedAccount()
				r.Head()
				r.Final()
				r.Block(nonce)
				select {
				case <-s.Views():
				default:
				}
				s.Settled(nonce, common.Hash{1}, evidence.Ref{Number: nonce, Hash: common.Hash{1}}, nonce)
			}
			s.Close()
		})
	}
	for range 50 {
		r.mine()
		require.NoError(t, r.Round(context.Background()))
	}
	callers.Wait()
}
