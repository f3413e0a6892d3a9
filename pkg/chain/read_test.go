package chain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/signer"
)

// Tiny contracts, as the code that a creation leaves behind.
var (
	reverts  = common.FromHex("0x63deadbeef60e01b60005260046000fd") // reverts with 0xdeadbeef
	loops    = common.FromHex("0x5b600056")                         // for ever
	logs     = common.FromHex("0x60206000a060005ff3")               // one log of 32 zero bytes, no topic
	answers7 = common.FromHex("0x600760005260206000f3")
)

func chainWith(t *testing.T, code map[common.Address][]byte) (*devnet.Chain, *chain.Client) {
	t.Helper()
	alloc := types.GenesisAlloc{}
	for address, c := range code {
		alloc[address] = types.Account{Code: c, Balance: new(big.Int)}
	}
	node, err := devnet.StartChain(devnet.ChainOptions{Alloc: alloc})
	require.NoError(t, err)
	t.Cleanup(node.Close)
	return node, dial(t, chain.Config{URLs: []string{node.URL}})
}

func TestCall(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	no, forever, seven := common.Address{0xaa}, common.Address{0xbb}, common.Address{0xcc}
	node, c := chainWith(t, map[common.Address][]byte{no: reverts, forever: loops, seven: answers7})
	at := node.Commit()

	out, err := c.Call(ctx, lane.Call{From: devnet.Address(0), To: seven, Gas: 100_000}, at)
	require.NoError(t, err)
	require.Equal(t, int64(7), new(big.Int).SetBytes(out).Int64())
	out, err = c.View(ctx, seven, nil)
	require.NoError(t, err)
	require.Len(t, out, 32)
	code, err := c.Code(ctx, seven)
	require.NoError(t, err)
	require.Equal(t, answers7, code)

	var revert *lane.RevertError
	_, err = c.Call(ctx, lane.Call{To: no, Gas: 100_000}, at)
	require.ErrorAs(t, err, &revert)
	require.Equal(t, common.FromHex("0xdeadbeef"), revert.Data)
	require.False(t, revert.OutOfGas)
	for _, gas := range []uint64{30_000, 20_000} { // runs out; is below the intrinsic cost
		revert = nil
		_, err = c.Call(ctx, lane.Call{To: forever, Gas: gas}, at)
		require.ErrorAs(t, err, &revert, "%d gas: %v", gas, err)
		require.True(t, revert.OutOfGas, "%d gas: %v", gas, err)
	}
	revert = nil
	_, err = c.Call(ctx, lane.Call{To: seven, Gas: 100_000}, common.Hash{1})
	require.Error(t, err)
	require.False(t, errors.As(err, &revert), "the node is at fault: %v", err)
}

// Clients put the revert's data in different places.
func TestRevertsOfOtherClients(t *testing.T) {
	t.Parallel()
	node := devnet.NewChain(t)
	for name, c := range map[string]struct {
		error    string
		data     []byte
		outOfGas bool
	}{
		"nethermind":             {`{"code":-32015,"message":"VM execution error.","data":"Reverted 0x08c379a0"}`, common.FromHex("08c379a0"), false},
		"besu":                   {`{"code":-32000,"message":"Execution reverted","data":"0x08c379a0"}`, common.FromHex("08c379a0"), false},
		"no data":                {`{"code":3,"message":"execution reverted"}`, nil, false},
		"object":                 {`{"code":3,"message":"execution reverted","data":{"why":1}}`, nil, false},
		"out of gas":             {`{"code":-32000,"message":"out of gas"}`, nil, true},
		"nethermind, out of gas": {`{"code":-32015,"message":"VM execution error.","data":"OutOfGas"}`, nil, true},
	} {
		p := newProxy(t, node.URL)
		p.inject(func(w http.ResponseWriter, asked []question, _ bool, _ func() []byte) bool {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, asked[0].ID, c.error)
			return true
		})
		var revert *lane.RevertError
		_, err := dial(t, chain.Config{URLs: []string{p.URL}}).View(t.Context(), common.Address{1}, nil)
		require.ErrorAs(t, err, &revert, name)
		require.Equal(t, c.data, revert.Data, name)
		require.Equal(t, c.outOfGas, revert.OutOfGas, name)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	node, c := start(t)
	quote, err := c.Quote(ctx) // of an empty chain
	require.NoError(t, err)
	require.False(t, quote.Legacy)
	require.GreaterOrEqual(t, quote.Tip, uint64(chain.DefaultMinTip))
	head, err := c.Head(ctx)
	require.NoError(t, err)
	require.InDelta(t, head.BaseFee.Uint64(), quote.BaseFee, float64(head.BaseFee.Uint64())/8+1)

	for nonce := range uint64(3) { // the market pays 3 gwei, and empty blocks between do not count
		send(t, c, transfer(t, 0, nonce, func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(3 * gwei) }))
		require.Eventually(t, func() bool {
			accounts, err := c.Accounts(ctx, node.Commit(), []common.Address{devnet.Address(0)})
			return err == nil && accounts[0].Nonce == nonce+1
		}, 10*time.Second, time.Millisecond)
	}
	quote, err = c.Quote(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(3*gwei), quote.Tip)

	capped, err := dial(t, chain.Config{URLs: []string{node.URL}, MaxTip: 2 * gwei}).Quote(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(2*gwei), capped.Tip)
	raised, err := dial(t, chain.Config{URLs: []string{node.URL}, MinTip: 4 * gwei}).Quote(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(4*gwei), raised.Tip)
	legacy, err := dial(t, chain.Config{URLs: []string{node.URL}, Legacy: true}).Quote(ctx)
	require.NoError(t, err)
	require.True(t, legacy.Legacy)
	require.NotZero(t, legacy.Price)
}

