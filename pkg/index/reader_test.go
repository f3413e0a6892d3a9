package index_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

func (w *world) reader(p *score.Project) *index.Reader {
	return &index.Reader{Deployment: w.deployment, Chain: w, Project: p.ID, Times: true}
}

// read reads all there is after a progress.
func (w *world) read(p *score.Project, from index.Progress) (at index.Progress, all []index.Executed, err error) {
	at = from
	err = w.reader(p).Read(w.t.Context(), from, func(now index.Progress, some []index.Executed) error {
		at, all = now, append(all, some...)
		return nil
	})
	return at, all, err
}

// TestReader reads a project that lives beside another one, at once and in many pieces, and adds its updates up to the contract's scores.
func TestReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := project(1), project(2)
	_, _, err := w.read(p, index.Progress{})
	require.ErrorIs(t, err, index.ErrNoProject)
	w.create(other)
	w.create(p)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var pieces index.Progress
	var inPieces []index.Executed
	read := func() {
		at, some, err := w.read(p, pieces)
		require.NoError(t, err)
		pieces, inPieces = at, append(inPieces, some...)
	}
	want, actions := 0, uint8(len(p.Actions))
	for range 12 {
		mixed := append(w.fresh(p, 5), w.fresh(other, 4)...)
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if random.IntN(3) == 0 {
			mixed[0].Action, mixed[1].Signer, mixed[2].ScoreType = actions, common.Address{1}, 99
			mixed = append(mixed, mixed[3])
		}
		for i := range mixed {
			if mixed[i].Project == p.ID {
				want++
			}
		}
		w.relay(mixed...)
		switch random.IntN(4) {
		case 0:
			w.direct(w.fresh(p, 1)[0])
			want++
		case 1:
			read()
		case 2:
			w.call(ownerKey, registry.EncodeAddAction(p.ID, score.Action{Name: "buy", Points: random.Uint32N(1000) + 1}))
			newest := w.fresh(p, 1)
			newest[0].Action = actions // an update before it may have named it: that one stays without an action
			actions++
			w.relay(newest...)
			want++
		}
	}
	read()
	at, all, err := w.read(p, index.Progress{})
	require.NoError(t, err)
	require.Equal(t, all, inPieces)
	require.Equal(t, at, pieces)
	require.Len(t, all, want)

	sums, rejected := index.Scores{}, 0
	for i := range all {
		e := &all[i]
		sums.Add(e)
		header, err := w.node.Client().HeaderByHash(t.Context(), e.BlockHash)
		require.NoError(t, err)
		require.Equal(t, time.Unix(int64(header.Time), 0).UTC(), e.Time)
		if e.Outcome != score.Applied {
			require.Zero(t, e.Points)
			require.Equal(t, e.Outcome == score.UnknownAction, e.ActionName == "", "it is named as it was then")
			rejected++
		}
	}
	for n := range byte(5) { // the target wallets
		wallet := common.Address{19: n}
		has, err := registry.ReadWalletScores(p.ID, wallet).Do(t.Context(), func(ctx context.Context, data []byte) ([]byte, error) {
			return w.client.View(ctx, w.deployment.Contract, data)
		})
		require.NoError(t, err)
		for scoreType, value := range has {
			require.Equal(t, value, sums[index.ScoreKey{Wallet: wallet, ScoreType: uint8(scoreType)}], "of wallet %d", n)
		}
	}
	differ := func(key index.ScoreKey, has int64) { require.Fail(t, "differs", "%v has %d", key, has) }
	require.NoError(t, w.reader(p).Compare(t.Context(), at.At, sums, differ))
	wrong := index.ScoreKey{Wallet: common.Address{19: 1}}
	sums[wrong]++
	var found []index.ScoreKey
	require.NoError(t, w.reader(p).Compare(t.Context(), at.At, sums, func(key index.ScoreKey, _ int64) { found = append(found, key) }))
	require.Equal(t, []index.ScoreKey{wrong}, found)
}

// TestReaderUnderReorgs: blocks that were not final leave no trace, and final ones that are replaced are noticed.
func TestReaderUnderReorgs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.depth.Store(2)
	p := project(1)
	w.create(p)
	w.relay(w.fresh(p, 3)...)
	base := w.top().Number
	w.blocks(2)
	before, all, err := w.read(p, index.Progress{})
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, base, before.At.Number)

	w.reorg(base, func() { w.relay(w.fresh(p, 2)...) })
	at, all, err := w.read(p, before)
	require.NoError(t, err)
	require.LessOrEqual(t, len(all), 2)
	gone := at
	w.reorg(at.At.Number, func() { w.relay(w.fresh(p, 5)...) })
	w.blocks(2)
	at, all, err = w.read(p, at)
	require.NoError(t, err)
	require.Len(t, all, 5, "and none of what was not final")
	require.Greater(t, at.At.Number, gone.At.Number)

	w.reorg(base, func() { w.relay(w.fresh(p, 7)...) })
	w.blocks(2)
	_, all, err = w.read(p, at)
	require.ErrorIs(t, err, index.ErrReplaced)
	require.Empty(t, all)
	_, all, err = w.read(p, before)
	require.NoError(t, err, "this block is in both chains")
	require.Len(t, all, 7)
	w.depth.Store(w.top().Number)
	_, _, err = w.read(p, before)
	require.ErrorContains(t, err, "the final block is 0, and up to block 3 was read")
}
