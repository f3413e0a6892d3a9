package heads_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

func TestFollowsEveryBlock(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 3}, 40, "a")
	require.Error(t, r.Fresh())
	r.rounds(1)
	r.atTip()
	require.NoError(t, r.Fresh())
	final, ok := r.Final()
	require.True(t, ok)
	require.Equal(t, r.tip.Number-2, final.Number)
	changed := r.Changed()
	r.rounds(1)
	require.NotNil(t, changed)
	select {
	case <-changed:
		require.Fail(t, "nothing changed")
	default:
	}
	for range 5 {
		r.mine()
	}
	r.rounds(1)
	r.atTip()
	<-changed
	for b := r.tip; b.Number > 30; b = b.parent {
		known, ok := r.Block(b.Number)
		require.True(t, ok)
		require.Equal(t, b.Hash, known.Hash)
	}
}

func TestShortChainHasNoFinalBlock(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 5}, 3, "a")
	r.rounds(1)
	_, ok := r.Final()
	require.False(t, ok)
	r.mine()
	r.rounds(1)
	final, ok := r.Final()
	require.True(t, ok)
	require.Zero(t, final.Number)
}

func TestLagIsNoReorg(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 60, "a", "b")
	r.rounds(1)
	r.nodes[1].lag = 30
	r.rounds(2)
	r.atTip()
	require.EqualValues(t, 30, r.metric("scorelay_heads_lag_blocks"))
	r.nodes[0].down = true
	calls := r.by["blocks"]
	r.rounds(2)
	r.atTip()
	require.Zero(t, r.metric("scorelay_heads_reorgs_total"))
	require.Equal(t, calls, r.by["blocks"])
	r.now = r.now.Add(time.Minute)
	require.ErrorContains(t, r.Fresh(), "block 60")
	require.ErrorContains(t, r.Fresh(), "b is at block 30")
}

func TestClaimFarAheadStopsNothing(t *testing.T) {
	for _, ahead := range []uint64{1_000, 10_000} {
		r := newRig(t, heads.Config{Confirmations: 2}, 60, "liar", "b")
		r.nodes[0].ahead = ahead
		for range 20 {
			r.mine()
			r.rounds(1)
			r.atTip()
		}
		require.Zero(t, r.metric("scorelay_heads_reorgs_total"))
		r.nodes[0].ahead = 0
		r.mine()
		r.rounds(1)
		r.atTip()
	}
}

func TestOneEndpointAheadAloneIsNamed(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 60, "liar")
	r.rounds(1)
	r.nodes[0].ahead = 1_000
	require.ErrorContains(t, r.round(), "the endpoint liar says that block 1060")
	r.mine()
	require.Error(t, r.round())
	r.atTip() // what it gives below its claim is of the chain
	r.nodes[0].ahead = 0
	r.rounds(1)
}

func TestCatchUpKeepsWhatItHas(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 20, "a")
	r.rounds(1)
	for range 100 {
		r.mine()
	}
	r.nodes[0].blocksAt = 10
	for want := uint64(30); want < 120; want += 10 {
		before := r.by["blocks"]
		require.Error(t, r.round())
		head, _ := r.Head()
		require.Equal(t, want, head.Number)
		require.LessOrEqual(t, r.by["blocks"]-before, 200)
	}
	r.nodes[0].blocksAt = 0
	r.rounds(1)
	r.atTip()
}

func TestFarBehindBeginsAgain(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 4, Keep: 64}, 20, "a")
	s := r.Subscribe(r.signer(), 0)
	s.Watch(0, r.tx(0, 0).Hash(), 15)
	r.rounds(1)
	r.mine(r.tx(0, 0))
	in := r.tip
	for range 2_000 {
		r.mine()
	}
	before := r.by["blocks"]
	r.rounds(1)
	r.atTip()
	require.Less(t, r.by["blocks"]-before, 40)
	final, _ := r.Final()
	require.Equal(t, r.tip.Number-3, final.Number)
	r.rounds(4) // account, then where it is, then the blocks down to there
	require.Equal(t, in.Ref(), r.view(s).Included[r.tx(0, 0).Hash()].Block)
	require.Zero(t, r.metric("scorelay_heads_reorgs_total"))
}

