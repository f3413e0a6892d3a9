package heads_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/heads"
)

func TestFinalityBreakAndItsUndoing(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a", "b")
	s := r.Subscribe(r.signer(), 0)
	tx := r.tx(0, 0)
	s.Watch(0, tx.Hash(), 40)
	r.rounds(1)
	fork := r.tip
	in := r.mine(tx)
	for range 4 {
		r.mine()
	}
	r.rounds(1)
	old := r.tip
	require.Contains(t, r.view(s).Included, tx.Hash())
	s.Settled(0, tx.Hash(), in.Ref(), 0)
	r.rounds(1)
	require.Empty(t, r.view(s).Reorged)

	r.branch(fork, 5, "deep")
	r.rounds(1)
	r.atTip()
	require.EqualValues(t, 1, r.metric("scorelay_heads_finality_breaks_total"))
	v := r.view(s)
	require.Equal(t, []uint64{0}, v.Reorged)
	require.Equal(t, r.tip.Number-1, v.Final.Number)
	require.Equal(t, r.tip.parent.Hash, v.Final.Hash)
	s.Reopened(0)
	s.Watch(0, tx.Hash(), 40)
	r.mine(tx)
	r.rounds(1)
	require.Equal(t, r.tip.Ref(), r.view(s).Included[tx.Hash()].Block)

	for _, n := range r.nodes {
		n.head = old
	}
	r.tip = old
	r.rounds(1)
	r.atTip()
	v = r.view(s)
	require.Equal(t, in.Ref(), v.Included[tx.Hash()].Block)
	require.EqualValues(t, 2, r.metric("scorelay_heads_finality_breaks_total"))
}

func TestFinalBlockNeedsEveryEndpointToLeaveIt(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a", "b")
	r.rounds(1)
	for range 5 {
		r.mine()
	}
	r.rounds(1)
	liar := r.nodes[1]
	liar.head = r.tip.at(40)
	for range 10 {
		liar.head = mine(liar.head, "lie")
	}
	for range 5 {
		r.rounds(1)
		r.atTip()
	}
	require.Positive(t, r.distrusted["b"])
	r.nodes[0].noBlocks = true // it answers, but not whether it has the final block
	for range 20 {
		_ = r.round()
		r.atTip()
	}
	require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))
	r.nodes[0].down = true
	for range 30 { // with those before, less than half a minute
		_ = r.round()
		require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))
	}
	for range 12 {
		_ = r.round()
	}
	require.EqualValues(t, 1, r.metric("scorelay_heads_finality_breaks_total"))

	r.nodes[0].down, r.nodes[0].noBlocks = false, false
	for range 10 {
		r.mine()
	}
	liar.head = r.tip
	r.rounds(1)
	r.atTip()
	final, _ := r.Final()
	require.Equal(t, r.tip.parent.Hash, final.Hash)
}

func TestReorgOfTheWholeWindow(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	r.rounds(1)
	r.branch(r.tip.at(3), 60, "other")
	r.rounds(1)
	r.atTip()
	require.EqualValues(t, 1, r.metric("scorelay_heads_finality_breaks_total"))
	final, ok := r.Final()
	require.True(t, ok)
	require.Equal(t, r.tip.parent.Hash, final.Hash)
}

func TestFinalizedTag(t *testing.T) {
	r := newRig(t, heads.Config{}, 100, "a", "b")
	r.rounds(1)
	_, ok := r.Final()
	require.False(t, ok)
	r.now = r.now.Add(time.Minute)
	r.nodes[0].finalized, r.nodes[1].finalized = 20, 30
	r.rounds(1)
	final, ok := r.Final()
	require.True(t, ok)
	require.EqualValues(t, 20, final.Number)
	asked := r.by["finalized"]
	r.nodes[0].finalized = 90
	r.rounds(20)
	require.Equal(t, asked, r.by["finalized"], "the head is the same")
	for range 8 {
		r.mine()
		r.rounds(2)
	}
	require.LessOrEqual(t, r.by["finalized"]-asked, 4)
	final, _ = r.Final()
	require.EqualValues(t, 30, final.Number)
	r.nodes[1].finalized = 10
	for range 8 {
		r.mine()
		r.rounds(2)
	}
	final, _ = r.Final()
	require.EqualValues(t, 30, final.Number, "it never goes back")
}

// TestAnEndpointThatHoldsTheFinalizedBlockBackIsNamed, once, and not while it is merely late.
func TestAnEndpointThatHoldsTheFinalizedBlockBackIsNamed(t *testing.T) {
	r := newRig(t, heads.Config{}, 100, "a", "b")
	var log strings.Builder
	r.Tracker = heads.New(heads.Config{Now: func() time.Time { return r.now }}, r.model, slog.New(slog.NewTextHandler(&log, nil)), prometheus.NewRegistry())
	named := func() int { return strings.Count(log.String(), "calls a lower block finalized") }
	pass := func(d time.Duration) {
		for range int(d / time.Second) {
			r.mine()
			r.rounds(2)
		}
	}
	r.nodes[0].finalized, r.nodes[1].finalized = 20, 30
	for late := range uint64(5) {
		r.nodes[0].finalized = 20 + late
		pass(40 * time.Second)
	}
	require.Zero(t, named())
	pass(2 * time.Minute)
	require.Equal(t, 1, named())
	require.Contains(t, log.String(), "endpoint=a its_block=24")
	final, _ := r.Final()
	require.EqualValues(t, 24, final.Number, "its word is not overruled")
	r.nodes[0].finalized = 30
	pass(2 * time.Minute)
	require.Equal(t, 1, named())
}

func TestShorterBranchLeavesFinalityWhereItIs(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 4}, 40, "a")
	r.rounds(1)
	for range 3 {
		r.mine()
	}
	r.rounds(1)
	before, _ := r.Final()
	require.EqualValues(t, 40, before.Number)
	r.branch(r.tip.at(40), 1, "short")
	r.rounds(1)
	r.atTip()
	final, _ := r.Final()
	require.Equal(t, before.Ref(), final.Ref())
	require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))
}
