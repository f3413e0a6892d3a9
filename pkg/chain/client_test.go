package chain_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/txpool"
)

var _ heads.Chain = (*chain.Client)(nil)

func TestDialRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg  chain.Config
		want string
	}{
		{chain.Config{}, "no endpoint"},
		{chain.Config{URLs: []string{"http://ok", "localhost:8545"}}, "endpoint 2 is not a URL"},
		{chain.Config{URLs: []string{"ftp://localhost:8546"}}, "endpoint 1 is not a URL such as https://"},
		{chain.Config{URLs: []string{"ftp://node/secret"}}, "endpoint 1 is not a URL"},
		{chain.Config{URLs: []string{"http://ok"}, MinTip: 2, MaxTip: 1}, "least tip"},
	} {
		_, err := chain.Dial(t.Context(), c.cfg, discard(), prometheus.NewRegistry())
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestErrorsDoNotShowURLs(t *testing.T) {
	t.Parallel()
	gone := newProxy(t, "")
	gone.Close()
	c := dial(t, chain.Config{URLs: []string{gone.URL + "/v3/secret"}})
	_, err := c.Head(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
	require.Contains(t, err.Error(), strings.TrimPrefix(gone.URL, "http://"))
	result := c.Send(t.Context(), [][]byte{{1}})[0]
	require.Equal(t, txpool.NodeDown, result.Class)
	require.NotContains(t, result.Err.Error(), "secret")
}

func TestChainID(t *testing.T) {
	t.Parallel()
	node, c := start(t)
	id, err := c.ChainID(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(devnet.ChainID), id)

	other := newProxy(t, node.URL, func(w http.ResponseWriter, asked []question, _ bool, _ func() []byte) bool {
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(asked[0].ID) + `,"result":"0x1"}`))
		return true
	})
	_, err = dial(t, chain.Config{URLs: []string{node.URL, other.URL}}).ChainID(t.Context())
	require.ErrorIs(t, err, chain.ErrWrongChain)

	other.inject(status(503)) // one that is down says nothing
	id, err = dial(t, chain.Config{URLs: []string{other.URL, node.URL}}).ChainID(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(devnet.ChainID), id)
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	node, c := start(t)
	genesis := newest(t, c)
	require.Zero(t, genesis.Number)
	require.NotNil(t, genesis.BaseFee)
	require.Equal(t, uint64(devnet.DefaultGasLimit), genesis.GasLimit)

	hash := node.Commit()
	head := newest(t, c)
	require.Equal(t, hash, head.Hash)
	require.Equal(t, genesis.Hash, head.Parent)
	require.Equal(t, uint64(1), head.Number)
	require.NotZero(t, head.Time)
	byHash, err := c.BlockByHash(ctx, hash)
	require.NoError(t, err)
	require.Equal(t, head, byHash)
	byNumber, err := c.BlockByNumber(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, head, byNumber)

	_, err = c.BlockByHash(ctx, common.Hash{1})
	require.ErrorIs(t, err, ethereum.NotFound)
	_, err = c.BlockByNumber(ctx, 2)
	require.ErrorIs(t, err, ethereum.NotFound)

	// The other branch stays known by its hash.
	require.NoError(t, node.Fork(genesis.Hash))
	node.Commit()
	fork := node.Commit()
	head = newest(t, c)
	require.Equal(t, fork, head.Hash)
	left, err := c.BlockByHash(ctx, hash)
	require.NoError(t, err)
	require.Equal(t, byHash, left)
	byNumber, err = c.BlockByNumber(ctx, 1)
	require.NoError(t, err)
	require.NotEqual(t, hash, byNumber.Hash)
}

