package rpcproxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

func start(t testing.TB) (*fresh.Anvil, *rpcproxy.Proxy, *rpc.Client) {
	t.Helper()
	node := fresh.NewAnvil(t, fresh.AnvilOptions{})
	p, err := rpcproxy.Start(node.URL, 1)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	client, err := rpc.Dial(p.URL)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return node, p, client
}

// ask returns what a call is answered, as text.
func ask(t testing.TB, c *rpc.Client, method string, args ...any) string {
	t.Helper()
	return askFor(t, time.Minute, c, method, args...)
}

// askFor is ask with so much time for the answer.
func askFor(t testing.TB, patience time.Duration, c *rpc.Client, method string, args ...any) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var raw json.RawMessage
	if err := c.CallContext(ctx, &raw, method, args...); err != nil {
		return "error: " + err.Error()
	}
	return string(raw)
}

func transfer(t testing.TB, nonce uint64, tip int64) hexutil.Bytes {
	t.Helper()
	to := devnet.Address(1)
	raw, err := signed(t, &types.DynamicFeeTx{Nonce: nonce, To: &to, Gas: 21_000, GasTipCap: big.NewInt(tip)}).MarshalBinary()
	require.NoError(t, err)
	return raw
}

// signed is the transaction of an account with money.
func signed(t testing.TB, tx *types.DynamicFeeTx) *types.Transaction {
	t.Helper()
	tx.ChainID, tx.GasFeeCap = big.NewInt(devnet.ChainID), big.NewInt(10*params.GWei)
	made, err := types.SignNewTx(devnet.Key(0), types.LatestSignerForChainID(tx.ChainID), tx)
	require.NoError(t, err)
	return made
}

func TestWithoutFaultsRequestsPassAndAreCounted(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	require.NoError(t, node.Mine(t.Context(), 3))
	require.Equal(t, `"0x3"`, ask(t, c, "eth_blockNumber"))
	elems := make([]rpc.BatchElem, 5)
	for i := range elems {
		elems[i] = rpc.BatchElem{Method: "eth_getBlockByNumber", Args: []any{hexutil.Uint64(i), false}, Result: new(json.RawMessage)}
	}
	require.NoError(t, c.BatchCall(elems))
	require.Equal(t, "null", string(*elems[4].Result.(*json.RawMessage)))
	stats := p.ResetStats()
	require.Equal(t, rpcproxy.Stats{
		Requests: 2, Batches: 1, MaxBatch: 5, Calls: map[string]int{"eth_blockNumber": 1, "eth_getBlockByNumber": 5}, Told: map[string]int{},
	}, stats)
	require.Equal(t, 6, stats.Total())
	require.Zero(t, p.Stats().Total())
}

func TestFaultsOfTransport(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	for name, row := range map[string]struct {
		fault rpcproxy.Fault
		says  string
	}{
		"drop":      {rpcproxy.Drop(), "EOF"},
		"lost":      {rpcproxy.Lost(), "EOF"},
		"hang":      {rpcproxy.Hang(false), "deadline"},
		"page":      {rpcproxy.Page(403), "403 Forbidden"},
		"truncated": {rpcproxy.Truncated(), "unexpected EOF"},
		"garbage":   {rpcproxy.Garbage(), "invalid character"},
		"refuse":    {rpcproxy.Refuse(-32005, "too many"), "too many"},
		"missing":   {rpcproxy.Missing("eth_blockNumber"), "does not exist"},
	} {
		remove, patience := p.Add(row.fault), time.Minute
		if name == "hang" {
			patience = 100 * time.Millisecond
		}
		require.Contains(t, askFor(t, patience, c, "eth_blockNumber"), row.says, name)
		remove()
		require.Equal(t, `"0x0"`, ask(t, c, "eth_blockNumber"), name)
	}
	defer p.Add(rpcproxy.Lost().For(rpcproxy.SendRawTransaction))()
	require.Contains(t, ask(t, c, "eth_sendRawTransaction", transfer(t, 0, params.GWei)), "EOF")
	require.NoError(t, node.Mine(t.Context(), 1))
	require.Equal(t, `"0x1"`, ask(t, c, "eth_getTransactionCount", devnet.Address(0), "latest"))
	began := time.Now()
	defer p.Add(rpcproxy.Delay(100 * time.Millisecond))()
	ask(t, c, "eth_blockNumber")
	require.GreaterOrEqual(t, time.Since(began), 100*time.Millisecond)
}

