package chain_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// emptyLogs is the lie that hid members for good.
var emptyLogs = edit(func(method string, _ []any, a map[string]any) {
	if method == "eth_getLogs" {
		a["result"] = []any{}
	}
})

// collect reads all logs of a contract and checks that the ranges follow each other.
func collect(t *testing.T, c *chain.Client, contract common.Address, from, to uint64) (all []types.Log, err error) {
	t.Helper()
	next := from
	err = c.Logs(t.Context(), contract, nil, from, to, func(through evidence.Block, logs []types.Log) error {
		for _, l := range logs {
			require.GreaterOrEqual(t, l.BlockNumber, next)
			require.LessOrEqual(t, l.BlockNumber, through.Number)
			require.Equal(t, contract, l.Address)
		}
		next = through.Number + 1
		all = append(all, logs...)
		return nil
	})
	if err == nil {
		require.Equal(t, to+1, next)
	}
	return all, err
}

func TestLogs(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		for range 6 {
			n.include(t, n.tx(t, 0), n.tx(t, 1))
			n.commit()
		}
		head := newest(t, n.direct)
		want, err := collect(t, n.direct, emitter, 0, head.Number)
		require.NoError(t, err)
		require.Len(t, want, 12)

		tooMany := func(most uint64) fault { // a provider that bounds the range of one question
			return func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
				return edit(func(method string, params []any, a map[string]any) {
					if method != "eth_getLogs" {
						return
					}
					filter := params[0].(map[string]any)
					first, last := common.HexToHash(filter["fromBlock"].(string)).Big().Uint64(), common.HexToHash(filter["toBlock"].(string)).Big().Uint64()
					if last-first >= most {
						fail(a, -32005, "query returned more than 10000 results")
					}
				})(w, asked, batch, forward)
			}
		}
		for name, c := range map[string]struct {
			faults []fault
			cfg    chain.Config
		}{
			"proven":                           {[]fault{nil}, chain.Config{}},
			"proven by fives":                  {[]fault{nil}, chain.Config{LogRange: 5}},
			"proven, of a liar":                {[]fault{emptyLogs}, chain.Config{}},
			"without block receipts":           {[]fault{without("eth_getBlockReceipts")}, chain.Config{}},
			"history":                          {[]fault{nil}, chain.Config{Proven: 1}},
			"history, provider's bound":        {[]fault{tooMany(3)}, chain.Config{Proven: 1}},
			"history, block by block":          {[]fault{tooMany(1)}, chain.Config{Proven: 1}},
			"history of a liar":                {[]fault{emptyLogs}, chain.Config{Proven: 1}},
			"history of a liar and of another": {[]fault{emptyLogs, nil}, chain.Config{Proven: 1}},
			"history, one is down":             {[]fault{status(503), nil}, chain.Config{Proven: 1}},
			"history of two, one leaves out": {[]fault{nil, edit(func(method string, _ []any, a map[string]any) {
				if all, ok := a["result"].([]any); method == "eth_getLogs" && ok && len(all) > 3 {
					a["result"] = slices.Delete(all, 2, 3)
				}
			})}, chain.Config{Proven: 1}},
		} {
			t.Run(name, func(t *testing.T) {
				for _, f := range c.faults {
					p := newProxy(t, n.url, f)
					c.cfg.URLs = append(c.cfg.URLs, p.URL)
				}
				got, err := collect(t, dial(t, c.cfg), emitter, 0, head.Number)
				require.NoError(t, err)
				require.Len(t, got, len(want))
				for i := range got {
					require.Equal(t, want[i].BlockHash, got[i].BlockHash)
					require.Equal(t, want[i].Index, got[i].Index)
					require.Equal(t, want[i].TxHash, got[i].TxHash)
				}
			})
		}

		none, err := collect(t, n.direct, common.Address{0xee}, 0, head.Number)
		require.NoError(t, err)
		require.Empty(t, none)
		require.NoError(t, n.direct.Logs(t.Context(), emitter, nil, head.Number+1, head.Number, nil)) // nothing to ask
		errStop := errors.New("stop")
		require.ErrorIs(t, n.direct.Logs(t.Context(), emitter, nil, 0, head.Number, func(evidence.Block, []types.Log) error { return errStop }), errStop)
	})
}

