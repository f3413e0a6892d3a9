package model_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// real is a real node, with the contract deployed.
type real struct {
	t     testing.TB
	id    uint64
	rpc   *rpc.Client
	mine  func()
	reorg func(depth int) // replaces the newest blocks; empties the pool or gives back what they held, as the node does
}

func (r *real) call(out any, method string, args ...any) error {
	return r.rpc.CallContext(r.t.Context(), out, method, args...)
}

func (r *real) must(out any, method string, args ...any) {
	r.t.Helper()
	require.NoError(r.t, r.call(out, method, args...), method)
}

// send is what the node says to raw bytes, as package chain understands it.
func (r *real) send(tx *types.Transaction) (txpool.Class, error) {
	err := r.call(nil, "eth_sendRawTransaction", hexutil.Encode(raw(r.t, tx)))
	return chain.Classify(err), err
}

func (r *real) nonce(of common.Address) uint64 {
	var n hexutil.Uint64
	r.must(&n, "eth_getTransactionCount", of, "latest")
	return uint64(n)
}

func (r *real) receipt(tx common.Hash) *types.Receipt {
	var receipt *types.Receipt
	r.must(&receipt, "eth_getTransactionReceipt", tx)
	return receipt
}

func (r *real) deploy() {
	admins := (&world{t: r.t, Chain: model.NewChain(model.Config{ID: r.id}, model.NewClock())}).sign(admin, 0, nil,
		registry.DeployData(time.Hour, devnet.Address(admin), []common.Address{devnet.Address(relayerA), devnet.Address(relayerB)}),
		func(tx *types.DynamicFeeTx) { tx.Gas = registry.DeployGas })
	_, err := r.send(admins)
	require.NoError(r.t, err)
	require.Eventually(r.t, func() bool { // the pool takes a moment
		r.mine()
		return r.receipt(admins.Hash()) != nil
	}, 2*time.Minute, 10*time.Millisecond)
	require.Equal(r.t, types.ReceiptStatusSuccessful, r.receipt(admins.Hash()).Status)
}

func geth(t *testing.T) *real {
	t.Helper()
	c := fresh.NewChain(t)
	client, err := rpc.Dial(c.URL)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	r := &real{t: t, id: devnet.ChainID, rpc: client, mine: func() { c.Commit() }}
	r.reorg = func(depth int) {
		var head types.Header
		r.must(&head, "eth_getBlockByNumber", "latest", false)
		var parent types.Header
		r.must(&parent, "eth_getBlockByNumber", hexutil.EncodeBig(new(big.Int).Sub(head.Number, big.NewInt(int64(depth)))), false)
		c.Rollback()
		require.NoError(t, c.Fork(parent.Hash()))
	}
	r.deploy()
	return r
}

func anvil(t *testing.T) *real {
	t.Helper()
	a := fresh.NewAnvil(t, fresh.AnvilOptions{})
	r := &real{t: t, id: devnet.ChainID, rpc: a.Client()}
	r.mine = func() { require.NoError(t, a.Mine(t.Context(), 1)) }
	r.reorg = func(depth int) { require.NoError(t, a.Reorg(t.Context(), depth)) }
	r.deploy()
	return r
}

// pair plays the same on a model and a real node.
type pair struct {
	*world
	real   *real
	client *model.Client
	nonces map[int]uint64 // of the next transaction of an account
	sent   map[common.Hash]*types.Transaction
}

func newPair(t *testing.T, r *real, seed uint64) *pair {
	w := newWorld(t, r.id, rand.New(rand.NewPCG(seed, 0)))
	return &pair{world: w, real: r, client: w.NewClient(w.node), nonces: map[int]uint64{admin: 1}, sent: map[common.Hash]*types.Transaction{}}
}

// send gives both the transaction, and wants the same answer.
func (p *pair) send(what string, tx *types.Transaction) txpool.Class {
	p.t.Helper()
	want, err := p.real.send(tx)
	have := p.client.Send(p.t.Context(), [][]byte{raw(p.t, tx)})[0].Class
	require.Equal(p.t, want.String(), have.String(), "%s: the node says %v", what, err)
	p.sent[tx.Hash()] = tx
	return have
}

// settle waits until the real pool holds what the model's does: it works in the background.
func (p *pair) settle() {
	p.t.Helper()
	var status struct{ Pending, Queued hexutil.Uint64 }
	ready, all := len(p.node.Ready(p.Head())), len(p.node.Pool())
	require.Eventually(p.t, func() bool {
		p.real.must(&status, "txpool_status")
		return int(status.Pending) == ready && int(status.Queued) == all-ready
	}, 2*time.Minute, 2*time.Millisecond, "the model has %d ready of %d, the node %+v", ready, all, &status)
}

// mine makes a block on both and compares what is in it.
func (p *pair) mineBoth() {
	p.t.Helper()
	p.settle()
	p.real.mine()
	p.clock.Advance(time.Second)
	p.compare(p.mine())
	p.settle()
}

// compare holds a block's receipts, and the accounts, against the real ones.
func (p *pair) compare(b *model.Block) {
	p.t.Helper()
	for i, tx := range b.Txs {
		have, want := b.Receipts[i], p.real.receipt(tx.Hash())
		require.NotNil(p.t, want, "a transaction of nonce %d is not in the real chain", tx.Nonce())
		require.Equal(p.t, want.Status, have.Status, "gas %d of %d", want.GasUsed, tx.Gas())
		require.Equal(p.t, want.TransactionIndex, have.TransactionIndex)
		require.Equal(p.t, want.Type, have.Type)
		require.Equal(p.t, want.Bloom, have.Bloom)
		require.Len(p.t, have.Logs, len(want.Logs))
		for k, l := range want.Logs {
			require.Equal(p.t, l.Address, have.Logs[k].Address)
			require.Equal(p.t, l.Topics, have.Logs[k].Topics)
			require.Equal(p.t, hexutil.Encode(l.Data), hexutil.Encode(have.Logs[k].Data))
			require.Equal(p.t, l.Index, have.Logs[k].Index)
		}
	}
	for _, i := range []int{admin, relayerA, relayerB, stranger} {
		require.Equal(p.t, p.real.nonce(devnet.Address(i)), b.Nonce(devnet.Address(i)), "account %d", i)
	}
}
