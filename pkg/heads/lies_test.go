package heads_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

// renamer is a model whose first endpoint answers all receipts with the hashes of its false list: the receipts root covers
// no hashes.
type renamer struct {
	*model
}

func (l renamer) Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error) {
	a, err := l.model.Read(ctx, ask)
	if err != nil {
		return a, err
	}
	for _, w := range ask.Receipts {
		b := l.nodes[0].view().at(w.Block.Number)
		receipts := make(evidence.Receipts, len(b.receipts))
		for i, r := range b.receipts {
			named := *r
			if other, ok := l.nodes[0].listed[r.TxHash]; ok {
				named.TxHash = other
			}
			receipts[i] = &named
		}
		if evidence.CheckReceipts(&w.Block, receipts) != nil {
			continue
		}
		for _, r := range receipts {
			a.Receipts[r.TxHash] = r
		}
	}
	return a, nil
}

func TestFalseListWithFalseReceipts(t *testing.T) {
	r := newRig(t, heads.Config{}, 40, "liar", "honest")
	ours, theirs := r.tx(0, 0), r.tx(0, 1) // theirs stands for another sender's
	config := heads.Config{Confirmations: 2, Now: func() time.Time { return r.now }}
	r.Tracker = heads.New(config, renamer{r.model}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	r.nodes[0].listed = map[common.Hash]common.Hash{theirs.Hash(): ours.Hash()}
	s := r.Subscribe(r.signer(), 0)
	s.Watch(0, ours.Hash(), 40)
	r.rounds(1)
	in := r.mine(theirs)
	r.nodes[0].noTxs, r.nodes[1].noTxs = true, true
	for range 4 {
		r.mine()
		_ = r.round()
		require.Empty(t, r.view(s).Included, "the list cannot be checked yet")
	}
	r.nodes[1].noTxs = false
	for range 4 {
		r.mine()
		r.rounds(2)
		require.Empty(t, r.view(s).Included)
	}

	r.branch(in.parent, 20, "again", ours)
	r.rounds(1)
	require.Contains(t, r.view(s).Included, ours.Hash())
	asked := r.by["transactions"]
	s.Reread(ours.Hash())
	r.rounds(2)
	require.Contains(t, r.view(s).Included, ours.Hash())
	require.Equal(t, asked, r.by["transactions"], "once a block")
}

func TestOneOfTwoEndpointsMakesNothingFinal(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "liar", "honest")
	r.rounds(1)
	start := r.tip
	fake := start
	for range 4 {
		fake = mine(fake, "fake")
	}
	r.nodes[0].head = fake
	for i := range 200 {
		if i%4 == 0 {
			fake = mine(fake, "fake")
			r.nodes[0].head = fake
		}
		if i%24 == 0 {
			r.mine() // the honest branch is lower all the time
		}
		_ = r.round()
		final, _ := r.Final()
		require.LessOrEqual(t, final.Number, start.Number)
	}
	require.EqualValues(t, 1, r.metric("scorelay_heads_disputes_total"))
	r.branch(r.tip, 60, "")
	r.rounds(1)
	r.atTip()
	require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))
	r.nodes[0].head = r.tip
	r.rounds(1)
	final, _ := r.Final()
	require.Equal(t, r.tip.parent.Ref(), final.Ref())
}

func TestEndpointThatLagsHoldsFinalityUpForAWhile(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a", "b")
	r.rounds(1)
	was := r.tip
	r.mine()
	r.nodes[1].head = was
	r.rounds(1)
	for i := range 120 {
		r.mine()
		blocks := r.by["blocks"]
		r.rounds(1)
		require.Equal(t, blocks, r.by["blocks"], "it costs nothing")
		final, _ := r.Final()
		if i < 50 {
			require.LessOrEqual(t, final.Number, was.Number)
		}
	}
	final, _ := r.Final()
	require.Equal(t, r.tip.parent.Ref(), final.Ref())
	require.Zero(t, r.metric("scorelay_heads_disputes_total"))
}

func TestRunawayBranchWhoseOnlyHolderGoesDown(t *testing.T) {
	for _, c := range []struct {
		lead int
		keep uint64
	}{{100, 4096}, {6000, 4096}, {6000, 64}} {
		r := newRig(t, heads.Config{Confirmations: 2, Keep: c.keep}, 40, "liar", "honest")
		r.rounds(1)
		fake := r.tip
		for range c.lead {
			fake = mine(fake, "fake")
		}
		r.nodes[0].head = fake
		for range 20 {
			r.mine()
			_ = r.round()
		}
		r.nodes[0].down = true
		for range 70 {
			_ = r.round()
		}
		r.atTip()
		r.mine()
		r.rounds(1)
		r.atTip()
		final, _ := r.Final()
		require.Equal(t, r.tip.parent.Ref(), final.Ref())
		require.NoError(t, r.Fresh())
	}
}