func TestFinalized(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	node, c := start(t)
	all, err := c.Finalized(ctx)
	require.NoError(t, err)
	if len(all) == 0 { // geth says that there is none until there is one
		_, err = c.FinalBlock(ctx, 0)
		require.ErrorIs(t, err, ethereum.NotFound)
	}
	_, err = c.FinalBlock(ctx, 2) // the chain has one block
	require.ErrorIs(t, err, ethereum.NotFound)
	for range 70 {
		node.Commit()
	}
	all, err = c.Finalized(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, uint64(64), all[0].Block.Number)
	require.Equal(t, strings.TrimPrefix(node.URL, "http://"), all[0].Endpoint)
	for confirmations, want := range map[uint64]uint64{0: 64, 1: 70, 2: 69, 71: 0} {
		final, err := c.FinalBlock(ctx, confirmations)
		require.NoError(t, err)
		require.Equal(t, want, final.Number)
	}
	_, err = c.FinalBlock(ctx, 72)
	require.ErrorIs(t, err, ethereum.NotFound)
}

// TestFinalTag: the node is asked for the block of Config.FinalTag, and one that has none says so.
func TestFinalTag(t *testing.T) {
	t.Parallel()
	node, _ := start(t)
	node.Commit()
	p := newProxy(t, node.URL, edit(func(_ string, params []any, answer map[string]any) {
		switch {
		case len(params) == 0:
		case params[0] == "finalized":
			fail(answer, -39001, "Unknown block")
		case params[0] == "safe":
			var block map[string]any
			require.NoError(t, node.Client().Client().Call(&block, "eth_getBlockByNumber", "0x1", false))
			answer["result"] = block
			delete(answer, "error")
		}
	}))
	safe, err := dial(t, chain.Config{URLs: []string{p.URL}, FinalTag: "safe"}).FinalBlock(t.Context(), 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, safe.Number)
	_, err = dial(t, chain.Config{URLs: []string{p.URL}}).FinalBlock(t.Context(), 0)
	require.ErrorIs(t, err, ethereum.NotFound)
	require.ErrorContains(t, err, "no block is finalized")
}

func TestReadsGoOnWithTheNextEndpoint(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	node := fresh.NewChain(t)
	hash := node.Commit()
	for name, f := range map[string]fault{
		"5xx": status(503), "429": status(429), "hangs": hang(false), "refuses": refuse("header not found"),
		"rubbish": func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
			_, _ = w.Write([]byte("<html>"))
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := newProxy(t, node.URL, f)
			patience := time.Minute
			if name == "hangs" {
				patience = 5 * time.Second
			}
			c := dial(t, chain.Config{URLs: []string{bad.URL, node.URL}, Timeout: patience})
			block, err := c.BlockByHash(ctx, hash)
			require.NoError(t, err)
			require.Equal(t, hash, block.Hash)
			head := newest(t, c)
			require.Equal(t, hash, head.Hash)
			// What one endpoint does not know and the other does not answer for is not known to be absent.
			fresh := dial(t, chain.Config{URLs: []string{bad.URL, node.URL}, Timeout: patience})
			_, err = fresh.BlockByHash(ctx, common.Hash{1})
			require.Error(t, err)
			require.NotErrorIs(t, err, ethereum.NotFound)
		})
	}
}