// TestLogsOfAProviderThatBoundsThem by an error of JSON-RPC in a page of HTTP 400 or 413, as the answer to one question or to a batch, and
// what an endpoint showed of its bound counts for the next history.
func TestLogsOfAProviderThatBoundsThem(t *testing.T) {
	t.Parallel()
	const most = 3
	n := geth(t)
	for range 10 {
		n.include(t, n.tx(t, 0))
		for range 5 {
			n.commit()
		}
	}
	head := newest(t, n.direct)
	for _, bound := range []struct {
		name   string
		status int
		whole  bool // one error in place of a batch's answers
	}{{"400", 400, false}, {"400 for the whole batch", 400, true}, {"413", 413, false}, {"413 for the whole batch", 413, true}} {
		t.Run(bound.name, func(t *testing.T) {
			t.Parallel()
			var refused atomic.Int64
			p := newProxy(t, n.url)
			p.inject(func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
				tooMany := func(q question) bool {
					var filters []struct{ FromBlock, ToBlock hexutil.Uint64 }
					return q.Method == "eth_getLogs" && json.Unmarshal(q.Params, &filters) == nil && filters[0].ToBlock-filters[0].FromBlock >= most
				}
				if !slices.ContainsFunc(asked, tooMany) {
					return false
				}
				refused.Add(1)
				w.WriteHeader(bound.status)
				if batch && bound.whole {
					_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"eth_getLogs is limited to 3 blocks"}}`))
					return true
				}
				return edit(func(method string, _ []any, a map[string]any) {
					if method == "eth_getLogs" {
						fail(a, -32600, "eth_getLogs is limited to 3 blocks")
					}
				})(w, asked, batch, forward)
			})
			c := dial(t, chain.Config{URLs: []string{p.URL}, Proven: 1})
			for range 2 {
				got, err := collect(t, c, emitter, 0, head.Number)
				require.NoError(t, err)
				require.Len(t, got, 10)
			}
			require.True(t, c.Health()[0].Up)
			require.Less(t, refused.Load(), int64(30), "the second history begins with what worked")
		})
	}

	// The page of a proxy is no answer of the node.
	p := newProxy(t, n.url, func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":400,"message":"intrinsic gas too low"}}`))
		return true
	})
	require.Equal(t, txpool.NodeDown, sendAll(t, dial(t, chain.Config{URLs: []string{p.URL}}), transfer(t, 0, 0))[0].Class)
}

// A node that has not seen the last block would leave out its logs: it is not believed.
func TestLogsOfALaggingNode(t *testing.T) {
	t.Parallel()
	n, lagging := geth(t), geth(t)
	for range 3 {
		n.include(t, n.tx(t, 0))
	}
	head := newest(t, n.direct)
	for _, proven := range []uint64{0, 1} {
		got, err := collect(t, dial(t, chain.Config{URLs: []string{lagging.url, n.url}, Proven: proven}), emitter, 0, head.Number)
		require.NoError(t, err)
		require.Len(t, got, 3)
		_, err = collect(t, dial(t, chain.Config{URLs: []string{lagging.url}, Proven: proven, LogRange: 1}), emitter, 0, head.Number)
		require.ErrorContains(t, err, "does not know the block")
	}
}

