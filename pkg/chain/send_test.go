package chain_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/txpool"
)

const gwei = 1_000_000_000

// sign signs for devnet's i-th account.
func sign(t *testing.T, i int, tx types.TxData) *types.Transaction {
	t.Helper()
	signed, err := types.SignNewTx(devnet.Key(i), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), tx)
	require.NoError(t, err)
	return signed
}

// transfer is a signed transfer of nothing from devnet's i-th account; change may alter it first.
func transfer(t *testing.T, i int, nonce uint64, change ...func(*types.DynamicFeeTx)) *types.Transaction {
	t.Helper()
	to := devnet.Address(i)
	tx := &types.DynamicFeeTx{
		ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, To: &to, Gas: 21_000, GasFeeCap: big.NewInt(10 * gwei), GasTipCap: big.NewInt(gwei),
	}
	for _, f := range change {
		f(tx)
	}
	return sign(t, i, tx)
}

func raw(t *testing.T, tx *types.Transaction) []byte {
	t.Helper()
	b, err := tx.MarshalBinary()
	require.NoError(t, err)
	return b
}

// send hands transactions to the client and wants all of them taken.
func send(t *testing.T, c *chain.Client, txs ...*types.Transaction) {
	t.Helper()
	for i, r := range sendAll(t, c, txs...) {
		require.True(t, r.Class.Taken(), "transaction %d: %s: %v", i, r.Class, r.Err)
	}
}

func sendAll(t *testing.T, c *chain.Client, txs ...*types.Transaction) []txpool.Result {
	t.Helper()
	var all [][]byte
	for _, tx := range txs {
		all = append(all, raw(t, tx))
	}
	results := c.Send(t.Context(), all)
	require.Len(t, results, len(txs))
	return results
}

// What a real geth says of each kind of transaction.
func TestSendClassesOfGeth(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t, devnet.ChainOptions{Adjust: func(_ *node.Config, cfg *ethconfig.Config) { cfg.RPCTxFeeCap = 1 }})
	c := dial(t, chain.Config{URLs: []string{node.URL}})

	used := transfer(t, 0, 0)
	send(t, c, used)
	node.Commit()
	pending := transfer(t, 0, 1)
	send(t, c, pending)

	poor := 10_000 // an account without money
	for name, want := range map[string]struct {
		tx    *types.Transaction
		class txpool.Class
	}{
		"again":         {pending, txpool.Known},
		"mined":         {used, txpool.NonceLow},
		"another mined": {transfer(t, 0, 0, func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }), txpool.NonceLow},
		"too cheap a replacement": {
			transfer(t, 0, 1, func(tx *types.DynamicFeeTx) { tx.GasFeeCap = big.NewInt(10*gwei + 1) }),
			txpool.ReplacementUnderpriced,
		},
		"no tip":        {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(0) }), txpool.FeeLow},
		"tip above cap": {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(11 * gwei) }), txpool.Invalid},
		"no money":      {transfer(t, poor, 0), txpool.Funds},
		"little gas":    {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) { tx.Gas = 20_000 }), txpool.BadGas},
		"below the floor": {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) {
			tx.Gas, tx.Data = 85_100, make4000(t)
		}), txpool.BadGas},
		"much gas":   {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) { tx.Gas = 1<<24 + 1 }), txpool.TooBig},
		"many bytes": {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) { tx.Gas, tx.Data = 1<<24, make([]byte, 131_072) }), txpool.TooBig},
		"above the RPC's fee cap": {transfer(t, 1, 0, func(tx *types.DynamicFeeTx) {
			tx.Gas, tx.GasFeeCap = 10_000_000, big.NewInt(200*gwei)
		}), txpool.FeeCapRPC},
		"gap": {transfer(t, 1, 5), txpool.Added},
	} {
		r := sendAll(t, c, want.tx)[0]
		require.Equal(t, want.class, r.Class, "%s: %v", name, r.Err)
		require.Equal(t, want.class.Taken(), r.Err == nil, name)
	}

	otherChain, err := types.SignNewTx(devnet.Key(1), types.LatestSignerForChainID(big.NewInt(99)),
		&types.DynamicFeeTx{ChainID: big.NewInt(99), Gas: 21_000, To: &common.Address{}, GasFeeCap: big.NewInt(gwei), GasTipCap: big.NewInt(1)})
	require.NoError(t, err)
	require.Equal(t, txpool.Invalid, sendAll(t, c, otherChain)[0].Class)
}

