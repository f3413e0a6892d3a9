package model_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// TestModelIsAChain: what an honest node says passes every check of package evidence, on every branch.
func TestModelIsAChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1337, rand.New(rand.NewPCG(1, 1)))
	nonces := map[int]uint64{}
	for range 60 {
		for range w.draw(5) {
			from := []int{relayerA, relayerB, stranger}[w.draw(3)]
			data, gas := w.calldata()
			tx := w.sign(from, nonces[from], &w.Contract, data, func(tx *types.DynamicFeeTx) { tx.Gas = gas })
			class := w.NewClient(w.node).Send(t.Context(), [][]byte{raw(t, tx)})[0].Class
			if class == txpool.Added {
				nonces[from]++
			}
		}
		b := w.mine()
		if w.draw(10) == 0 && b.Number > 3 {
			fork := w.At(b.Number - 2)
			for range 3 {
				fork = w.Make(fork, w.node.Ready(fork), 0)
			}
			w.Adopt(fork)
			w.node.Sync()
			b = fork
		}
		require.Equal(t, b.Header.Hash(), b.Hash)
		require.Equal(t, b.Block.Parent, b.Parent.Hash)
		require.NoError(t, evidence.CheckReceipts(&b.Block, b.Receipts))
		var txs types.Transactions
		for i, tx := range b.Txs {
			txs = append(txs, tx.Transaction)
			require.NoError(t, evidence.CheckReceipt(&b.Block, b.Receipts[i]))
		}
		require.NoError(t, evidence.CheckTransactions(&b.Block, txs))
		client := w.NewClient(w.node)
		answer, err := client.Read(t.Context(), evidence.Ask{At: b.Block, Accounts: []common.Address{devnet.Address(relayerA), {0x99}}, Price: true})
		require.NoError(t, err)
		require.Equal(t, evidence.Account{
			Nonce: b.Nonce(devnet.Address(relayerA)), Balance: b.Balance(devnet.Address(relayerA)), At: b.Ref(), Proved: true,
		}, answer.Accounts[devnet.Address(relayerA)])
		require.True(t, answer.Accounts[common.Address{0x99}].Proved, "that there is no such account is proved")
		require.Zero(t, client.Contradictions)
	}
}

// TestModelExecutesLikeGeth plays random creations and batches, in which much is wrong, on geth and the model: receipts,
// events byte for byte, and nonces must be the same. So must what a call says that is not sent.
func TestModelExecutesLikeGeth(t *testing.T) {
	t.Parallel()
	p := newPair(t, geth(t), 2)
	for range 60 {
		for range 1 + p.draw(6) {
			from := []int{relayerA, relayerA, relayerB, relayerB, stranger}[p.draw(5)]
			data, gas := p.calldata()
			if p.draw(8) == 0 {
				gas = 21_000 + 40*uint64(len(data)) + 2_000 // not enough for anything but being included
			}
			p.dryRun(from, data, gas)
			tx := p.sign(from, p.nonces[from], &p.Contract, data, func(tx *types.DynamicFeeTx) { tx.Gas = gas })
			require.Equal(t, txpool.Added, p.send("a call", tx))
			p.nonces[from]++
		}
		if p.draw(10) == 0 {
			p.toggleRole()
		}
		p.mineBoth()
		p.compareViews()
	}
	require.NotEmpty(t, p.Head().Scores())
}

// compareViews asks both what a lane may ask of a project.
func (p *pair) compareViews() {
	p.t.Helper()
	view := func(ctx context.Context, data []byte) ([]byte, error) {
		return p.client.Call(ctx, evidence.Call{To: p.Contract, Data: data}, p.Head().Hash)
	}
	really := func(_ context.Context, data []byte) (out []byte, err error) {
		var answer hexutil.Bytes
		err = p.real.call(&answer, "eth_call", map[string]any{"to": p.Contract, "input": hexutil.Bytes(data)}, "latest")
		return answer, err
	}
	for id := range byte(5) {
		project := score.ProjectID{id}
		have, err := registry.ReadProject(project).Do(p.t.Context(), view)
		require.NoError(p.t, err)
		want, err := registry.ReadProject(project).Do(p.t.Context(), really)
		require.NoError(p.t, err)
		require.Equal(p.t, want.Exists(), have.Exists())
		have.CreatedBlock = want.CreatedBlock // the model's chain has no deployment
		require.Equal(p.t, want, have)
	}
}

// dryRun runs a call on both without sending it.
func (p *pair) dryRun(from int, data []byte, gas uint64) {
	p.t.Helper()
	err := p.real.call(nil, "eth_call", map[string]any{
		"from": devnet.Address(from), "to": p.Contract, "gas": hexutil.Uint64(gas), "input": hexutil.Bytes(data),
	}, "latest")
	_, have := p.client.Call(p.t.Context(), evidence.Call{From: devnet.Address(from), To: p.Contract, Gas: gas, Data: data}, p.Head().Hash)
	require.Equal(p.t, err == nil, have == nil, "geth: %v, the model: %v", err, have)
	if err == nil {
		return
	}
	var refusal *evidence.RevertError
	require.ErrorAs(p.t, have, &refusal)
	var withData rpc.DataError
	if errors.As(err, &withData) && withData.ErrorData() != nil && withData.ErrorData() != "0x" {
		want := registry.DecodeRevert(hexutil.MustDecode(withData.ErrorData().(string)))
		if want.Name != registry.RevertBadFraming {
			require.Equal(p.t, want.Error(), registry.DecodeRevert(refusal.Data).Error())
		}
	}
}

