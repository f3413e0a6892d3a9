package chain_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/eth/ethconfig"
	gethnode "github.com/ethereum/go-ethereum/node"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// throttle answers 429, with the header if it is not empty.
func throttle(retryAfter string) fault {
	return func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
}

// A single endpoint that throttles is left alone as long as it asks for; sends say so and are not lost.
func TestThrottledAlone(t *testing.T) {
	t.Parallel()
	node := devnet.NewChain(t)
	p := newProxy(t, node.URL)
	p.inject(throttle("2"))
	c := dial(t, chain.Config{URLs: []string{p.URL}})
	began := time.Now()
	for range 50 {
		_, err := c.Head(t.Context())
		require.Error(t, err)
		r := sendAll(t, c, transfer(t, 0, 0))[0]
		require.Equal(t, txpool.Throttled, r.Class)
		require.True(t, r.Class.Ambiguous())
	}
	require.Less(t, time.Since(began), 2*time.Second)
	require.Equal(t, 1, p.bodies())
	_, err := c.Latest(t.Context())
	require.ErrorContains(t, err, p.name()+" is left alone for")
	require.ErrorContains(t, err, "it throttles")
	p.inject(nil)
	require.Eventually(t, func() bool {
		_, err := c.Head(t.Context())
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
	require.GreaterOrEqual(t, time.Since(began), 2*time.Second)
	send(t, c, transfer(t, 0, 0))
}

// Some throttle in the answers to elements of a batch.
func TestThrottledElement(t *testing.T) {
	t.Parallel()
	node := devnet.NewChain(t)
	node.Commit()
	p := newProxy(t, node.URL)
	p.inject(edit(func(_ string, _ []any, a map[string]any) {
		fail(a, 429, "Your app has exceeded its compute units per second capacity")
	}))
	c := dial(t, chain.Config{URLs: []string{p.URL}})
	for range 10 {
		_, err := c.Blocks(t.Context(), p.name(), 0, 1)
		require.Error(t, err)
	}
	require.Equal(t, 1, p.bodies())
}

// What an endpoint is asked is counted, each element of a batch by itself; idle polling is one call.
func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	node := devnet.NewChain(t)
	node.Commit()
	reg := prometheus.NewRegistry()
	c, err := chain.Dial(t.Context(), chain.Config{URLs: []string{node.URL}}, discard(), reg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	for range 5 {
		_, err := c.Latest(t.Context())
		require.NoError(t, err)
	}
	require.InDelta(t, 5, counted(t, reg, "scorelay_chain_calls_total"), 0)
	_, err = c.Blocks(t.Context(), node.URL[len("http://"):], 0, 1)
	require.NoError(t, err)
	require.InDelta(t, 7, counted(t, reg, "scorelay_chain_calls_total"), 0)
}

// A websocket pushes its heads: Latest costs nothing between them, and polls when the subscription ends.
func TestPushedHeads(t *testing.T) {
	t.Parallel()
	node, err := devnet.StartChain(devnet.ChainOptions{Adjust: func(cfg *gethnode.Config, _ *ethconfig.Config) {
		cfg.WSHost, cfg.WSPort, cfg.WSModules = "127.0.0.1", 0, []string{"eth"}
	}})
	require.NoError(t, err)
	t.Cleanup(node.Close)
	t.Run("geth", func(t *testing.T) { pushed(t, node.WSURL(), func() { node.Commit() }) })
	t.Run("anvil", func(t *testing.T) {
		url, client := anvil(t)
		pushed(t, "ws"+url[len("http"):], func() { require.NoError(t, client.Call(nil, "evm_mine")) })
	})
}

func pushed(t *testing.T, url string, commit func()) {
	t.Helper()
	reg := prometheus.NewRegistry()
	c, err := chain.Dial(t.Context(), chain.Config{URLs: []string{url}, Timeout: 5 * time.Second}, discard(), reg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NotNil(t, c.Wake())
	commit()
	woken := func() {
		t.Helper()
		for {
			select {
			case <-c.Wake():
				return
			case <-time.After(2 * time.Second): // the subscription may have begun after the block
				commit()
			}
		}
	}
	woken()
	claims, err := c.Latest(t.Context())
	require.NoError(t, err)
	require.True(t, claims[0].Block.Checked)
	before := counted(t, reg, "scorelay_chain_calls_total")
	for range 20 {
		again, err := c.Latest(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, again[0].Block.Number, claims[0].Block.Number)
	}
	require.InDelta(t, before, counted(t, reg, "scorelay_chain_calls_total"), 1)
	commit()
	require.Eventually(t, func() bool {
		again, err := c.Latest(t.Context())
		return err == nil && again[0].Block.Number > claims[0].Block.Number
	}, 10*time.Second, time.Millisecond)
	learnt, err := c.Read(t.Context(), evidence.Ask{At: claims[0].Block, Price: true})
	require.NoError(t, err)
	require.NotNil(t, learnt.Price)
}