func TestAllEndpointsBelowTheWindow(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2, Keep: 64}, 40, "liar", "honest")
	r.rounds(1)
	r.nodes[1].down = true
	fake := r.tip
	for range 500 {
		fake = mine(fake, "fake")
	}
	r.nodes[0].head = fake
	r.rounds(62)
	final, _ := r.Final()
	require.Equal(t, fake.parent.Ref(), final.Ref(), "it is the only endpoint")
	r.mine()
	r.nodes[0].head, r.nodes[1].down = r.tip, false
	r.rounds(50)
	head, _ := r.Head()
	require.Equal(t, fake.Ref(), head.Ref(), "it may be lag")
	for range 20 {
		_ = r.round()
	}
	r.atTip()
	require.EqualValues(t, 1, r.metric("scorelay_heads_finality_breaks_total"))
	final, _ = r.Final()
	require.Equal(t, r.tip.parent.Ref(), final.Ref())
}

func TestStartOnALieReopensNothing(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "liar", "honest")
	var settled []*modelBlock
	for range 5 {
		settled = append(settled, r.mine())
	}
	fake := r.tip.at(41)
	for range 10 {
		fake = mine(fake, "fake")
	}
	r.nodes[0].head = fake
	s := r.Subscribe(r.signer(), 5)
	for nonce, b := range settled {
		s.Settled(uint64(nonce), common.Hash{1}, b.Ref(), 0)
	}
	for range 100 {
		r.rounds(1)
		require.Empty(t, r.view(s).Reorged, "one endpoint has the blocks")
	}
	r.nodes[1].noBlocks = true
	r.rounds(30)
	require.Empty(t, r.view(s).Reorged, "it may have the blocks")

	was := r.tip
	r.tip, r.nodes[1].head, r.nodes[1].noBlocks = fake, fake, false
	r.rounds(1)
	require.Equal(t, []uint64{1, 2, 3, 4}, r.view(s).Reorged)
	r.branch(was, 20, "")
	r.rounds(1)
	require.Empty(t, r.view(s).Reorged)
}

func TestEndpointThatDoesNotSayIsNotWaitedForLong(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a", "b")
	settled := r.tip
	r.nodes[0].head = mine(mine(settled.parent, "other"), "other")
	r.nodes[1].noBlocks = true
	s := r.Subscribe(r.signer(), 1)
	s.Settled(0, common.Hash{1}, settled.Ref(), 0)
	for range 50 {
		_ = r.round()
		require.Empty(t, r.view(s).Reorged)
	}
	for range 20 {
		_ = r.round()
	}
	require.Equal(t, []uint64{0}, r.view(s).Reorged)
}

// TestAnEndpointThatIsNotHeardIsNotLeftOut for half a minute: neither of what becomes final, nor of what ceases to be.
func TestAnEndpointThatIsNotHeardIsNotLeftOut(t *testing.T) {
	const until = 29 * time.Second
	for name, c := range map[string]struct {
		confirmations uint64
		depth         int // of the false branch below the head
	}{
		"confirmations": {2, 0}, "the tag": {0, 0}, "a branch below the final block": {2, 10},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, heads.Config{Confirmations: c.confirmations}, 40, "liar", "honest")
			liar, honest := r.nodes[0], r.nodes[1]
			liar.finalized, honest.finalized = 38, 38
			r.rounds(5)
			was, ok := r.Final()
			require.True(t, ok)
			fake := r.tip.at(r.tip.Number - uint64(c.depth))
			for range c.depth + 8 {
				fake = mine(fake, "fake")
			}
			liar.head, liar.finalized, honest.down = fake, fake.Number, true
			for silent := r.now; r.now.Sub(silent) < until; {
				_ = r.round()
				final, _ := r.Final()
				require.LessOrEqual(t, final.Number, r.tip.Number)
				require.Equal(t, r.tip.at(final.Number).Ref(), final.Ref())
				require.GreaterOrEqual(t, final.Number, was.Number)
			}
			require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))
			for range 20 {
				liar.head = mine(liar.head, "fake")
				_ = r.round()
			}
			final, _ := r.Final()
			require.Greater(t, final.Number, r.tip.Number, "one that is away for long holds nothing up")
		})
	}
}

// fakes mines a false branch of so many blocks on another block.
func fakes(from *modelBlock, n int) *modelBlock {
	for range n {
		from = mine(from, "fake")
	}
	return from
}

// liesOf starts a liar and an honest endpoint at block 100.
func liesOf(t *testing.T, confirmations uint64) (r *rig, liar, honest *node) {
	t.Helper()
	r = newRig(t, heads.Config{Confirmations: confirmations}, 100, "liar", "honest")
	r.nodes[0].finalized, r.nodes[1].finalized = 90, 90
	r.rounds(5)
	return r, r.nodes[0], r.nodes[1]
}

