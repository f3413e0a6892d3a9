package chain_test

import (
	"crypto/ecdsa"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// emitter is a contract of every node here, whose log (one, without topics) each call makes.
var emitter = common.Address{0xdd}

// anyNode is a real geth or anvil that makes blocks when told to.
type anyNode struct {
	url    string
	id     int64
	commit func()
	settle func()              // empties the pool, and waits until what earlier blocks change in it is done
	keys   []*ecdsa.PrivateKey // of accounts with money
	nonces map[int]uint64
	direct *chain.Client
}

// onBoth runs a test on geth and on anvil, beside other tests.
func onBoth(t *testing.T, test func(t *testing.T, n *anyNode)) {
	t.Parallel()
	t.Run("geth", func(t *testing.T) {
		t.Parallel()
		test(t, geth(t))
	})
	t.Run("anvil", func(t *testing.T) {
		t.Parallel()
		url, client := anvil(t)
		require.NoError(t, client.CallContext(t.Context(), nil, "anvil_setCode", emitter, hexutil.Bytes(logs)))
		n := &anyNode{url: url, id: devnet.ChainID, nonces: map[int]uint64{}, settle: func() {}, commit: func() {
			require.NoError(t, client.CallContext(t.Context(), nil, "evm_mine"))
		}}
		for i := range 3 {
			key := devnet.Key(i)
			n.keys = append(n.keys, key)
			million := (*hexutil.Big)(new(big.Int).Lsh(big.NewInt(1), 80))
			require.NoError(t, client.CallContext(t.Context(), nil, "anvil_setBalance", crypto.PubkeyToAddress(key.PublicKey), million))
		}
		n.direct = dial(t, chain.Config{URLs: []string{url}})
		n.commit()
		test(t, n)
	})
}

func geth(t *testing.T) *anyNode {
	t.Helper()
	n, direct := chainWith(t, map[common.Address][]byte{emitter: logs})
	return &anyNode{
		url: n.URL, id: devnet.ChainID, commit: func() { n.Commit() }, settle: n.Rollback, nonces: map[int]uint64{}, direct: direct,
		keys: []*ecdsa.PrivateKey{devnet.Key(0), devnet.Key(1), devnet.Key(2)},
	}
}

func (n *anyNode) address(i int) common.Address { return crypto.PubkeyToAddress(n.keys[i].PublicKey) }

// tx is the i-th account's next transaction: a call of the emitter.
func (n *anyNode) tx(t *testing.T, i int, change ...func(*types.DynamicFeeTx)) *types.Transaction {
	t.Helper()
	inner := &types.DynamicFeeTx{
		ChainID: big.NewInt(n.id), Nonce: n.nonces[i], To: &emitter, Gas: 100_000, GasFeeCap: big.NewInt(100 * gwei), GasTipCap: big.NewInt(gwei),
	}
	for _, f := range change {
		f(inner)
	}
	n.nonces[i]++
	signed, err := types.SignNewTx(n.keys[i], types.LatestSignerForChainID(inner.ChainID), inner)
	require.NoError(t, err)
	return signed
}

// raw sends transactions past every client of the program.
func (n *anyNode) raw(t *testing.T, txs ...*types.Transaction) {
	t.Helper()
	client, err := rpc.DialContext(t.Context(), n.url)
	require.NoError(t, err)
	defer client.Close()
	for _, tx := range txs {
		require.NoError(t, client.CallContext(t.Context(), nil, "eth_sendRawTransaction", hexutil.Bytes(raw(t, tx))))
	}
}

// include makes one block that holds the transactions, into an empty pool.
//
// A reset of geth's pool counts an account's nonces from its state again, and then leaves in the queue what came since others of the account
// became pending: a block, whose making resets the pool too, would hold some of them. So none may be under way when they are sent, and
// all are pending before the block is made.
func (n *anyNode) include(t *testing.T, txs ...*types.Transaction) evidence.Block {
	t.Helper()
	n.settle()
	n.raw(t, txs...)
	client, err := rpc.DialContext(t.Context(), n.url)
	require.NoError(t, err)
	defer client.Close()
	for _, tx := range txs {
		from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			var next hexutil.Uint64
			require.NoError(t, client.CallContext(t.Context(), &next, "eth_getTransactionCount", from, "pending"))
			return uint64(next) > tx.Nonce()
		}, 2*time.Minute, time.Millisecond)
	}
	n.commit()
	b := newest(t, n.direct)
	require.Len(t, b.Txs, len(txs))
	return b
}

func hashes(txs ...*types.Transaction) (all []common.Hash) {
	for _, tx := range txs {
		all = append(all, tx.Hash())
	}
	return all
}
