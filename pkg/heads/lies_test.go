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
