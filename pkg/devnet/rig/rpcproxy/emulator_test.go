package rpcproxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

// told is JSON as an endpoint gives it.
type told = map[string]any

func decoded[T any](t testing.TB, c *rpc.Client, method string, args ...any) (out T) {
	t.Helper()
	require.NoError(t, c.Call(&out, method, args...), method)
	return out
}

// item is a field as RLP has it: a quantity is a number, everything else is bytes.
func item(t testing.TB, fields told, name string) any {
	t.Helper()
	text, ok := fields[name].(string)
	require.True(t, ok, "%s is missing", name)
	switch name {
	case "difficulty", "number", "gasLimit", "gasUsed", "timestamp", "baseFeePerGas", "blobGasUsed",
		"excessBlobGas", "extDataGasUsed", "blockGasCost":
		return hexutil.MustDecodeBig(text)
	}
	return hexutil.MustDecode(text)
}

// headerHash hashes a block's header, which has these fields after the nonce.
func headerHash(t testing.TB, block told, more ...string) common.Hash {
	t.Helper()
	var items []any
	for _, name := range append([]string{
		"parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom", "difficulty",
		"number", "gasLimit", "gasUsed",
		"timestamp", "extraData", "mixHash", "nonce",
	}, more...) {
		items = append(items, item(t, block, name))
	}
	raw, err := rlp.EncodeToBytes(items)
	require.NoError(t, err)
	return crypto.Keccak256Hash(raw)
}

// trieRoot is the root of the trie of a list, in a trie that keeps its nodes.
func trieRoot(t testing.TB, list [][]byte) string {
	t.Helper()
	if len(list) == 0 {
		return types.EmptyRootHash.Hex()
	}
	tr := trie.NewEmpty(triedb.NewDatabase(rawdb.NewMemoryDatabase(), nil))
	for i, raw := range list {
		require.NoError(t, tr.Update(rlp.AppendUint64(nil, uint64(i)), raw))
	}
	return tr.Hash().Hex()
}

// receiptBytes encodes a receipt from its fields.
func receiptBytes(t testing.TB, receipt told) []byte {
	t.Helper()
	number := func(name string) *big.Int { return hexutil.MustDecodeBig(receipt[name].(string)) }
	logs := []any{}
	for _, one := range receipt["logs"].([]any) {
		l := one.(told)
		var topics []any
		for _, topic := range l["topics"].([]any) {
			topics = append(topics, hexutil.MustDecode(topic.(string)))
		}
		logs = append(logs, []any{hexutil.MustDecode(l["address"].(string)), topics, hexutil.MustDecode(l["data"].(string))})
	}
	items := []any{number("status"), number("cumulativeGasUsed"), hexutil.MustDecode(receipt["logsBloom"].(string)), logs}
	if receipt["depositNonce"] != nil {
		items = append(items, number("depositNonce"), number("depositReceiptVersion"))
	}
	raw, err := rlp.EncodeToBytes(items)
	require.NoError(t, err)
	if kind := number("type").Uint64(); kind > 0 {
		raw = append([]byte{byte(kind)}, raw...)
	}
	return raw
}

// depositBytes encodes a deposit from its fields.
func depositBytes(t testing.TB, tx told) []byte {
	t.Helper()
	raw, err := rlp.EncodeToBytes([]any{
		hexutil.MustDecode(tx["sourceHash"].(string)), hexutil.MustDecode(tx["from"].(string)),
		hexutil.MustDecode(tx["to"].(string)),
		hexutil.MustDecodeBig(tx["mint"].(string)), hexutil.MustDecodeBig(tx["value"].(string)),
		hexutil.MustDecodeBig(tx["gas"].(string)),
		tx["isSystemTx"] == true, hexutil.MustDecode(tx["input"].(string)),
	})
	require.NoError(t, err)
	return append([]byte{0x7e}, raw...)
}

var (
	ethereum = []string{
		"baseFeePerGas", "withdrawalsRoot", "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot", "requestsHash",
	}
	avalanche = []string{"extDataHash", "baseFeePerGas", "extDataGasUsed", "blockGasCost"}
)

// emulated are the kinds of chains: which fields their headers have behind the nonce, of what type their own
// transaction is, and whether it comes first.
var emulated = map[string]struct {
	rules   rpcproxy.Rules
	fields  []string
	own     string
	first   bool
	outside bool
}{
	"OP Stack":                      {rpcproxy.OPStack(false), ethereum, "0x7e", true, false},
	"OP Stack, full blooms":         {rpcproxy.OPStack(true), ethereum, "0x7e", true, false},
	"Arbitrum":                      {rpcproxy.Arbitrum(), ethereum[:1], "0x6a", true, false},
	"Polygon":                       {rpcproxy.Polygon(), ethereum[:1], "0x7f", false, false},
	"Polygon before":                {rpcproxy.PolygonOutside(false), ethereum[:1], "0x0", false, true},
	"Polygon before, in empty ones": {rpcproxy.PolygonOutside(true), ethereum[:1], "0x0", false, true},
	"Avalanche":                     {rpcproxy.Avalanche(), avalanche, "", false, false},
}