// TestBlocksInWhichNothingHappened are read by range of a sole endpoint after a rest: their headers need not be read if it showed no logs
// of them when they were new, and still shows those before.
func TestBlocksInWhichNothingHappened(t *testing.T) {
	t.Parallel()
	n := geth(t)
	n.include(t, n.tx(t, 0))
	event := newest(t, n.direct)
	for range 100 {
		n.commit()
	}
	head := newest(t, n.direct)
	p := newProxy(t, n.url)
	lies := false
	p.inject(edit(func(method string, _ []any, a map[string]any) {
		if lies && method == "eth_getLogs" {
			a["result"] = []any{}
		}
	}))
	c := dial(t, chain.Config{URLs: []string{p.URL}, Proven: 5})
	headers := func() int {
		before := p.count("eth_getBlockByNumber")
		logs, err := collect(t, c, emitter, event.Number+1, head.Number)
		require.NoError(t, err)
		require.Empty(t, logs)
		return p.count("eth_getBlockByNumber") - before
	}
	require.Greater(t, headers(), 100, "an empty answer proves nothing")
	shows, err := c.ShowsLogs(t.Context(), emitter, nil, event.Number, head.Number)
	require.NoError(t, err)
	require.True(t, shows)
	for from := event.Number + 1; from <= head.Number; from += 40 {
		shows, err = c.ShowsLogs(t.Context(), emitter, nil, from-min(from-event.Number-1, 3), min(head.Number, from+39))
		require.NoError(t, err)
		require.False(t, shows)
	}
	require.Greater(t, headers(), 100, "nothing shows that it has logs at all")
	_, _, err = c.Events(t.Context(), []evidence.Block{event}, emitter, nil)
	require.NoError(t, err)
	require.Less(t, headers(), 20)
	lies = true
	require.Greater(t, headers(), 100, "it does not show logs that were proved")
}

func TestEvents(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		for range 3 {
			n.include(t, n.tx(t, 0), n.tx(t, 1))
			n.commit()
		}
		head := newest(t, n.direct)
		p := newProxy(t, n.url)
		name := p.name()
		c := dial(t, chain.Config{URLs: []string{p.URL}})
		blocks, err := c.Blocks(ctx, name, 0, head.Number)
		require.NoError(t, err)

		before := p.bodies()
		logs, _, err := c.Events(ctx, blocks, emitter, nil)
		require.NoError(t, err)
		require.Len(t, logs, 6)
		require.Equal(t, 1, p.bodies()-before)
		require.Equal(t, 3, p.count("eth_getBlockReceipts"), "blooms tell where nothing is")
		none, _, err := c.Events(ctx, blocks, common.Address{0xee}, nil)
		require.NoError(t, err)
		require.Empty(t, none)
		require.Equal(t, 1, p.bodies()-before, "blooms tell that nothing is")

		for lie, f := range map[string]fault{"null": lies["null receipts"], "empty": lies["no receipts"], "403": status(403)} {
			p.inject(f)
			_, _, err := dial(t, chain.Config{URLs: []string{p.URL}}).Events(ctx, blocks, emitter, nil)
			require.Error(t, err, lie)
			logs, _, err := dial(t, chain.Config{URLs: []string{p.URL, n.url}}).Events(ctx, blocks, emitter, nil)
			require.NoError(t, err, lie)
			require.Len(t, logs, 6)
		}
	})
}

// Where receipts cannot be read, an empty answer is asked twice, and one endpoint cannot hide a log.
func TestEventsCompared(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		b := n.include(t, n.tx(t, 0))
		hide := func(times int) fault {
			return func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
				if times > 0 && slices.ContainsFunc(asked, func(q question) bool { return q.Method == "eth_getLogs" }) {
					times--
					return emptyLogs(w, asked, batch, forward)
				}
				return without("eth_getBlockReceipts")(w, asked, batch, forward)
			}
		}
		p, q := newProxy(t, n.url), newProxy(t, n.url)
		p.inject(hide(1))
		logs, _, err := dial(t, chain.Config{URLs: []string{p.URL}}).Events(ctx, []evidence.Block{b}, emitter, nil)
		require.NoError(t, err)
		require.Len(t, logs, 1)

		p.inject(hide(9))
		q.inject(hide(0))
		_, _, err = dial(t, chain.Config{URLs: []string{p.URL, q.URL}}).Events(ctx, []evidence.Block{b}, emitter, nil)
		require.ErrorContains(t, err, q.name())

		p.inject(func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
			if asked[0].Method != "eth_getLogs" {
				return without("eth_getBlockReceipts")(w, asked, batch, forward)
			}
			return edit(func(_ string, _ []any, a map[string]any) {
				for _, l := range a["result"].([]any) {
					l.(map[string]any)["blockHash"] = b.Parent
				}
			})(w, asked, batch, forward)
		})
		_, _, err = dial(t, chain.Config{URLs: []string{p.URL}}).Events(ctx, []evidence.Block{b}, emitter, nil)
		require.ErrorIs(t, err, evidence.ErrContradiction)
	})
}
