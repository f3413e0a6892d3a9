package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGasIsTheMeasuredGas: the model's figures are within 3 % of those that cmd/bench measured on geth's EVM.
func TestGasIsTheMeasuredGas(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../bench/gas/testdata/gas.json")
	require.NoError(t, err)
	var measured struct {
		Rules map[string]map[string]float64 `json:"rules"`
	}
	require.NoError(t, json.Unmarshal(raw, &measured))
	costs, err := (&gasCommand{GasPrice: 2, EtherPrice: 3000}).costs()
	require.NoError(t, err)
	require.Len(t, costs, 12)
	compared := 0
	for _, x := range costs {
		key := fmt.Sprintf("%s_%s_%d", x.Wallets, x.IDs, x.Batch)
		if gas, ok := measured.Rules["osaka"][key]; ok {
			compared++
			require.InEpsilon(t, gas, x.Gas, 0.03, key)
			require.InEpsilon(t, measured.Rules["amsterdam"][key], x.NextFork, 0.03, key)
		}
		require.InDelta(t, 2*x.Gas, x.Gwei, 2, key)
		require.Zero(t, x.L1, key)
		require.InEpsilon(t, x.Gwei/1000, x.MillionEth, 1e-9, key)
		require.InEpsilon(t, 3*x.Gwei, x.MillionUSDs, 1e-9, key)
	}
	require.Equal(t, 10, compared)
}

// TestL1FeeOfGas compares with figures that were computed elsewhere for a batch of 2,481 bytes.
func TestL1FeeOfGas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, blob, want float64 }{{0.5, 0.1, 252}, {2, 1, 2_294}, {20, 5, 12_207}} {
		require.InEpsilon(t, c.want, (&gasCommand{Chain: "op", L1BaseFee: c.base, BlobFee: c.blob}).l1(2_481), 0.005)
	}
	op := &gasCommand{Chain: "op", L1BaseFee: 1}
	require.InDelta(t, op.l1(50), op.l1(130), 1e-9, "the smallest charge")
	require.InDelta(t, 2_470*16*2, (&gasCommand{Chain: "arbitrum", L1BaseFee: 2, BlobFee: 9}).l1(2_470), 0.001)
	require.Zero(t, (&gasCommand{Chain: "ethereum", L1BaseFee: 2, BlobFee: 9}).l1(2_470))

	op.GasPrice, op.EtherPrice = 0.005, 3000
	costs, err := op.costs()
	require.NoError(t, err)
	for _, x := range costs {
		require.InEpsilon(t, x.Gwei+x.L1, 1000*x.MillionEth, 1e-9)
		require.Positive(t, x.L1)
	}
}

func TestGasAsText(t *testing.T) {
	t.Parallel()
	c := &gasCommand{GasPrice: 1, EtherPrice: 3000}
	costs, err := c.costs()
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, c.writeText(&text, costs))
	lines := strings.Split(text.String(), "\n")
	require.Regexp(t, `batch +wallets +ids +gas +after Amsterdam +gwei +L1 gwei +ETH a million +USD a million`, lines[0])
	require.Regexp(t, `^ +1 +existing +consecutive +4\d,\d{3} +5\d,\d{3} +4\d{4}\.\d\d +0\.00 +4\d\.\d+ +14\d,\d{3}$`, lines[1])
	for _, price := range []float64{-1, 1e300, math.NaN(), math.Inf(1)} {
		require.ErrorContains(t, (&gasCommand{GasPrice: price}).Run(signals{}), "prices must be from 0")
	}
}