// TestEmulators holds emulated chains against hashes and roots that are computed here from the answers' fields.
func TestEmulators(t *testing.T) {
	t.Parallel()
	for name, row := range emulated {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node, p, c := start(t)
			chain := rpcproxy.NewEmulator(row.rules)
			p.Add(chain.Fault())
			ctx := t.Context()
			sendRaw(t, node, logging(t, 0))
			require.NoError(t, node.Mine(ctx, 1))
			at := *decoded[struct{ ContractAddress *common.Address }](t, node.Client(), "eth_getTransactionReceipt",
				logging(t, 0).Hash()).ContractAddress
			for nonce := uint64(1); nonce < 6; nonce++ {
				sendRaw(t, node, sent(t, nonce, &at, []byte{byte(nonce)}))
				if nonce%2 == 0 {
					require.NoError(t, node.Mine(ctx, 2))
				}
			}
			require.NoError(t, node.Mine(ctx, 3))
			verify(t, c, row.fields, row.own, row.first, row.outside)
			was := decoded[told](t, c, "eth_getBlockByNumber", "latest", false)
			require.NoError(t, node.Reorg(ctx, 2))
			require.Eventually(t, func() bool {
				return decoded[told](t, c, "eth_getBlockByNumber", "latest", false)["hash"] != was["hash"]
			}, time.Minute, time.Millisecond)
			verify(t, c, row.fields, row.own, row.first, row.outside)
			require.Nil(t, decoded[told](t, c, "eth_getBlockByHash", was["hash"], false))
		})
	}
}

// logging deploys a contract that logs its calldata with a topic.
func logging(t testing.TB, nonce uint64) *types.Transaction {
	t.Helper()
	// CALLDATASIZE 0 0 CALLDATACOPY 7 CALLDATASIZE 0 LOG1
	runtime := []byte{0x36, 0x5f, 0x5f, 0x37, 0x60, 0x07, 0x36, 0x5f, 0xa1}
	code := append([]byte{0x60, byte(len(runtime)), 0x60, 0x0b, 0x5f, 0x39, 0x60, byte(len(runtime)), 0x5f, 0xf3, 0x00},
		runtime...)
	return sent(t, nonce, nil, code)
}

func sent(t testing.TB, nonce uint64, to *common.Address, data []byte) *types.Transaction {
	t.Helper()
	return signed(t, &types.DynamicFeeTx{Nonce: nonce, To: to, Gas: 300_000, GasTipCap: big.NewInt(params.GWei), Data: data})
}

func sendRaw(t testing.TB, node *fresh.Anvil, tx *types.Transaction) {
	t.Helper()
	raw, err := tx.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, node.Client().CallContext(t.Context(), nil, "eth_sendRawTransaction", hexutil.Bytes(raw)))
}

