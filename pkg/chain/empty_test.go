package chain_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestReceiptsOfABlockThatAreEmptyForGood, at a sole endpoint: the receipts of its transactions stand in, if they are under the root, and
// if the block is no longer new.
func TestReceiptsOfABlockThatAreEmptyForGood(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		first, second := n.tx(t, 0), n.tx(t, 1)
		n.include(t, first, second)
		old := rpcproxy.Rules{Name: "an hour ago", Header: func(_ uint64, h *types.Header) { h.Time -= min(h.Time, 3600) }}
		young := rpcproxy.Rules{Name: "in an hour", Header: func(_ uint64, h *types.Header) { h.Time += 3600 }}
		for name, lie := range map[string]rpcproxy.Fault{
			"empty": rpcproxy.Empty(rpcproxy.BlockReceipts), "null": rpcproxy.Null(rpcproxy.BlockReceipts),
		} {
			t.Run(name, func(t *testing.T) {
				p, err := rpcproxy.Start(n.url, 1)
				require.NoError(t, err)
				t.Cleanup(p.Close)
				p.Add(rpcproxy.NewEmulator(old).Fault(), lie)
				c := dial(t, chain.Config{URLs: []string{p.URL}})
				b := newest(t, c)
				require.True(t, b.Checked)
				learnt := read(t, c, evidence.Ask{At: b, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(first)}}})
				require.Equal(t, uint64(1), learnt.Receipts[first.Hash()].Status)
				logs, paid, err := c.Events(ctx, []evidence.Block{b}, emitter, nil)
				require.NoError(t, err)
				require.Len(t, logs, 2)
				require.Len(t, paid, 2)
				for i, tx := range []*types.Transaction{first, second} {
					require.Equal(t, tx.Hash(), logs[i].TxHash)
					require.Equal(t, uint(i), logs[i].Index)
				}

				remove := p.Add(rpcproxy.Reverted()) // single receipts that the root does not cover
				_, _, err = dial(t, chain.Config{URLs: []string{p.URL}}).Events(ctx, []evidence.Block{b}, emitter, nil)
				require.ErrorIs(t, err, evidence.ErrContradiction)
				remove()
				for _, away := range []rpcproxy.Fault{
					rpcproxy.Null(rpcproxy.TransactionReceipt),
					{Name: "another branch", Methods: []string{rpcproxy.TransactionReceipt}, Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
						a.Result = bytes.ReplaceAll(a.Result, []byte(b.Hash.Hex()), []byte(b.Parent.Hex()))
					}},
				} {
					remove := p.Add(away)
					_, _, err = dial(t, chain.Config{URLs: []string{p.URL}}).Events(ctx, []evidence.Block{b}, emitter, nil)
					require.Error(t, err, "nothing is learnt")
					require.Equal(t, name == "empty", errors.Is(err, evidence.ErrContradiction), "what an endpoint does not have is no lie")
					remove()
				}

				q, err := rpcproxy.Start(n.url, 1)
				require.NoError(t, err)
				t.Cleanup(q.Close)
				q.Add(rpcproxy.NewEmulator(young).Fault(), lie)
				c = dial(t, chain.Config{URLs: []string{q.URL}})
				_, _, err = c.Events(ctx, []evidence.Block{newest(t, c)}, emitter, nil)
				require.Error(t, err, "the block is new: its receipts may come yet")
				require.Zero(t, q.Stats().Calls[rpcproxy.TransactionReceipt])
			})
		}
	})
}
