package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

// shaped is a chain whose receipts, headers, gas and methods are as some rollup's.
func shaped(method string, params []any, a map[string]any) {
	switch method {
	case "eth_getBlockReceipts":
		for _, r := range a["result"].([]any) {
			r.(map[string]any)["l1Fee"] = "0x10"
		}
	case "eth_getBlockByNumber":
		if params[0] == "safe" || params[0] == "finalized" {
			a["result"] = nil
			return
		}
		a["result"].(map[string]any)["stateRoot"] = a["result"].(map[string]any)["hash"]
	case "eth_estimateGas":
		a["result"] = "0xc350" // 50,000
		if params[0].(map[string]any)["input"] != nil {
			a["result"] = "0x6ddd0" // 450,000
		}
	case "eth_getProof":
		fail(a, -32601, "the method eth_getProof does not exist/is not available")
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	node := fresh.NewChain(t)
	p := newProxy(t, node.URL)
	c := dial(t, chain.Config{URLs: []string{p.URL}})
	send(t, c, transfer(t, 0, 0), transfer(t, 1, 0))
	for range 5 {
		node.Commit()
	}
	send(t, c, transfer(t, 2, 0))
	node.Commit()
	facts := func() (found, verified map[string]string, unverified []string) {
		is, err := c.Profile(t.Context())
		require.NoError(t, err)
		found, verified = map[string]string{}, map[string]string{}
		for _, f := range is.Facts {
			if found[f.What] = f.Found; f.Verified {
				verified[f.What] = f.Found
			}
		}
		return found, verified, is.Unverified
	}
	found, verified, unverified := facts()
	require.Empty(t, unverified)
	require.Regexp(t, `^\d+\.00 s$`, found["block time"])
	require.Equal(t, map[string]string{
		"headers": "hash to their hashes: true", "receipts": "hash to their roots: true; 1 in 4 blocks, of types [0x2]",
	}, verified)
	require.Equal(t, "of types [0x2]", found["transactions"])
	require.Equal(t, "eth_getBlockReceipts, eth_getProof, eth_feeHistory, batches", found[p.name()])
	require.Equal(t, "1337", found["chain"])
	require.Contains(t, found["gas"], "0 beyond Ethereum's, and 0 a byte")
	require.Contains(t, found["finalized"], " behind")

	p.inject(edit(shaped))
	found, verified, unverified = facts()
	require.Empty(t, verified)
	require.Equal(t, []string{"headers", "receipts", "accounts"}, unverified)
	require.Equal(t, "l1Fee of receipts", found["L1 fee"])
	require.Equal(t, "29000 beyond Ethereum's, and 360 a byte of calldata", found["gas"])
	require.Contains(t, found["safe"], "not there")
	require.Contains(t, found[p.name()], "no eth_getProof")
	facts() // sets no endpoint aside

	p.inject(edit(func(_ string, _ []any, a map[string]any) { fail(a, -32000, "out of order") }))
	_, err := c.Profile(t.Context())
	require.ErrorContains(t, err, "out of order")
}

// TestAProfileEnds although an endpoint names the highest number for its newest block.
func TestAProfileEnds(t *testing.T) {
	t.Parallel()
	p := newProxy(t, fresh.NewChain(t).URL)
	var block any
	p.inject(edit(func(method string, _ []any, a map[string]any) {
		if method != "eth_getBlockByNumber" {
			return
		}
		if latest, ok := a["result"].(map[string]any); ok {
			latest["number"] = "0xffffffffffffffff"
			block = latest
		}
		delete(a, "error") // of a node that knows no such number
		a["result"] = block
	}))
	_, err := dial(t, chain.Config{URLs: []string{p.URL}}).Profile(t.Context())
	require.NoError(t, err)
	require.Less(t, p.count("eth_getBlockByNumber"), 10)
}