func TestBatchesMeetFaultsByElement(t *testing.T) {
	t.Parallel()
	_, p, c := start(t)
	remove := p.Add(rpcproxy.Null("eth_gasPrice").Sometimes(0.5))
	elems := make([]rpc.BatchElem, 101)
	for i := range elems {
		elems[i] = rpc.BatchElem{Method: "eth_gasPrice", Result: new(json.RawMessage)}
	}
	elems[100].Method = "eth_chainId"
	require.NoError(t, c.BatchCall(elems))
	nulls := 0
	for _, e := range elems[:100] {
		if string(*e.Result.(*json.RawMessage)) == "null" {
			nulls++
		}
	}
	require.InDelta(t, 50, nulls, 25)
	require.Equal(t, `"0x539"`, string(*elems[100].Result.(*json.RawMessage)))
	remove()

	defer p.Add(rpcproxy.NoBatches(10))()
	require.Error(t, c.BatchCall(elems))
	require.NoError(t, c.BatchCall(elems[:10]))
}

func TestLiesAboutBlocks(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	require.NoError(t, node.Mine(t.Context(), 20))
	honest := ask(t, c, "eth_getBlockByNumber", "latest", false)
	type header struct {
		Number hexutil.Uint64 `json:"number"`
		Hash   common.Hash    `json:"hash"`
		Parent common.Hash    `json:"parentHash"`
	}
	read := func() (h header, real bool) {
		raw := ask(t, c, "eth_getBlockByNumber", "latest", false)
		require.NoError(t, json.Unmarshal([]byte(raw), &h))
		var said types.Header
		require.NoError(t, json.Unmarshal([]byte(raw), &said))
		return h, said.Hash() == h.Hash
	}
	truth, real := read()
	require.True(t, real, "anvil's headers hash to their hashes: %s", honest)

	remove := p.Add(rpcproxy.WrongHash())
	h, real := read()
	require.False(t, real)
	require.NotEqual(t, truth.Hash, h.Hash)
	remove()

	remove = p.Add(rpcproxy.Sibling())
	h, real = read()
	require.True(t, real)
	require.NotEqual(t, truth.Hash, h.Hash)
	require.Equal(t, truth.Parent, h.Parent)
	remove()

	remove = p.Add(rpcproxy.Ahead(1000))
	h, real = read()
	require.True(t, real)
	require.EqualValues(t, 1020, h.Number)
	remove()
	require.Equal(t, honest, ask(t, c, "eth_getBlockByNumber", "latest", false))
}

func TestANodeBehind(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	ctx := t.Context()
	require.NoError(t, node.Mine(ctx, 10))
	hash := ask(t, c, "eth_sendRawTransaction", transfer(t, 0, params.GWei))
	require.NoError(t, node.Mine(ctx, 1))
	var tip struct{ Hash string }
	require.NoError(t, json.Unmarshal([]byte(ask(t, c, "eth_getBlockByNumber", "latest", false)), &tip))
	receipt := func() string { return ask(t, c, "eth_getTransactionReceipt", json.RawMessage(hash)) }
	require.NotEqual(t, "null", receipt())

	remove := p.Add(rpcproxy.Behind(5))
	require.Contains(t, ask(t, c, "eth_getBlockByNumber", "latest", false), `"number":"0x6"`)
	require.Equal(t, "null", ask(t, c, "eth_getBlockByNumber", "0x7", false))
	require.Equal(t, "null", ask(t, c, "eth_getBlockByHash", tip.Hash, false))
	require.Equal(t, "null", receipt())
	require.Equal(t, `"0x0"`, ask(t, c, "eth_getTransactionCount", devnet.Address(0), "latest"))
	require.Contains(t, ask(t, c, "eth_getTransactionCount", devnet.Address(0), map[string]any{"blockHash": tip.Hash}), "header not found")
	require.Equal(t, "[]", ask(t, c, "eth_getLogs", map[string]any{"fromBlock": "0x8", "toBlock": "0x9"}))
	remove()
	require.Equal(t, `"0x1"`, ask(t, c, "eth_getTransactionCount", devnet.Address(0), map[string]any{"blockHash": tip.Hash}))

	defer p.Add(rpcproxy.Nonces(3))()
	require.Equal(t, `"0x4"`, ask(t, c, "eth_getTransactionCount", devnet.Address(0), "latest"))
}

func TestSendsThatAreRefusedOrSwallowed(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	remove := p.Add(rpcproxy.RefuseSends(func(tx *types.Transaction) error {
		if tx.GasTipCap().Int64() < params.GWei {
			return errors.New("transaction gas price below minimum")
		}
		return nil
	}))
	require.Contains(t, ask(t, c, "eth_sendRawTransaction", transfer(t, 0, 1)), "below minimum")
	first := ask(t, c, "eth_sendRawTransaction", transfer(t, 0, params.GWei))
	require.NotContains(t, first, "error")
	remove()
	remove = p.Add(rpcproxy.Swallow())
	swallowed := ask(t, c, "eth_sendRawTransaction", transfer(t, 1, params.GWei))
	remove()
	require.NoError(t, node.Mine(t.Context(), 1))
	require.Equal(t, `"0x1"`, ask(t, c, "eth_getTransactionCount", devnet.Address(0), "latest"))
	require.Equal(t, swallowed, ask(t, c, "eth_sendRawTransaction", transfer(t, 1, params.GWei)))
}