func TestReorg(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 10}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	tx, other := r.tx(0, 0), r.tx(0, 1)
	s.Watch(0, tx.Hash(), 40)
	s.Watch(0, other.Hash(), 40)
	r.rounds(1)
	fork := r.tip
	r.mine(tx)
	r.mine()
	r.mine()
	r.rounds(1)
	require.Contains(t, r.view(s).Included, tx.Hash())

	r.branch(fork, 3, "b") // of equal length, and all endpoints that had the head are on it
	r.rounds(1)
	r.atTip()
	require.Empty(t, r.view(s).Included)
	r.branch(fork, 2, "c", other) // shorter
	r.rounds(1)
	r.atTip()
	v := r.view(s)
	require.Contains(t, v.Included, other.Hash())
	require.NotContains(t, v.Included, tx.Hash())
	r.branch(fork, 30, "d", tx)
	r.rounds(1)
	r.atTip()
	require.Contains(t, r.view(s).Included, tx.Hash())
	require.EqualValues(t, 3, r.metric("scorelay_heads_reorgs_total"))
}

func TestEqualBranchesDoNotSwing(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 5}, 40, "a", "b")
	r.rounds(1)
	fork := r.tip
	r.nodes[1].head = mine(fork, "other")
	r.mine()
	r.rounds(10)
	require.Zero(t, r.metric("scorelay_heads_reorgs_total"))
	r.nodes[1].head = mine(r.nodes[1].head, "other")
	r.rounds(10)
	require.EqualValues(t, 1, r.metric("scorelay_heads_reorgs_total"))
	head, _ := r.Head()
	require.Equal(t, r.nodes[1].head.Hash, head.Hash)
}

func TestUncheckedNeverReplacesChecked(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	r.rounds(1)
	honest := r.tip
	r.nodes[0].unchecked = true
	r.nodes[0].head = mine(mine(r.tip.parent, "wrong"), "wrong")
	for range 6 {
		require.Error(t, r.round())
		head, _ := r.Head()
		require.Equal(t, honest.Hash, head.Hash)
	}
	r.nodes[0].unchecked = false
	r.nodes[0].head = r.tip
	r.mine()
	r.rounds(1)
	r.atTip()
	require.Zero(t, r.metric("scorelay_heads_finality_breaks_total"))

	r.nodes[0].unchecked = true // a hard fork that this program does not know
	r.mine()
	require.Error(t, r.round())
	r.now = r.now.Add(2 * time.Minute)
	r.rounds(1)
	r.atTip()
	r.mine()
	r.rounds(1)
	r.atTip()
}

// TestAForkThatOneEndpointDoesNotFollow: the head stays where it is while that endpoint answers, and the log names both.
func TestAForkThatOneEndpointDoesNotFollow(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "ahead", "halted")
	log := logged{slog.DiscardHandler, make(chan string, 100)}
	r.Tracker = heads.New(heads.Config{Confirmations: 2, Now: func() time.Time { return r.now }}, r.model, slog.New(log), prometheus.NewRegistry())
	r.rounds(1)
	before := r.tip
	r.mine()
	r.nodes[0].unchecked, r.nodes[1].head = true, before
	r.now = r.now.Add(2 * time.Minute)
	for range 3 {
		r.rounds(1)
		head, _ := r.Head()
		require.Equal(t, before.Ref(), head.Ref())
	}
	require.Contains(t, <-log.lines, "newest block is not believed")
	require.Empty(t, log.lines, "once")
	r.nodes[1].down = true
	r.rounds(10)
	r.atTip()
}

func TestRunFollowsUntilItsContextEnds(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 1, PollInterval: 40 * time.Millisecond}, 10, "a")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	changed := r.Changed()
	go func() { r.Run(ctx); close(ended) }()
	<-changed
	cancel()
	<-ended
	head, ok := r.Head()
	require.True(t, ok)
	require.EqualValues(t, 10, head.Number)
}

// logged is what a tracker's log says.
type logged struct {
	slog.Handler
	lines chan string
}

func (logged) Enabled(context.Context, slog.Level) bool { return true }

func (l logged) Handle(_ context.Context, record slog.Record) error {
	l.lines <- record.Message
	return nil
}

func TestRunSaysOnceThatItFailsAndOnceThatItWorks(t *testing.T) {
	r := newRig(t, heads.Config{}, 10, "a")
	log := logged{slog.DiscardHandler, make(chan string, 100)}
	var down atomic.Bool
	down.Store(true)
	tracker := heads.New(heads.Config{Confirmations: 1, PollInterval: time.Millisecond}, sometimes{r.model, &down}, slog.New(log), prometheus.NewRegistry())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { tracker.Run(ctx); close(ended) }()
	require.Contains(t, <-log.lines, "couldn't follow the chain")
	down.Store(false)
	require.Contains(t, <-log.lines, "following the chain again")
	cancel()
	<-ended
	require.Empty(t, log.lines)
}

// sometimes is a chain that is down now and then.
type sometimes struct {
	*model
	down *atomic.Bool
}

func (s sometimes) Latest(ctx context.Context) ([]evidence.Claim, error) {
	if s.down.Load() {
		return nil, errDown
	}
	return s.model.Latest(ctx)
}
