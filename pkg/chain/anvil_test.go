package chain_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// anvil is the second node client that the program is tried with.
func anvil(t *testing.T) (url string, node *rpc.Client) {
	t.Helper()
	a := fresh.NewAnvil(t, fresh.AnvilOptions{})
	return a.URL, a.Client()
}

func TestAnvil(t *testing.T) {
	t.Parallel()
	url, node := anvil(t)
	ctx := t.Context()
	mine := func() { require.NoError(t, node.CallContext(ctx, nil, "evm_mine")) }
	c := dial(t, chain.Config{URLs: []string{url}})
	id, err := c.ChainID(ctx)
	require.NoError(t, err)
	key, err := crypto.HexToECDSA("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
	require.NoError(t, err)
	from := crypto.PubkeyToAddress(key.PublicKey)
	tx := func(nonce uint64, change func(*types.DynamicFeeTx)) *types.Transaction {
		inner := &types.DynamicFeeTx{
			ChainID: new(big.Int).SetUint64(id), Nonce: nonce, To: &from, Gas: 100_000, GasFeeCap: big.NewInt(10 * gwei), GasTipCap: big.NewInt(gwei),
		}
		if change != nil {
			change(inner)
		}
		signed, err := types.SignNewTx(key, types.LatestSignerForChainID(inner.ChainID), inner)
		require.NoError(t, err)
		return signed
	}

	before := newest(t, c)
	first := tx(0, nil)
	send(t, c, first, tx(1, nil))
	require.Equal(t, txpool.Known, sendAll(t, c, first)[0].Class)
	mine()
	head := newest(t, c)
	require.Equal(t, before.Hash, head.Parent)
	for name, want := range map[string]struct {
		tx    *types.Transaction
		class txpool.Class
	}{
		"nonce used":    {tx(0, func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }), txpool.NonceLow},
		"below base":    {tx(2, func(tx *types.DynamicFeeTx) { tx.GasFeeCap, tx.GasTipCap = big.NewInt(1), big.NewInt(1) }), txpool.FeeLow},
		"tip above cap": {tx(2, func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(11 * gwei) }), txpool.Invalid},
		"little gas":    {tx(2, func(tx *types.DynamicFeeTx) { tx.Gas = 20_000 }), txpool.BadGas},
		"no money":      {tx(2, func(tx *types.DynamicFeeTx) { tx.Value = new(big.Int).Lsh(big.NewInt(1), 100) }), txpool.Funds},
		"gap":           {tx(9, nil), txpool.Added},
	} {
		r := sendAll(t, c, want.tx)[0]
		require.Equal(t, want.class, r.Class, "%s: %v", name, r.Err)
	}

	// Reads are pinned to a block.
	require.Zero(t, account(t, c, before.Hash, from).Nonce)
	require.Equal(t, uint64(2), account(t, c, head.Hash, from).Nonce)
	_, err = c.Finalized(ctx)
	require.NoError(t, err)

	// Calls, and what refuses them.
	no, forever := common.Address{0xaa}, common.Address{0xbb}
	require.NoError(t, node.CallContext(ctx, nil, "anvil_setCode", no, "0x"+common.Bytes2Hex(reverts)))
	require.NoError(t, node.CallContext(ctx, nil, "anvil_setCode", forever, "0x"+common.Bytes2Hex(loops)))
	mine()
	head = newest(t, c)
	var revert *evidence.RevertError
	_, err = c.Call(ctx, evidence.Call{From: from, To: no, Gas: 100_000}, head.Hash)
	require.ErrorAs(t, err, &revert)
	require.Equal(t, common.FromHex("0xdeadbeef"), revert.Data)
	for _, gas := range []uint64{30_000, 20_000} {
		revert = nil
		_, err = c.Call(ctx, evidence.Call{From: from, To: forever, Gas: gas}, head.Hash)
		require.True(t, errors.As(err, &revert) && revert.OutOfGas, "%d gas: %v", gas, err)
	}
	require.NoError(t, c.Logs(ctx, no, nil, 0, head.Number, func(evidence.Block, []types.Log) error { return nil }))

	// A reorg in which the transactions vanish.
	require.NoError(t, node.CallContext(ctx, nil, "anvil_reorg", 2, []any{}))
	now := newest(t, c)
	require.NotEqual(t, head.Hash, now.Hash)
	require.Zero(t, account(t, c, now.Hash, from).Nonce)
	_, err = c.Read(ctx, evidence.Ask{At: head, Accounts: []common.Address{from}}) // a block that is gone
	require.ErrorContains(t, err, "does not know the block")
}

func TestAnvilTransact(t *testing.T) {
	t.Parallel()
	url, node := anvil(t)
	require.NoError(t, node.Call(nil, "evm_setIntervalMining", 1))
	c := dial(t, chain.Config{URLs: []string{url}})
	key, err := signer.FromHex("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", discard())
	require.NoError(t, err)
	receipt, err := c.Transact(t.Context(), key.For(devnet.ChainID), nil, append(common.FromHex("0x600a600c600039600a6000f3"), answers7...))
	require.NoError(t, err)
	out, err := c.View(t.Context(), receipt.ContractAddress, nil)
	require.NoError(t, err)
	require.Len(t, out, 32)
}
