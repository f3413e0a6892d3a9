package relay_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/score"
)

// through has the world's client reach geth through a proxy.
func (w *world) through() *rpcproxy.Proxy {
	w.t.Helper()
	proxy, err := rpcproxy.Start(w.geth.URL, 1)
	require.NoError(w.t, err)
	w.t.Cleanup(proxy.Close)
	w.client, err = chain.Dial(w.t.Context(), chain.Config{URLs: []string{proxy.URL}, Timeout: time.Minute}, w.log, prometheus.NewRegistry())
	require.NoError(w.t, err)
	w.t.Cleanup(w.client.Close)
	w.view = w.client
	return proxy
}

// logged has the world log into what it returns, as text.
func (w *world) logged() func() string {
	var log lockedBuffer
	w.log = slog.New(slog.NewTextHandler(&log, nil))
	return log.String
}

type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// tipsBelow refuses tips below some gwei, in a node's words: of the least tip and the transaction's.
func tipsBelow(gwei int64, words string) rpcproxy.Fault {
	least := big.NewInt(gwei * 1e9)
	return rpcproxy.RefuseSends(func(tx *types.Transaction) error {
		if tx.GasTipCap().Cmp(least) < 0 {
			return fmt.Errorf(words, least, tx.GasTipCap())
		}
		return nil
	})
}

// TestAPoolsMinimumAboveTheSuggestedTipIsPaid: what no node took is no attempt to outbid, so the cap has not reached the ceiling when the tip
// is high enough.
func TestAPoolsMinimumAboveTheSuggestedTipIsPaid(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]string{
		"bor":     "transaction gas price below minimum: gas tip cap %[2]d, minimum needed %[1]d",
		"bsc":     "transaction underpriced: tip needed %d, tip permitted %d",
		"unnamed": "transaction underpriced",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "unnamed" {
				words = "transaction underpriced%.0[1]d%.0[2]d"
			}
			w := newWorld(t, 1)
			proxy := w.through()
			config := w.config()
			config.Rules.Fees.MaxCap = 40e9
			config.Rules.Fees.MaxTip = 30e9
			w.create(1)
			w.accept(some(1, 0, 30)...)
			defer proxy.Add(tipsBelow(25, words))()
			w.start(config, w.deps())
			w.drain()
			require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit())
			require.Positive(t, proxy.Stats().Told["refuse sends"])
		})
	}
}

// TestAPoolsMinimumThatNoLaneMayPayIsToldInTheNodesWords, and when it falls the lane resumes.
func TestAPoolsMinimumThatNoLaneMayPayIsToldInTheNodesWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	logged := w.logged()
	proxy := w.through()
	config := w.config()
	config.Rules.Fees.MaxTip = 20e9
	w.create(1)
	w.accept(some(1, 0, 30)...)
	remove := proxy.Add(tipsBelow(25, "transaction underpriced: tip needed %d, tip permitted %d"))
	w.start(config, w.deps())
	require.Eventually(t, func() bool {
		w.mine()
		return bytes.Contains([]byte(logged()), []byte("tip needed 25000000000, tip permitted 20000000000"))
	}, 2*time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		w.mine()
		return bytes.Contains([]byte(logged()), []byte("nodes refuse the lane's transactions for their price"))
	}, 2*time.Minute, 10*time.Millisecond)
	attempts := len(w.states()[0].Slots[0].Attempts)
	for range 20 {
		w.mine()
	}
	require.Len(t, w.states()[0].Slots[0].Attempts, attempts, "nothing is gained by more of them")
	remove()
	defer proxy.Add(tipsBelow(15, "transaction underpriced: tip needed %d, tip permitted %d"))()
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit())
}