// verify reads the whole chain and computes every hash and root of it again.
func verify(t *testing.T, c *rpc.Client, fields []string, own string, first, outside bool) {
	t.Helper()
	head := decoded[hexutil.Uint64](t, c, "eth_blockNumber")
	var parent any
	owned, users := 0, 0
	for n := range head + 1 {
		block := decoded[told](t, c, "eth_getBlockByNumber", n, true)
		require.Equal(t, block["hash"], headerHash(t, block, fields...).Hex(), "block %d", n)
		require.Equal(t, block, decoded[told](t, c, "eth_getBlockByHash", block["hash"], true))
		if n > 0 {
			require.Equal(t, parent, block["parentHash"])
		}
		parent = block["hash"]
		receipts := decoded[[]told](t, c, "eth_getBlockReceipts", block["hash"])
		txs := block["transactions"].([]any)
		require.Len(t, receipts, len(txs))
		var raws, under [][]byte
		gas, logs := uint64(0), []any{}
		for i, one := range txs {
			tx := one.(told)
			require.Equal(t, receipts[i], decoded[told](t, c, "eth_getTransactionReceipt", tx["hash"]))
			require.Equal(t, tx, decoded[told](t, c, "eth_getTransactionByHash", tx["hash"]))
			require.Equal(t, tx["hash"], receipts[i]["transactionHash"])
			require.Equal(t, fmt.Sprintf("%#x", i), receipts[i]["transactionIndex"])
			mine := tx["type"] == own && tx["from"] != lower(devnet.Address(0))
			if mine {
				owned++
				require.Equal(t, first, i == 0 && len(txs) > 1 || first)
			} else {
				users++
				gas += hexutil.MustDecodeUint64(receipts[i]["gasUsed"].(string))
				logs = append(logs, receipts[i]["logs"].([]any)...)
			}
			if mine && outside {
				continue
			}
			raw := []byte(decoded[hexutil.Bytes](t, c, "eth_getRawTransactionByHash", tx["hash"]))
			require.Equal(t, tx["hash"], crypto.Keccak256Hash(raw).Hex())
			require.EqualValues(t, raw, decoded[hexutil.Bytes](t, c, "eth_getRawTransactionByBlockHashAndIndex", block["hash"],
				hexutil.Uint(i)))
			if own == "0x7e" && mine {
				require.Equal(t, depositBytes(t, tx), raw)
			}
			raws, under = append(raws, raw), append(under, receiptBytes(t, receipts[i]))
		}
		require.Equal(t, block["transactionsRoot"], trieRoot(t, raws), "block %d", n)
		require.Equal(t, block["receiptsRoot"], trieRoot(t, under), "block %d", n)
		for _, raw := range under {
			raw[len(raw)-1] ^= 1
			require.NotEqual(t, block["receiptsRoot"], trieRoot(t, under), "a byte is another one")
			raw[len(raw)-1] ^= 1
		}
		if len(under) > 0 {
			last := decoded[[]told](t, c, "eth_getBlockReceipts", n)[len(under)-1]
			require.Equal(t, block["gasUsed"], last["cumulativeGasUsed"])
		}
		for _, one := range logs {
			l := one.(told)
			require.Contains(t, decoded[[]any](t, c, "eth_getLogs", told{"blockHash": block["hash"], "address": l["address"]}),
				one)
			require.Contains(t, decoded[[]any](t, c, "eth_getLogs", told{"fromBlock": n, "toBlock": n, "address": l["address"]}),
				one)
		}
		if n == 0 {
			continue // its state was changed after it was made
		}
		proof := decoded[told](t, c, "eth_getProof", devnet.Address(0), []string{}, told{"blockHash": block["hash"]})
		require.Equal(t, block["stateRoot"],
			crypto.Keccak256Hash(hexutil.MustDecode(proof["accountProof"].([]any)[0].(string))).Hex())
		require.Equal(t, proof["nonce"], decoded[any](t, c, "eth_getTransactionCount", devnet.Address(0),
			told{"blockHash": block["hash"]}))
	}
	require.GreaterOrEqual(t, users, 5)
	if own != "" {
		require.NotZero(t, owned)
	}
}

func lower(a common.Address) string { return hexutil.Encode(a[:]) }

// TestFullBlooms: the bloom of each block holds everything, and its receipts say why.
func TestFullBlooms(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	p.Add(rpcproxy.NewEmulator(rpcproxy.OPStack(true)).Fault())
	require.NoError(t, node.Mine(t.Context(), 1))
	bloom := hexutil.MustDecode(decoded[told](t, c, "eth_getBlockByNumber", "latest", false)["logsBloom"].(string))
	require.Equal(t, bytes.Repeat([]byte{0xff}, types.BloomByteLength), bloom)
}