// finalIs fails if what is final is above a height, or not in the honest chain.
func (r *rig) finalIs(most uint64) {
	final, ok := r.Final()
	require.True(r.t, ok)
	require.LessOrEqual(r.t, final.Number, most)
	require.Equal(r.t, r.tip.at(final.Number).Ref(), final.Ref())
}

// TestAnEndpointOnAnotherBranchHoldsTheTagBack, though it calls a block of that branch final.
func TestAnEndpointOnAnotherBranchHoldsTheTagBack(t *testing.T) {
	r, liar, honest := liesOf(t, 0)
	liar.head, liar.finalized = fakes(r.tip.at(95), 30), 120
	r.rounds(8)
	honest.finalized = 97 // above the fork
	for range 40 {
		liar.head = fakes(liar.head, 1)
		r.rounds(4)
		r.finalIs(95)
	}
}

// TestATagThatIsAskedForRarelyCountsAllTheSame: on blocks of 12 s more than half a minute passes between two questions.
func TestATagThatIsAskedForRarelyCountsAllTheSame(t *testing.T) {
	r, liar, honest := liesOf(t, 0)
	liar.head, liar.finalized = fakes(r.tip.at(95), 30), 120
	r.rounds(8)
	silent := 0
	for round := range 24 * 40 {
		if round%24 == 0 {
			liar.head = fakes(liar.head, 1)
		}
		honest.down = round%260 >= 220 // 20 s of each 130 s
		asked := r.by["finalized"]
		_ = r.round()
		if honest.down && r.by["finalized"] > asked {
			silent++
		}
		r.finalIs(95)
	}
	require.Positive(t, silent)
}

// TestADisputeOutlivesAnError: that an endpoint does not show its block once, after it showed another one for long, ends nothing.
func TestADisputeOutlivesAnError(t *testing.T) {
	r, liar, honest := liesOf(t, 6)
	fork := r.tip.Number
	liar.head = fakes(r.tip, 8)
	for range 7 {
		r.mine()
	}
	for round := range 120 {
		if round%4 == 3 {
			liar.head = fakes(liar.head, 1)
			r.mine()
		}
		honest.noBlocks = round >= 80 && round%10 == 0
		_ = r.round()
		r.finalIs(fork)
	}
}

// TestAnEndpointOnAnotherBranchMayPauseForAMinute: chains are without a block for that long.
func TestAnEndpointOnAnotherBranchMayPauseForAMinute(t *testing.T) {
	r, liar, _ := liesOf(t, 6)
	fork := r.tip.Number
	r.mine()
	liar.head = fakes(r.tip.at(fork), 20)
	for range 120 {
		_ = r.round()
		r.finalIs(fork)
	}
}

// TestAnOldOfferIsNoPatience: an endpoint that is silent when a branch below the final block is offered has its half minute, also where
// such a branch was offered, and refused, before. It does not keep the Tracker from resting either.
func TestAnOldOfferIsNoPatience(t *testing.T) {
	r, liar, honest := liesOf(t, 2)
	liar.head = fakes(r.tip.at(90), 20)
	_ = r.round()
	liar.head = r.tip
	for range 60 {
		r.now = r.now.Add(time.Minute)
		r.mine()
		r.rounds(2)
	}
	final, _ := r.Final()
	liar.head, honest.down = fakes(r.tip.at(r.tip.Number-10), 20), true
	_ = r.round()
	require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))
	r.finalIs(final.Number)
	liar.head, honest.down = r.tip, false
	for range 10 {
		r.now = r.now.Add(time.Minute)
		r.mine()
		_, _ = r.Turn(t.Context())
	}
	require.InDelta(t, 1, r.metric("scorelay_heads_resting"), 0)
}

// TestARestForgetsNoEndpoint: one that is slow when the Tracker wakes up is not left out.
func TestARestForgetsNoEndpoint(t *testing.T) {
	r, liar, honest := liesOf(t, 2)
	r.turns(5 * time.Minute)
	require.InDelta(t, 1, r.metric("scorelay_heads_resting"), 0)
	liar.head, honest.down = fakes(r.tip, 20), true
	r.Stir()
	_, _ = r.Turn(t.Context())
	r.finalIs(r.tip.Number)
}

// TestEndpointsThatLagAndAnswerInTurns hold finality up no longer than one that lags.
func TestEndpointsThatLagAndAnswerInTurns(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a", "frozen", "frozen too")
	r.rounds(5)
	r.nodes[1].head, r.nodes[2].head = r.tip, r.tip
	for round := range 400 {
		if round%4 == 0 {
			r.tip = mine(r.tip, "")
			r.nodes[0].head = r.tip
		}
		r.nodes[1].down, r.nodes[2].down = round%2 == 0, round%2 == 1
		_ = r.round()
	}
	final, _ := r.Final()
	require.Equal(t, r.tip.Number-1, final.Number)
}
