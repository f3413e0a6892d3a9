package chain_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestLateReceipts: an endpoint that takes long with receipts keeps nothing else waiting, is asked once for each, and what comes
// after the Read that asked is in the next one that asks. Where they come quickly again they are waited for again.
func TestLateReceipts(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		first := n.tx(t, 0)
		b := n.include(t, first)
		p, gate := newProxy(t, n.url), make(chan struct{})
		p.inject(func(_ http.ResponseWriter, asked []question, _ bool, _ func() []byte) bool {
			if slices.ContainsFunc(asked, func(q question) bool { return q.Method == "eth_getBlockReceipts" }) {
				select {
				case <-gate:
				case <-t.Context().Done():
				}
			}
			return false
		})
		c := dial(t, chain.Config{URLs: []string{p.URL}, Timeout: 2200 * time.Millisecond})
		ask := evidence.Ask{At: b, Accounts: []common.Address{n.address(0)}, Price: true, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(first)}}}
		_, err := c.Read(t.Context(), ask)
		require.ErrorContains(t, err, "deadline")
		ticker := time.NewTicker(300 * time.Millisecond)
		defer ticker.Stop()
		for range 10 { // longer than others may take
			<-ticker.C
			learnt, err := c.Read(t.Context(), ask)
			require.NoError(t, err)
			require.Len(t, learnt.Accounts, 1)
			require.NotNil(t, learnt.Price)
			require.Empty(t, learnt.Receipts)
		}
		require.Equal(t, 2, p.count("eth_getBlockReceipts"), "one that was waited for, and one that was not")
		require.Len(t, ask.Receipts[0].Txs, 1, "what was asked is the caller's")
		close(gate)
		require.Eventually(t, func() bool {
			learnt, err := c.Read(t.Context(), ask)
			return err == nil && len(learnt.Receipts) == 1 && learnt.Receipts[first.Hash()].BlockHash == b.Hash
		}, time.Minute, time.Millisecond)
		require.Equal(t, 2, p.count("eth_getBlockReceipts"), "it was kept")

		second := n.tx(t, 0)
		b = n.include(t, second)
		ask = evidence.Ask{At: b, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(second)}}}
		require.Eventually(t, func() bool { // beside, since the last ones took long
			learnt, err := c.Read(t.Context(), ask)
			return err == nil && len(learnt.Receipts) == 1
		}, time.Minute, time.Millisecond)
		learnt := read(t, c, ask)
		require.Len(t, learnt.Receipts, 1, "waited for again")
	})
}