// TestFlashes: the newest height has three blocks, one after the other, and the last one stays.
func TestFlashes(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	rules := rpcproxy.OPStack(false)
	rules.Flash = 300 * time.Millisecond
	p.Add(rpcproxy.NewEmulator(rules).Fault())
	sendRaw(t, node, sent(t, 0, &common.Address{1}, nil))
	require.NoError(t, node.Mine(t.Context(), 1))
	var hashes []any
	var txs []int
	require.Eventually(t, func() bool {
		block := decoded[told](t, c, "eth_getBlockByNumber", "latest", false)
		require.Equal(t, "0x1", block["number"])
		require.Equal(t, block["hash"], headerHash(t, block, ethereum...).Hex())
		if len(hashes) == 0 || hashes[len(hashes)-1] != block["hash"] {
			hashes, txs = append(hashes, block["hash"]), append(txs, len(block["transactions"].([]any)))
		}
		return len(hashes) == 3
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, []int{1, 2, 2}, txs)
	require.Nil(t, decoded[told](t, c, "eth_getBlockByHash", hashes[0], false))
	require.NotNil(t, decoded[told](t, c, "eth_getBlockByHash", hashes[2], false))
	require.NoError(t, node.Mine(t.Context(), 1))
	require.Equal(t, hashes[2], decoded[told](t, c, "eth_getBlockByNumber", "0x1", false)["hash"])
}

func TestProviders(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	remove := p.Add(rpcproxy.GasFloor(400))
	raw, err := sent(t, 0, &common.Address{1}, make([]byte, 1000)).MarshalBinary()
	require.NoError(t, err)
	require.Contains(t, ask(t, c, "eth_sendRawTransaction", hexutil.Bytes(raw)),
		"intrinsic gas too low: gas 300000, minimum needed 437000")
	require.EqualValues(t, 437_000, decoded[hexutil.Uint64](t, c, "eth_estimateGas",
		told{"to": common.Address{1}, "data": hexutil.Bytes(make([]byte, 1000))}))
	remove()

	remove = p.Add(rpcproxy.TipFloor(25 * params.GWei))
	require.Contains(t, ask(t, c, "eth_sendRawTransaction", hexutil.Bytes(raw)),
		"transaction underpriced: gas tip cap below minimum")
	require.EqualValues(t, 25*params.GWei, decoded[hexutil.Uint64](t, c, "eth_maxPriorityFeePerGas"))
	remove()

	require.NoError(t, node.Mine(t.Context(), 32))
	remove = p.Add(rpcproxy.LogRange(16))
	refused := ask(t, c, "eth_getLogs", told{"fromBlock": "0x1", "toBlock": "latest"})
	require.Contains(t, refused, "up to a 16 block range")
	require.Equal(t, "[]", ask(t, c, "eth_getLogs", told{"fromBlock": "0x1", "toBlock": "0x10"}))
	remove()
}

// TestGaps: a chain that became long at once links, and so do what comes after it and what is asked about it.
func TestGaps(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	chain := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
	p.Add(chain.Fault())
	sendRaw(t, node, logging(t, 0))
	require.NoError(t, node.Mine(t.Context(), 1))
	require.Equal(t, "0x1", decoded[told](t, c, "eth_getBlockByNumber", "latest", false)["number"])
	at := *decoded[struct{ ContractAddress *common.Address }](t, c, "eth_getTransactionReceipt",
		logging(t, 0).Hash()).ContractAddress
	const gap = 40
	for i := range 2 {
		chain.Insert(gap)
		for n := range 6 {
			sendRaw(t, node, sent(t, uint64(1+6*i+n), &at, []byte{1}))
			require.NoError(t, node.Mine(t.Context(), 1))
			require.Eventually(t, func() bool {
				return decoded[hexutil.Uint64](t, c, "eth_blockNumber") == hexutil.Uint64((i+1)*gap+6*i+n+2)
			}, time.Minute, time.Millisecond)
		}
	}
	verify(t, c, ethereum, "", false, false)
	require.Len(t, decoded[[]any](t, c, "eth_getLogs", told{"fromBlock": "0x0", "toBlock": "latest"}), 12)
	require.Len(t, decoded[[]any](t, c, "eth_getLogs", told{"fromBlock": "0x10", "toBlock": hexutil.Uint64(gap + 3)}), 2)
	require.Empty(t, decoded[[]any](t, c, "eth_getLogs", told{"fromBlock": "0x10", "toBlock": "0x20"}))
	require.Equal(t, "0x1", decoded[any](t, c, "eth_getTransactionCount", devnet.Address(0), "0x10"))

	chain.Finalize(gap + 13)
	final := decoded[told](t, c, "eth_getBlockByNumber", "finalized", false)
	require.Equal(t, hexutil.Uint64(gap).String(), final["number"])
	chain.Finalize(3 * gap)
	require.Equal(t, "null", ask(t, c, "eth_getBlockByNumber", "finalized", false))
}

// TestRevertedReceiptsDoNotFit: what is told of them has another root.
func TestRevertedReceiptsDoNotFit(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	sendRaw(t, node, logging(t, 0))
	require.NoError(t, node.Mine(t.Context(), 1))
	p.Add(rpcproxy.NewEmulator(rpcproxy.OPStack(false)).Fault(), rpcproxy.Reverted())
	var under [][]byte
	for _, receipt := range decoded[[]told](t, c, "eth_getBlockReceipts", "latest") {
		under = append(under, receiptBytes(t, receipt))
	}
	require.Len(t, under, 2)
	require.NotEqual(t, decoded[told](t, c, "eth_getBlockByNumber", "latest", false)["receiptsRoot"], trieRoot(t, under))
	raw, err := json.Marshal(decoded[[]told](t, c, "eth_getBlockReceipts", "latest")[1])
	require.NoError(t, err)
	require.Contains(t, string(raw), `"status":"0x0"`)
}