// TestWhatWasToldIsCounted: a fault counts the requests whose client got something else because of it, and no others.
func TestWhatWasToldIsCounted(t *testing.T) {
	t.Parallel()
	node, p, c := start(t)
	require.NoError(t, node.Mine(t.Context(), 10))
	block := func(number string) { ask(t, c, "eth_getBlockByNumber", number, false) }
	for _, row := range []struct {
		faults         []rpcproxy.Fault
		harmless, does func() // what the fault leaves as it is, and what it does not
		name           string
	}{
		{[]rpcproxy.Fault{rpcproxy.Null(rpcproxy.BlockByNumber)}, func() { block("0x99") }, func() { block("0x1") }, "null"},
		{[]rpcproxy.Fault{rpcproxy.Empty(rpcproxy.Logs)}, func() { ask(t, c, "eth_getLogs", map[string]any{}) }, func() { ask(t, c, "eth_getLogs", 1) }, "empty"},
		{[]rpcproxy.Fault{rpcproxy.Behind(5)}, func() { block("0x1") }, func() { block("latest") }, "5 blocks behind"},
		{[]rpcproxy.Fault{rpcproxy.Nonces(-1)}, func() { ask(t, c, "eth_getTransactionCount", devnet.Address(3), "latest") }, nil, "nonces off by -1"},
		{[]rpcproxy.Fault{rpcproxy.Nonces(1)}, nil, func() { ask(t, c, "eth_getTransactionCount", devnet.Address(3), "latest") }, "nonces off by 1"},
		{[]rpcproxy.Fault{rpcproxy.NoBatches(1)}, func() { block("0x1") }, nil, "no batches"},
		{[]rpcproxy.Fault{rpcproxy.Delay(time.Millisecond)}, nil, func() { block("0x1") }, "delay"},
		{[]rpcproxy.Fault{rpcproxy.WrongHash(), rpcproxy.Lost()}, func() { block("0x1") }, nil, "wrong hash"},
		{[]rpcproxy.Fault{rpcproxy.WrongHash(), rpcproxy.Lost()}, nil, func() { block("0x1") }, "lost answers"},
		{[]rpcproxy.Fault{rpcproxy.Delay(time.Millisecond), rpcproxy.NoBatches(1)}, nil, func() { block("0x1") }, "delay"},
		{[]rpcproxy.Fault{rpcproxy.NoBatches(1), rpcproxy.Delay(time.Millisecond)}, func() { block("0x1") }, nil, "no batches"},
	} {
		remove := p.Add(row.faults...)
		if row.harmless != nil {
			row.harmless()
			require.Equal(t, 0, p.Stats().Told[row.name], row.name)
		}
		require.Contains(t, p.Stats().Told, row.name, "it was there")
		if row.does != nil {
			row.does()
			require.Eventually(t, func() bool { return p.Stats().Told[row.name] == 1 }, 10*time.Second, time.Millisecond, row.name)
		}
		remove()
		p.ResetStats()
	}
}

func TestTheSeedDecides(t *testing.T) {
	t.Parallel()
	node := fresh.NewAnvil(t, fresh.AnvilOptions{})
	var runs []string
	for range 2 {
		p, err := rpcproxy.Start(node.URL, 7)
		require.NoError(t, err)
		c, err := rpc.Dial(p.URL)
		require.NoError(t, err)
		p.Add(rpcproxy.Null("eth_chainId").Sometimes(0.5))
		run := ""
		for range 20 {
			run += fmt.Sprint(ask(t, c, "eth_chainId"))
		}
		runs = append(runs, run)
		c.Close()
		p.Close()
	}
	require.Equal(t, runs[0], runs[1])
}

// BenchmarkProxy is what a small call, and a transaction of 13 kB that a fault looks into, cost on their way.
func BenchmarkProxy(b *testing.B) {
	_, p, c := start(b)
	calls := func(method string, args ...any) func(b *testing.B) {
		return func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					var raw json.RawMessage
					if err := c.Call(&raw, method, args...); err != nil {
						b.Error(err)
					}
				}
			})
		}
	}
	b.Run("untouched", calls("eth_chainId"))
	defer p.Add(rpcproxy.Swallow())()
	b.Run("swallowed", calls("eth_sendRawTransaction", hexutil.Bytes(make([]byte, 13_000))))
}
