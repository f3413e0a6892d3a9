package chain_test

import (
	"bytes"
	"context"
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
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/signer"
)

// Tiny contracts, as the code that a creation leaves behind.
var (
	reverts  = common.FromHex("0x63deadbeef60e01b60005260046000fd") // reverts with 0xdeadbeef
	loops    = common.FromHex("0x5b600056")                         // forever
	logs     = common.FromHex("0x60206000a060005ff3")               // one log of 32 zero bytes, no topic
	answers7 = common.FromHex("0x600760005260206000f3")
)

func chainWith(t *testing.T, code map[common.Address][]byte) (*devnet.Chain, *chain.Client) {
	t.Helper()
	alloc := types.GenesisAlloc{}
	for address, c := range code {
		alloc[address] = types.Account{Code: c, Balance: new(big.Int)}
	}
	node := fresh.NewChain(t, devnet.ChainOptions{Alloc: alloc})
	return node, dial(t, chain.Config{URLs: []string{node.URL}})
}

func TestCall(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	no, forever, seven := common.Address{0xaa}, common.Address{0xbb}, common.Address{0xcc}
	node, c := chainWith(t, map[common.Address][]byte{no: reverts, forever: loops, seven: answers7})
	at := node.Commit()

	out, err := c.Call(ctx, evidence.Call{From: devnet.Address(0), To: seven, Gas: 100_000}, at)
	require.NoError(t, err)
	require.Equal(t, int64(7), new(big.Int).SetBytes(out).Int64())
	out, err = c.View(ctx, seven, nil)
	require.NoError(t, err)
	require.Len(t, out, 32)
	code, err := c.Code(ctx, seven)
	require.NoError(t, err)
	require.Equal(t, answers7, code)

	var revert *evidence.RevertError
	_, err = c.Call(ctx, evidence.Call{To: no, Gas: 100_000}, at)
	require.ErrorAs(t, err, &revert)
	require.Equal(t, common.FromHex("0xdeadbeef"), revert.Data)
	require.False(t, revert.OutOfGas)
	for _, gas := range []uint64{30_000, 20_000} { // runs out; is below the intrinsic cost
		revert = nil
		_, err = c.Call(ctx, evidence.Call{To: forever, Gas: gas}, at)
		require.ErrorAs(t, err, &revert, "%d gas: %v", gas, err)
		require.True(t, revert.OutOfGas, "%d gas: %v", gas, err)
	}
	revert = nil
	_, err = c.Call(ctx, evidence.Call{To: seven, Gas: 100_000}, common.Hash{1})
	require.Error(t, err)
	require.False(t, errors.As(err, &revert), "the node is at fault: %v", err)
}

// Clients put the revert's data in different places.
func TestRevertsOfOtherClients(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
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
		p := newProxy(t, node.URL, func(w http.ResponseWriter, asked []question, _ bool, _ func() []byte) bool {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, asked[0].ID, c.error)
			return true
		})
		var revert *evidence.RevertError
		_, err := dial(t, chain.Config{URLs: []string{p.URL}}).View(t.Context(), common.Address{1}, nil)
		require.ErrorAs(t, err, &revert, name)
		require.Equal(t, c.data, revert.Data, name)
		require.Equal(t, c.outOfGas, revert.OutOfGas, name)
	}
}

func TestTransact(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t, devnet.ChainOptions{Interval: 20 * time.Millisecond})
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

		var revert *evidence.RevertError
		_, err = c.Transact(t.Context(), s, nil, reverts) // reverts while it creates: nothing is sent
		require.ErrorAs(t, err, &revert)
		require.Equal(t, common.FromHex("0xdeadbeef"), revert.Data)
	}

	still := fresh.NewChain(t) // makes no blocks
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
	}, 2*time.Minute, 10*time.Millisecond)
	cancel()
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "in no block yet")
}

// TestCallEachTellsWhatEachEndpointSays, one of which refuses everything.
func TestCallEachTellsWhatEachEndpointSays(t *testing.T) {
	t.Parallel()
	seven := common.Address{0xcc}
	node, direct := chainWith(t, map[common.Address][]byte{seven: answers7})
	at := node.Commit()
	liar, away := newProxy(t, node.URL), newProxy(t, node.URL)
	liar.inject(edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_call" {
			fail(a, 3, "execution reverted")
		}
	}))
	away.inject(status(http.StatusBadGateway))
	msg := evidence.Call{From: devnet.Address(0), To: seven, Gas: 100_000}
	c := dial(t, chain.Config{URLs: []string{liar.URL, away.URL, node.URL}, Grace: 5 * time.Second})
	said, err := c.CallEach(t.Context(), msg, at)
	require.NoError(t, err)
	require.Len(t, said, 2)
	require.Equal(t, liar.name(), said[0].Endpoint)
	require.NotNil(t, said[0].Refusal)
	require.Nil(t, said[1].Refusal)
	require.Equal(t, int64(7), new(big.Int).SetBytes(said[1].Data).Int64())

	_, err = dial(t, chain.Config{URLs: []string{away.URL}}).CallEach(t.Context(), msg, at)
	require.Error(t, err)
	_, err = direct.CallEach(t.Context(), msg, common.Hash{1})
	require.Error(t, err)
}