// A chain without base fees has neither their field nor a fee history.
func TestQuoteOfALegacyChain(t *testing.T) {
	t.Parallel()
	node := devnet.NewChain(t)
	p := newProxy(t, node.URL)
	p.inject(func(w http.ResponseWriter, _ []question, _ bool, forward func() []byte) bool {
		var answers []map[string]any
		if json.Unmarshal(forward(), &answers) != nil || len(answers) != 4 {
			return false
		}
		delete(answers[0]["result"].(map[string]any), "baseFeePerGas")
		for _, i := range []int{2, 3} {
			delete(answers[i], "result")
			answers[i]["error"] = map[string]any{"code": -32601, "message": "the method does not exist/is not available"}
		}
		_ = json.NewEncoder(w).Encode(answers)
		return true
	})
	quote, err := dial(t, chain.Config{URLs: []string{p.URL}}).Quote(t.Context())
	require.NoError(t, err)
	require.True(t, quote.Legacy)
	require.NotZero(t, quote.Price)
}

// emit makes n blocks with one log each, by calling a contract.
func emit(t *testing.T, node *devnet.Chain, c *chain.Client, contract common.Address, n int) {
	t.Helper()
	for nonce := range uint64(n) {
		send(t, c, transfer(t, 0, nonce, func(tx *types.DynamicFeeTx) { tx.To, tx.Gas = &contract, 100_000 }))
		require.Eventually(t, func() bool {
			accounts, err := c.Accounts(t.Context(), node.Commit(), []common.Address{devnet.Address(0)})
			return err == nil && accounts[0].Nonce == nonce+1
		}, 10*time.Second, time.Millisecond)
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	contract := common.Address{0xdd}
	node, c := chainWith(t, map[common.Address][]byte{contract: logs})
	emit(t, node, c, contract, 12)
	head, err := c.Head(ctx)
	require.NoError(t, err)

	tooMany := func(most uint64) fault { // a provider that bounds the range of one question
		return func(w http.ResponseWriter, asked []question, _ bool, forward func() []byte) bool {
			var params []struct{ FromBlock, ToBlock string }
			for i, q := range asked {
				if q.Method != "eth_getLogs" || json.Unmarshal(q.Params, &params) != nil {
					continue
				}
				if common.HexToHash(params[0].ToBlock).Big().Uint64()-common.HexToHash(params[0].FromBlock).Big().Uint64() < most {
					return false
				}
				var answers []map[string]any
				if json.Unmarshal(forward(), &answers) != nil {
					return false
				}
				delete(answers[i], "result")
				answers[i]["error"] = map[string]any{"code": -32005, "message": "query returned more than 10000 results"}
				_ = json.NewEncoder(w).Encode(answers)
				return true
			}
			return false
		}
	}
	for name, f := range map[string]struct {
		fault fault
		most  uint64
	}{"whole": {nil, 0}, "by fives": {nil, 5}, "provider's bound": {tooMany(3), 0}, "block by block": {tooMany(1), 0}} {
		p := newProxy(t, node.URL)
		p.inject(f.fault)
		client := dial(t, chain.Config{URLs: []string{p.URL}, LogRange: f.most})
		next, found := uint64(0), 0
		err := client.Logs(ctx, contract, nil, 0, head.Number, func(through lane.Block, logs []types.Log) error {
			canonical, err := c.BlockByNumber(ctx, through.Number)
			require.NoError(t, err)
			require.Equal(t, canonical, through)
			for _, log := range logs {
				require.GreaterOrEqual(t, log.BlockNumber, next)
				require.LessOrEqual(t, log.BlockNumber, through.Number)
				require.Equal(t, contract, log.Address)
			}
			next, found = through.Number+1, found+len(logs)
			return nil
		})
		require.NoError(t, err, name)
		require.Equal(t, head.Number+1, next, name)
		require.Equal(t, 12, found, name)
	}

	none := 0
	require.NoError(t, c.Logs(ctx, contract, []common.Hash{{1}}, 0, head.Number, func(_ lane.Block, logs []types.Log) error {
		none += len(logs)
		return nil
	}))
	require.Zero(t, none)
	require.NoError(t, c.Logs(ctx, contract, nil, head.Number+1, head.Number, nil)) // nothing to ask
	errStop := errors.New("stop")
	require.ErrorIs(t, c.Logs(ctx, contract, nil, 0, head.Number, func(lane.Block, []types.Log) error { return errStop }), errStop)
}

// A node that has not seen the last block would leave out its logs: it is not believed.
func TestLogsOfALaggingNode(t *testing.T) {
	t.Parallel()
	contract := common.Address{0xdd}
	node, c := chainWith(t, map[common.Address][]byte{contract: logs})
	lagging, _ := chainWith(t, map[common.Address][]byte{contract: logs})
	emit(t, node, c, contract, 3)
	head, err := c.Head(t.Context())
	require.NoError(t, err)
	found := 0
	count := func(_ lane.Block, logs []types.Log) error {
		found += len(logs)
		return nil
	}
	require.NoError(t, dial(t, chain.Config{URLs: []string{lagging.URL, node.URL}}).Logs(t.Context(), contract, nil, 0, head.Number, count))
	require.Equal(t, 3, found)
	require.Error(t, dial(t, chain.Config{URLs: []string{lagging.URL}}).Logs(t.Context(), contract, nil, 0, head.Number, count))
	require.Equal(t, 3, found)
}

func TestTransact(t *testing.T) {
	t.Parallel()
	node, err := devnet.StartChain(devnet.ChainOptions{Interval: 20 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(node.Close)
	for _, legacy := range []bool{false, true} {
		c := dial(t, chain.Config{URLs: []string{node.URL}, Legacy: legacy})
		key, err := signer.FromHex(fmt.Sprintf("%x", crypto.FromECDSA(devnet.Key(0))), discard())
		require.NoError(t, err)
		s := key.For(devnet.ChainID)

		// A creation whose code returns the runtime code.
		runtime := answers7
		creation := append(bytes.Clone(common.FromHex("0x600a600c600039600a6000f3")), runtime...)
		receipt, err := c.Transact(t.Context(), s, nil, creation)
		require.NoError(t, err)
		code, err := c.Code(t.Context(), receipt.ContractAddress)
		require.NoError(t, err)
		require.Equal(t, runtime, code)
		_, err = c.Transact(t.Context(), s, &receipt.ContractAddress, []byte{1})
		require.NoError(t, err)

		var revert *lane.RevertError
		_, err = c.Transact(t.Context(), s, nil, reverts) // reverts while it creates: nothing is sent
		require.ErrorAs(t, err, &revert)
		require.Equal(t, common.FromHex("0xdeadbeef"), revert.Data)
	}

	still := devnet.NewChain(t) // makes no blocks
	c := dial(t, chain.Config{URLs: []string{still.URL}})
	key, err := signer.FromHex(fmt.Sprintf("%x", crypto.FromECDSA(devnet.Key(0))), discard())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := c.Transact(ctx, key.For(devnet.ChainID), nil, answers7)
		done <- err
	}()
	require.Eventually(t, func() bool {
		pending, err := still.Client().PendingNonceAt(t.Context(), devnet.Address(0))
		return err == nil && pending == 1
	}, 20*time.Second, 10*time.Millisecond)
	cancel()
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "in no block yet")
}
