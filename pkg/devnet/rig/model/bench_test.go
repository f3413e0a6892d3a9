package model_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// BenchmarkSchedule is what a schedule of the simulation asks of the models: 100 blocks of three transactions, seen by two
// clients over two nodes each, and journaled.
func BenchmarkSchedule(b *testing.B) {
	seed := uint64(0)
	for b.Loop() {
		seed++
		w, j := newWorld(b, 1337, rand.New(rand.NewPCG(seed, 0))), model.NewJournal()
		other := w.NewNode("b", 2)
		clients := []*model.Client{w.NewClient(w.node, other), w.NewClient(other, w.node)}
		nonces, last := map[int]uint64{}, uint64(0)
		for range 100 {
			var sent []common.Hash
			for _, from := range []int{relayerA, relayerB, stranger} {
				data, gas := w.calldata()
				tx := w.sign(from, nonces[from], &w.Contract, data, func(tx *types.DynamicFeeTx) { tx.Gas = gas })
				last, _ = j.Append(b.Context(), 0, last, lane.Entry{Version: lane.Version, Bind: &lane.Bind{Nonce: nonces[from], Raw: raw(b, tx)}})
				require.Equal(b, txpool.Added, clients[0].Send(b.Context(), [][]byte{raw(b, tx)})[0].Class)
				nonces[from]++
				sent = append(sent, tx.Hash())
			}
			head := w.mine()
			other.Sync()
			for _, c := range clients {
				claims, err := c.Latest(b.Context())
				require.NoError(b, err)
				answer, err := c.Read(b.Context(), evidence.Ask{
					At: claims[0].Block, Accounts: []common.Address{devnet.Address(relayerA)}, Price: true,
					Receipts: []evidence.Wanted{{Block: claims[0].Block, Txs: sent}},
				})
				require.NoError(b, err)
				require.Len(b, answer.Receipts, len(head.Txs))
			}
		}
		_, err := j.Load(b.Context(), score.Lane(0), func(lane.Entry) {})
		require.NoError(b, err)
	}
}
