package app

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

// TestTheProfileIsLoggedOnce, and what one endpoint is believed in, in one warning.
func TestTheProfileIsLoggedOnce(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	proxy, err := rpcproxy.Start(node.URL, 1)
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	says := func(endpoints ...Secret) (infos, warnings int, text string) {
		var out strings.Builder
		p := newProcess("test", slog.New(slog.NewJSONHandler(&out, nil)))
		p.chain, err = DialChain(t.Context(), &Chain{ChainRPC: endpoints}, quiet, p.metrics)
		require.NoError(t, err)
		defer p.chain.Close()
		p.logProfile(t.Context(), len(endpoints))
		return strings.Count(out.String(), `"level":"INFO"`), strings.Count(out.String(), `"level":"WARN"`), out.String()
	}
	infos, warnings, text := says(Secret(proxy.URL))
	require.Equal(t, []int{1, 0}, []int{infos, warnings}, text)
	require.Contains(t, text, `{"what":"headers","found":"hash to their hashes: true","verified":true}`)

	proxy.Add(rpcproxy.Missing("eth_getProof", "eth_getBlockReceipts"))
	infos, warnings, text = says(Secret(proxy.URL))
	require.Equal(t, []int{1, 1}, []int{infos, warnings}, text)
	require.Contains(t, text, `"not_verified":"receipts, accounts"`)
	infos, warnings, text = says(Secret(proxy.URL), Secret(node.URL))
	require.Equal(t, []int{1, 0}, []int{infos, warnings}, text)
}
