package chain_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
)

func TestPaid(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		for range 11 { // more transactions than are read at once
			n.include(t, n.tx(t, 0), n.tx(t, 1), n.tx(t, 0), n.tx(t, 1), n.tx(t, 0), n.tx(t, 1))
		}
		head := newest(t, n.direct)
		logs, err := collect(t, n.direct, emitter, 0, head.Number)
		require.NoError(t, err)
		require.Len(t, logs, 66)
		otherHash := editResult("eth_getTransactionReceipt", func(r map[string]any) {
			r["transactionHash"] = "0x" + "11" + r["transactionHash"].(string)[4:]
		})
		for name, faults := range map[string][]fault{
			"one": {nil}, "one is down": {status(503), nil}, "one lacks receipts": {without("eth_getTransactionReceipt"), nil},
			"one gives other receipts": {otherHash, nil},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var urls []string
				for _, f := range faults {
					p := newProxy(t, n.url, f)
					urls = append(urls, p.URL)
				}
				paid, err := dial(t, chain.Config{URLs: urls}).Paid(t.Context(), logs)
				require.NoError(t, err)
				require.Len(t, paid, len(logs))
				for i := range logs {
					p := paid[logs[i].TxHash]
					require.NotZero(t, p.Time)
					require.GreaterOrEqual(t, p.Gas, uint64(21_000))
					require.Equal(t, 1, p.Fee.Cmp(new(big.Int).SetUint64(p.Gas)))
				}
			})
		}
		liar := newProxy(t, n.url, otherHash)
		_, err = dial(t, chain.Config{URLs: []string{liar.URL}}).Paid(t.Context(), logs)
		require.Error(t, err)
		blocks, err := n.direct.Blocks(t.Context(), strings.TrimPrefix(n.url, "http://"), 1, head.Number)
		require.NoError(t, err)
		all, err := n.direct.Paid(t.Context(), logs)
		require.NoError(t, err)
		_, paid, err := n.direct.Events(t.Context(), blocks, emitter, nil)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(all), fmt.Sprint(paid), "receipts that were read for the logs tell the same")
		none, err := n.direct.Paid(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, none)
	})
}