func make4000(t *testing.T) []byte {
	t.Helper()
	data := make([]byte, 4000)
	for i := range data {
		data[i] = 1
	}
	return data
}

func TestSendPoolFull(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t, devnet.ChainOptions{Adjust: func(_ *node.Config, cfg *ethconfig.Config) {
		cfg.TxPool.GlobalSlots, cfg.TxPool.GlobalQueue, cfg.TxPool.AccountSlots, cfg.TxPool.AccountQueue = 1, 1, 1, 1
	}})
	c := dial(t, chain.Config{URLs: []string{node.URL}})
	send(t, c, transfer(t, 0, 0), transfer(t, 1, 0))
	refused := map[txpool.Class]bool{}
	for i := 2; i < 6; i++ {
		for nonce := range uint64(3) {
			r := sendAll(t, c, transfer(t, i, nonce, func(tx *types.DynamicFeeTx) {
				tx.GasTipCap = big.NewInt(gwei + int64(i)) // higher prices, with gaps once the first is refused
			}))[0]
			refused[r.Class] = true
		}
	}
	require.NotContains(t, refused, txpool.Unknown)
	require.NotContains(t, refused, txpool.Invalid)
}

func TestSendInOrderAndInParts(t *testing.T) {
	t.Parallel()
	node, c := start(t)
	var txs []*types.Transaction
	for nonce := range uint64(16) { // 16 × 100 kB do not fit one request
		txs = append(txs, transfer(t, 0, nonce, func(tx *types.DynamicFeeTx) {
			tx.Gas, tx.Data = 2_000_000, make([]byte, 100_000)
		}))
	}
	send(t, c, txs...)
	mined(t, node, c, devnet.Address(0), uint64(len(txs)))
}

func TestSendToAllEndpoints(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	var nonce uint64
	for name, first := range map[string]fault{
		"both fine": nil, "one refuses for good": refuse("invalid sender"), "one is down": status(503), "one hangs, not received": hang(false),
	} {
		p := newProxy(t, node.URL, first)
		r := sendAll(t, dial(t, chain.Config{URLs: []string{p.URL, node.URL}}), transfer(t, 0, nonce))[0]
		require.True(t, r.Class.Taken(), "%s: %s: %v", name, r.Class, r.Err)
		nonce++
	}
	node.Commit()
}

// Failed, and failed but delivered, look the same, and neither is a refusal.
func TestSendAmbiguous(t *testing.T) {
	t.Parallel()
	for name, delivered := range map[string]bool{"not delivered": false, "delivered": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := fresh.NewChain(t)
			p := newProxy(t, node.URL, hang(delivered))
			refusing := newProxy(t, node.URL, refuse("intrinsic gas too low"))
			tx := transfer(t, 0, 0)
			r := sendAll(t, dial(t, chain.Config{URLs: []string{p.URL, refusing.URL}, Timeout: 2 * time.Second}), tx)[0]
			require.Equal(t, txpool.Timeout, r.Class)
			require.Error(t, r.Err)

			c := dial(t, chain.Config{URLs: []string{node.URL}})
			send(t, c, tx) // the same bytes, again: accepted or known
			mined(t, node, c, devnet.Address(0), 1)
		})
	}
}

// Only what every endpoint that got the bytes refuses is refused.
func TestSendVerdict(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	for _, c := range []struct {
		first, second string
		want          txpool.Class
	}{
		{"invalid sender", "nonce too low", txpool.NonceLow},
		{"invalid sender", "what is this", txpool.Unknown},
		{"nonce too low", "txpool is full", txpool.NonceLow},
		{"insufficient funds", "intrinsic gas too low", txpool.Funds},
		{"replacement transaction underpriced", "already known", txpool.Known},
		{"invalid sender", "oversized data", txpool.TooBig},
	} {
		a, b := newProxy(t, node.URL), newProxy(t, node.URL)
		a.inject(refuse(c.first))
		b.inject(refuse(c.second))
		client := dial(t, chain.Config{URLs: []string{a.URL, b.URL}})
		require.Equal(t, c.want, sendAll(t, client, transfer(t, 0, 0))[0].Class, "%s, %s", c.first, c.second)
	}

	// An endpoint that the bytes cannot have reached has no say.
	gone, refusing := newProxy(t, ""), newProxy(t, node.URL)
	gone.Close()
	refusing.inject(refuse("oversized data"))
	client := dial(t, chain.Config{URLs: []string{gone.URL, refusing.URL}})
	require.Equal(t, txpool.TooBig, sendAll(t, client, transfer(t, 0, 0))[0].Class)
}
