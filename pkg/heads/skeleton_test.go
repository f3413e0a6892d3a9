package heads_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

// finalAt plays rounds until a block is final, at most so many.
func (r *rig) finalAt(number uint64, rounds int) {
	for range rounds {
		require.NoError(r.t, r.round())
		if final, ok := r.Final(); ok && final.Number == number {
			require.Equal(r.t, r.tip.at(number).Hash, final.Hash)
			return
		}
		r.now = r.now.Add(2 * time.Second)
	}
	final, _ := r.Final()
	require.Fail(r.t, "not final", "final is %d, not %d", final.Number, number)
}

// finalize has all nodes call a block final.
func (r *rig) finalize(number uint64) {
	for _, n := range r.nodes {
		n.finalized = number
	}
}

func (r *rig) mineMany(n int) {
	for range n {
		r.mine()
	}
}

func TestFinalityOfAnyLagAtAFirstStart(t *testing.T) {
	for _, lag := range []uint64{5_000, 21_000, uint64(long.Size(40_000, 200_000))} {
		t.Run(fmt.Sprint(lag), func(t *testing.T) {
			r := newRig(t, heads.Config{}, int(lag)+100, "a", "b")
			r.finalize(r.tip.Number - lag)
			r.finalAt(r.tip.Number-lag, int(lag)/1600+3)
			blocks, refs, bytes := r.Remembered()
			require.LessOrEqual(t, blocks, 5_000)
			require.LessOrEqual(t, refs, 8192)
			require.Less(t, bytes, 4<<20)
			read := r.by["blocks"]
			for range 20 {
				r.mineMany(8)
				r.finalize(r.tip.Number - lag)
				r.finalAt(r.tip.Number-lag, 2)
			}
			require.Less(t, r.by["blocks"]-read, 20*(8+32), "the parents are walked once")
		})
	}
}

func TestAFinalizedTagStallsAndMovesOn(t *testing.T) {
	for _, bytes := range []int{1, 1 << 20, 0} {
		r := newRig(t, heads.Config{Keep: 4096, KeepBytes: bytes}, 1_000, "a")
		r.finalize(300)
		r.finalAt(300, 3)
		for range 20_800 / 40 {
			r.mineMany(40)
			r.rounds(1)
		}
		_, refs, _ := r.Remembered()
		require.LessOrEqual(t, refs, 8192)
		read := r.by["blocks"]
		r.finalize(r.tip.Number - 21_000)
		r.mineMany(8)
		r.finalAt(r.tip.Number-21_008, 4)
		require.Less(t, r.by["blocks"]-read, 32, "no more blocks than to the next one of the skeleton")
		r.finalize(r.tip.Number - 100)
		r.mineMany(8)
		r.finalAt(r.tip.Number-108, 4)
	}
}

func TestTheSkeletonIsBounded(t *testing.T) {
	r := newRig(t, heads.Config{KeepBytes: 1}, 100, "a")
	r.finalize(10)
	r.finalAt(10, 3)
	for range 150_000 / 1_000 {
		r.mineMany(1_000)
		r.rounds(1)
	}
	_, refs, bytes := r.Remembered()
	require.LessOrEqual(t, refs, 8192)
	require.Greater(t, refs, 4000)
	require.Less(t, bytes, 4<<20)
	r.finalize(60_007)
	r.mineMany(8)
	r.finalAt(60_007, 4)
}

func TestAFalseFinalBlockIsNotLinked(t *testing.T) {
	r := newRig(t, heads.Config{Keep: 64, KeepBytes: 1}, 2_000, "liar", "b")
	r.finalize(700)
	r.nodes[0].finalLie = mine(mine(r.tip.at(500), "lie"), "lie")
	r.finalAt(700, 4)
	r.mineMany(300)
	r.nodes[0].finalLie = mine(r.tip.at(800), "lie")
	r.finalize(1_100)
	r.finalAt(1_100, 4)

	alone := newRig(t, heads.Config{Keep: 64, KeepBytes: 1}, 2_000, "liar")
	alone.nodes[0].finalLie = mine(r.tip.at(500), "lie")
	for range 20 {
		alone.now = alone.now.Add(2 * time.Second)
		_ = alone.round()
		_, ok := alone.Final()
		require.False(t, ok)
	}
}

func TestAnEndpointWithoutOldBlocksDelaysOnly(t *testing.T) {
	r := newRig(t, heads.Config{Keep: 64, KeepBytes: 1}, 2_000, "pruned", "b")
	r.finalize(700)
	r.nodes[0].blocksAt = 20
	r.nodes[1].down = true
	_ = r.round()
	_, ok := r.Final()
	require.False(t, ok)
	r.nodes[1].down = false
	r.finalAt(700, 4)
}

func TestReorgsCutTheSkeleton(t *testing.T) {
	r := newRig(t, heads.Config{Keep: 64, KeepBytes: 1}, 1_000, "a")
	r.finalize(100)
	r.finalAt(100, 3)
	for range 10 {
		r.mineMany(50)
		r.rounds(1)
	}
	old := r.tip
	r.branch(r.tip.at(200), 1_330, "deep") // the whole window
	_ = r.round()
	r.atTip()
	r.mineMany(8)
	r.finalize(300)
	r.finalAt(300, 6)
	require.NotEqual(t, old.at(300).Hash, r.tip.at(300).Hash)

	r.branch(r.tip.at(r.tip.Number-30), 40, "shallow")
	r.finalize(310)
	r.finalAt(310, 4)
}

func TestAFinalizedTagThatStaysIsSaid(t *testing.T) {
	r := newRig(t, heads.Config{}, 200, "a", "b")
	var log strings.Builder
	r.reg = prometheus.NewRegistry()
	r.Tracker = heads.New(heads.Config{Now: func() time.Time { return r.now }}, r.model,
		slog.New(slog.NewTextHandler(&log, nil)), r.reg)
	said := func() int { return strings.Count(log.String(), "no block became final for ten minutes") }
	pass := func(d time.Duration, mined int) {
		for range int(d / (12 * time.Second)) {
			r.now = r.now.Add(12 * time.Second)
			r.mineMany(mined)
			require.NoError(t, r.round())
		}
	}
	r.finalize(100)
	pass(time.Minute, 1)
	pass(time.Hour, 0)
	require.Zero(t, said(), "the chain does not move either")
	require.LessOrEqual(t, r.metric("scorelay_heads_final_stalled_seconds"), 60.0)
	pass(20*time.Minute, 1)
	require.Equal(t, 1, said())
	require.Contains(t, log.String(), "a: block 100, b: block 100")
	require.Greater(t, r.metric("scorelay_heads_final_stalled_seconds"), 1000.0)
	r.finalize(150)
	pass(2*time.Minute, 1)
	require.Contains(t, log.String(), "blocks become final again")
	require.Less(t, r.metric("scorelay_heads_final_stalled_seconds"), 120.0)
	require.Equal(t, evidence.Ref{Number: 150, Hash: r.tip.at(150).Hash}, final(r))
}

func final(r *rig) evidence.Ref {
	b, _ := r.Final()
	return b.Ref()
}