func TestFailingEndpointRests(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	bad := newProxy(t, node.URL, status(503))
	c := dial(t, chain.Config{URLs: []string{bad.URL, node.URL}})
	began := time.Now()
	most := func() float64 { return 3 + time.Since(began).Seconds()/0.8 } // once more after each rest of at least 0.8 s
	for range 10 {
		_, err := c.BlockByNumber(t.Context(), 0)
		require.NoError(t, err)
	}
	asked := bad.count("eth_getBlockByNumber")
	require.GreaterOrEqual(t, asked, 3)
	require.LessOrEqual(t, float64(asked), most())
	require.Eventually(t, func() bool { // the one that rests is not asked; on a slow machine it may not rest any more
		_, err := c.BlockByHash(t.Context(), common.Hash{1})
		return errors.Is(err, ethereum.NotFound)
	}, time.Minute, time.Millisecond)

	// Alone, it is left alone as well, and back by itself.
	alone := dial(t, chain.Config{URLs: []string{bad.URL}})
	before := bad.count("eth_getBlockByNumber")
	began = time.Now()
	for range 20 {
		_, err := alone.BlockByNumber(t.Context(), 0)
		require.Error(t, err)
	}
	asked = bad.count("eth_getBlockByNumber") - before
	require.GreaterOrEqual(t, asked, 3)
	require.LessOrEqual(t, float64(asked), most())
	require.Eventually(t, func() bool {
		_, err := alone.BlockByNumber(t.Context(), 0)
		return strings.Contains(err.Error(), "is left alone for")
	}, time.Minute, time.Millisecond)
	tx := transfer(t, 0, 0)
	require.Eventually(t, func() bool {
		result := sendAll(t, alone, tx)[0]
		return result.Class == txpool.NodeDown && strings.Contains(result.Err.Error(), "is left alone for")
	}, time.Minute, time.Millisecond)
	bad.inject(nil)
	require.Eventually(t, func() bool {
		_, err := alone.BlockByNumber(t.Context(), 0)
		return err == nil
	}, 2*time.Minute, 20*time.Millisecond)
}

func TestHeadIsTheHighest(t *testing.T) {
	t.Parallel()
	behind, ahead := fresh.NewChain(t), fresh.NewChain(t)
	behind.Commit()
	ahead.Commit()
	want := ahead.Commit()
	c := dial(t, chain.Config{URLs: []string{behind.URL, ahead.URL}, Grace: time.Minute})
	head := newest(t, c)
	require.Equal(t, want, head.Hash)

	slow := newProxy(t, behind.URL, hang(false))
	c = dial(t, chain.Config{URLs: []string{slow.URL, ahead.URL}, Timeout: time.Minute})
	head = newest(t, c)
	require.Equal(t, want, head.Hash)
}

func TestBatchesShrinkWhereRefused(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	for range 19 {
		node.Commit()
	}
	atMost := func(n int, refuse func(http.ResponseWriter, []question)) fault {
		return func(w http.ResponseWriter, asked []question, batch bool, _ func() []byte) bool {
			if !batch || len(asked) <= n {
				return false
			}
			refuse(w, asked)
			return true
		}
	}
	code := func(status int) func(http.ResponseWriter, []question) {
		return func(w http.ResponseWriter, _ []question) { w.WriteHeader(status) }
	}
	for name, f := range map[string]fault{
		"400": atMost(7, code(400)), "413": atMost(7, code(413)),
		"one error object": atMost(0, func(w http.ResponseWriter, _ []question) {
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}`))
		}),
		"too large, as geth says it": atMost(3, func(w http.ResponseWriter, asked []question) {
			_, _ = w.Write([]byte(`[{"jsonrpc":"2.0","id":` + string(asked[0].ID) + `,"error":{"code":-32600,"message":"batch too large"}}]`))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, node.URL, f)
			c := dial(t, chain.Config{URLs: []string{p.URL}})
			for range 2 {
				blocks, err := c.Blocks(t.Context(), p.name(), 0, 19)
				require.NoError(t, err)
				require.Len(t, blocks, 20)
			}
		})
	}
	for _, status := range []int{403, 500, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, node.URL, atMost(0, code(status)))
			c := dial(t, chain.Config{URLs: []string{p.URL}})
			_, err := c.Blocks(t.Context(), p.name(), 0, 19)
			require.Error(t, err)
			p.inject(nil)
			requests := p.bodies()
			_, err = c.Blocks(t.Context(), p.name(), 0, 19)
			require.NoError(t, err)
			require.Equal(t, 1, p.bodies()-requests)
		})
	}
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	p := newProxy(t, node.URL, hang(false))
	c := dial(t, chain.Config{URLs: []string{p.URL}, Timeout: 50 * time.Millisecond})
	_, err := c.BlockByNumber(t.Context(), 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = dial(t, chain.Config{URLs: []string{p.URL}, Timeout: time.Minute}).Head(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
