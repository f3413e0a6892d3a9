package heads_test

import (
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// gethRig is a tracker on a real geth, through the real adapter.
type gethRig struct {
	*heads.Tracker
	t      *testing.T
	node   *devnet.Chain
	client *chain.Client
}

func newGethRig(t *testing.T, confirmations uint64) *gethRig {
	node := fresh.NewChain(t)
	client, err := chain.Dial(t.Context(), chain.Config{URLs: []string{node.URL}, Timeout: time.Minute}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	tracker := heads.New(heads.Config{Confirmations: confirmations}, client, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	return &gethRig{Tracker: tracker, t: t, node: node, client: client}
}

func (r *gethRig) tx(nonce uint64, to common.Address) *types.Transaction {
	tx, err := types.SignNewTx(devnet.Key(0), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, Gas: 21_000, To: &to, Value: big.NewInt(1),
		GasFeeCap: big.NewInt(10_000_000_000), GasTipCap: big.NewInt(1_000_000_000),
	})
	require.NoError(r.t, err)
	return tx
}

func (r *gethRig) send(tx *types.Transaction) {
	raw, err := tx.MarshalBinary()
	require.NoError(r.t, err)
	require.Contains(r.t, []txpool.Class{txpool.Added, txpool.Known}, r.client.Send(r.t.Context(), [][]byte{raw})[0].Class)
}

// until makes blocks and rounds until a View fits.
func (r *gethRig) until(s *heads.Subscription, fits func(evidence.View) bool) (v evidence.View) {
	require.Eventually(r.t, func() bool {
		r.node.Commit()
		require.NoError(r.t, r.Round(r.t.Context()))
		v = <-s.Views()
		return fits(v)
	}, 2*time.Minute, time.Millisecond)
	return v
}

func TestGeth(t *testing.T) {
	t.Parallel()
	r := newGethRig(t, 2)
	ctx := t.Context()
	s := r.Subscribe(devnet.Address(0), 0)
	s.Busy(true)
	require.NoError(t, r.Round(ctx))
	v := <-s.Views()
	require.True(t, v.Account.Proved)
	require.Positive(t, v.Account.Balance.Sign())
	require.Positive(t, v.Price.Tip)

	first, second := r.tx(0, common.Address{1}), r.tx(1, common.Address{1})
	s.Watch(0, first.Hash(), 0)
	s.Watch(1, second.Hash(), 0)
	r.send(first)
	v = r.until(s, func(v evidence.View) bool { return len(v.Included) == 1 })
	in := v.Included[first.Hash()]
	require.Equal(t, in.Block.Hash, in.Receipt.BlockHash)
	require.EqualValues(t, 1, in.Receipt.Status)
	r.until(s, func(v evidence.View) bool { return v.Final.Number > in.Block.Number })

	r.send(r.tx(1, common.Address{2})) // another program uses the key
	v = r.until(s, func(v evidence.View) bool { return len(v.Foreign) == 1 })
	require.Equal(t, r.tx(1, common.Address{2}).Hash(), v.Foreign[1].Tx.Hash())

	b, ok := r.Block(in.Block.Number)
	require.True(t, ok)
	s.Settled(0, in.Tx, in.Block, 0)
	height := v.Head.Number
	require.NoError(t, r.node.Fork(b.Parent)) // deeper than finality: everything above goes back to the pool
	r.node.Rollback()
	for range height - in.Block.Number + 3 {
		r.node.Commit()
	}
	require.NoError(t, r.Round(ctx))
	v = <-s.Views()
	require.Equal(t, []uint64{0}, v.Reorged)
	require.Empty(t, v.Foreign)
	s.Reopened(0)
	s.Watch(0, first.Hash(), 0)
	r.send(first)
	r.until(s, func(v evidence.View) bool { return len(v.Included) == 1 && len(v.Reorged) == 0 })
	used, limit := r.Filled()
	require.Positive(t, used)
	require.Greater(t, limit, used)
}

func TestGethFinalizedTag(t *testing.T) {
	t.Parallel()
	r := newGethRig(t, 0)
	for range 70 {
		r.node.Commit()
	}
	require.NoError(t, r.Round(t.Context()))
	final, ok := r.Final()
	require.True(t, ok)
	require.EqualValues(t, 64, final.Number)
}