// toggleRole takes the relayer role from the second relayer, or gives it back.
func (p *pair) toggleRole() {
	data := calls.RevokeRelayer(devnet.Address(relayerB))
	if p.nonces[admin]%2 == 0 {
		data = registry.EncodeGrantRelayer(devnet.Address(relayerB))
	}
	tx := p.sign(admin, p.nonces[admin], &p.Contract, data, func(tx *types.DynamicFeeTx) { tx.Gas = 100_000 })
	require.Equal(p.t, txpool.Added, p.send("a change of roles", tx))
	p.nonces[admin]++
}

// TestModelPoolIsLikeGeths: the same answers to good and bad transactions, and the same ones in the next block.
func TestModelPoolIsLikeGeths(t *testing.T) {
	t.Parallel()
	p := newPair(t, geth(t), 3)
	self := devnet.Address(relayerA)
	transfer := func(nonce uint64, change func(*types.DynamicFeeTx)) *types.Transaction {
		return p.sign(relayerA, nonce, &self, nil, change)
	}
	times := func(percent int64) func(*types.DynamicFeeTx) {
		return func(tx *types.DynamicFeeTx) {
			tx.GasTipCap = new(big.Int).Div(new(big.Int).Mul(tx.GasTipCap, big.NewInt(percent)), big.NewInt(100))
			tx.GasFeeCap = new(big.Int).Div(new(big.Int).Mul(tx.GasFeeCap, big.NewInt(percent)), big.NewInt(100))
			tx.Gas = 30_000
		}
	}
	for range 25 {
		nonce := p.Head().Nonce(self)
		first := transfer(nonce, times(100))
		require.Equal(t, txpool.Added, p.send("a transfer", first))
		require.Equal(t, txpool.Known, p.send("the same", first))
		next := transfer(nonce+1, times(100))
		require.Equal(t, txpool.Added, p.send("the next", next))
		require.Equal(t, txpool.ReplacementUnderpriced, p.send("a cheap replacement", transfer(nonce, times(int64(101+p.draw(9))))))
		require.Equal(t, txpool.Added, p.send("a replacement", transfer(nonce, times(int64(110+p.draw(30))))))
		require.Equal(t, txpool.Added, p.send("behind a gap", transfer(nonce+3, times(100))))
		if nonce > 0 {
			require.Equal(t, txpool.NonceLow, p.send("an old nonce", transfer(nonce-1, times(100))))
		}
		require.Equal(t, txpool.Funds, p.send("too dear", transfer(nonce+2, func(tx *types.DynamicFeeTx) {
			tx.Value, tx.Gas = new(big.Int).Lsh(big.NewInt(1), 90), 30_000
		})))
		require.Equal(t, txpool.BadGas, p.send("without gas", transfer(nonce+2, func(tx *types.DynamicFeeTx) { tx.Gas = 20_999 })))
		require.Equal(t, txpool.TooBig, p.send("with more gas than a transaction may have", transfer(nonce+2, func(tx *types.DynamicFeeTx) { tx.Gas = 1<<24 + 1 })))
		require.Equal(t, txpool.Invalid, p.send("of another chain", transfer(nonce+2, func(tx *types.DynamicFeeTx) { tx.ChainID = big.NewInt(5) })))
		require.Equal(t, txpool.Invalid, p.send("a tip above the cap", transfer(nonce+2, func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(101 * gwei) })))
		p.mineBoth()
		require.Equal(t, nonce+2, p.Head().Nonce(self))
		require.Equal(t, txpool.Added, p.send("into the gap", transfer(nonce+2, times(100))))
		p.mineBoth()
		require.Equal(t, nonce+4, p.Head().Nonce(self))
	}
}

// TestModelReorgsLikeGeth: what replaced blocks held is in the pool again.
func TestModelReorgsLikeGeth(t *testing.T) {
	t.Parallel()
	p := newPair(t, geth(t), 4)
	p.node.Keeps = true
	p.reorgs(t)
}

// TestModelReorgsLikeAnvil: what replaced blocks held is gone.
func TestModelReorgsLikeAnvil(t *testing.T) {
	t.Parallel()
	p := newPair(t, anvil(t), 5)
	p.node.Keeps = false
	p.reorgs(t)
}

// reorgs makes blocks, replaces some, and makes more.
func (p *pair) reorgs(t *testing.T) {
	for range 12 {
		for range 2 + p.draw(4) {
			for _, from := range []int{relayerA, relayerB} {
				data, gas := p.calldata()
				nonce := p.Head().Nonce(devnet.Address(from))
				require.Equal(t, txpool.Added, p.send("a call", p.sign(from, nonce, &p.Contract, data, func(tx *types.DynamicFeeTx) { tx.Gas = gas })))
			}
			p.mineBoth()
		}
		depth := 1 + p.draw(2)
		p.real.reorg(depth)
		fork := p.At(p.Head().Number - uint64(depth))
		if !p.node.Keeps {
			for range depth { // anvil makes as many new blocks, without them
				fork = p.Make(fork, nil, 0)
			}
		}
		p.Adopt(fork)
		p.node.Sync()
		p.compareAccounts()
		p.mineBoth()
	}
}

func (p *pair) compareAccounts() {
	for _, i := range []int{relayerA, relayerB} {
		require.Equal(p.t, p.real.nonce(devnet.Address(i)), p.Head().Nonce(devnet.Address(i)), "account %d", i)
	}
}
