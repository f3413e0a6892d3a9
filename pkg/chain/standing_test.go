package chain_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// held is a proxy that keeps questions of a method waiting while it is closed.
type held struct {
	*proxy
	open chan chan struct{}
}

func newHeld(t *testing.T, node, method string) *held {
	t.Helper()
	h := &held{open: make(chan chan struct{}, 1)}
	h.let(true)
	h.proxy = newProxy(t, node, func(_ http.ResponseWriter, asked []question, _ bool, _ func() []byte) bool {
		if slices.ContainsFunc(asked, func(q question) bool { return q.Method == method }) {
			gate := <-h.open
			h.open <- gate
			select {
			case <-gate:
			case <-t.Context().Done():
			}
		}
		return false
	})
	return h
}

// let opens or closes it. What waits continues.
func (h *held) let(through bool) {
	select {
	case gate := <-h.open:
		select {
		case <-gate:
		default:
			close(gate)
		}
	default:
	}
	gate := make(chan struct{})
	if through {
		close(gate)
	}
	h.open <- gate
}

// TestAnEndpointThatIsAlwaysSlowerIsHeard: its answer is in the round in which it comes, and it is asked once for it.
func TestAnEndpointThatIsAlwaysSlowerIsHeard(t *testing.T) {
	t.Parallel()
	n := geth(t)
	n.commit()
	late := newHeld(t, n.url, "eth_getBlockByNumber")
	c := dial(t, chain.Config{URLs: []string{n.url, late.URL}, Grace: time.Millisecond})
	heard := func() int {
		claims, err := c.Latest(t.Context())
		require.NoError(t, err)
		return len(claims)
	}
	late.let(false)
	first := make(chan int)
	go func() { first <- heard() }()
	require.Eventually(t, func() bool { return late.count("eth_getBlockByNumber") == 1 }, time.Minute, time.Millisecond)
	late.let(true)
	require.Equal(t, 2, <-first, "the first round is not the word of the fastest alone")
	late.let(false)
	for range 3 {
		require.Equal(t, 1, heard())
	}
	require.Equal(t, 2, late.count("eth_getBlockByNumber"))
	late.let(true)
	require.Eventually(t, func() bool { return heard() == 2 }, time.Minute, time.Millisecond)
}

// TestASlowerEndpointGetsTransactions: the faster one, whose answer suffices for Send to return, may drop them.
func TestASlowerEndpointGetsTransactions(t *testing.T) {
	t.Parallel()
	n := geth(t)
	drops := newProxy(t, n.url, func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
		if !slices.ContainsFunc(asked, func(q question) bool { return q.Method == "eth_sendRawTransaction" }) {
			return false
		}
		return edit(func(_ string, _ []any, a map[string]any) { a["result"] = common.Hash{1} })(w, asked, batch, func() []byte {
			if batch {
				return []byte(`[{"jsonrpc":"2.0","id":` + string(asked[0].ID) + `}]`)
			}
			return []byte(`{"jsonrpc":"2.0","id":` + string(asked[0].ID) + `}`)
		})
	})
	late := newHeld(t, n.url, "eth_sendRawTransaction")
	reg := prometheus.NewRegistry()
	c, err := chain.Dial(t.Context(), chain.Config{URLs: []string{drops.URL, late.URL}, Timeout: time.Minute, Grace: time.Millisecond}, discard(), reg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	late.let(false)
	send(t, c, transfer(t, 0, 0))
	late.let(true)
	require.Eventually(t, func() bool {
		families, err := reg.Gather()
		require.NoError(t, err)
		taken := 0.0
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if f.GetName() == "scorelay_chain_send_results_total" && m.GetLabel()[0].GetValue() == txpool.Added.String() {
					taken += m.GetCounter().GetValue()
				}
			}
		}
		return taken == 2
	}, time.Minute, time.Millisecond)
}

// TestLogsOfOneOfTwoEndpointsAreProved: where the other fails, what is old is not one endpoint's word either.
func TestLogsOfOneOfTwoEndpointsAreProved(t *testing.T) {
	t.Parallel()
	n := geth(t)
	for range 6 {
		n.include(t, n.tx(t, 0), n.tx(t, 1))
		n.commit()
	}
	head := newest(t, n.direct)
	liar := newProxy(t, n.url, edit(func(method string, _ []any, a map[string]any) {
		if all, ok := a["result"].([]any); method == "eth_getLogs" && ok && len(all) > 3 {
			a["result"] = slices.Delete(all, 2, 3)
		}
	}))
	busy := newProxy(t, n.url, edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_getLogs" {
			fail(a, -32000, "busy")
		}
	}))
	got, err := collect(t, dial(t, chain.Config{URLs: []string{liar.URL, busy.URL}, Proven: 1}), emitter, 0, head.Number)
	require.NoError(t, err)
	require.Len(t, got, 12)
}
