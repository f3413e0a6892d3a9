package chain_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// price reads the price at the client's head. Anvil's fee history may lack its newest block for a moment.
func price(t *testing.T, c *chain.Client) evidence.Price {
	t.Helper()
	head, err := c.Head(t.Context())
	require.NoError(t, err)
	var learnt evidence.Answer
	require.Eventually(t, func() bool {
		learnt, err = c.Read(t.Context(), evidence.Ask{At: head, Price: true})
		return err == nil && learnt.Price != nil
	}, time.Minute, 10*time.Millisecond, "%v", &err)
	return *learnt.Price
}

func tips(gweis int64) func(*types.DynamicFeeTx) {
	return func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(gweis * gwei) }
}

func TestPrice(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		first := price(t, n.direct)
		require.False(t, first.Legacy)
		require.GreaterOrEqual(t, first.Tip, uint64(chain.DefaultMinTip))
		head := n.head(t)
		require.InDelta(t, head.BaseFee.Uint64(), first.BaseFee, float64(head.BaseFee.Uint64())/8+1)

		for range 3 { // the market pays 3 gwei, and empty blocks between do not count
			n.include(t, n.tx(t, 0, tips(3)))
			n.commit()
		}
		require.Equal(t, uint64(3*gwei), price(t, n.direct).Tip)
		require.Equal(t, uint64(2*gwei), price(t, dial(t, chain.Config{URLs: []string{n.url}, MaxTip: 2 * gwei})).Tip)
		require.Equal(t, uint64(4*gwei), price(t, dial(t, chain.Config{URLs: []string{n.url}, MinTip: 4 * gwei})).Tip)
		legacy := price(t, dial(t, chain.Config{URLs: []string{n.url}, Legacy: true}))
		require.True(t, legacy.Legacy)
		require.NotZero(t, legacy.Gas)
	})
}

// Bumps of our own do not raise the price that they are bumped by: neither those of this process, nor those that another
// replica sends to the contract.
func TestPriceWithoutOurOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		replica := dial(t, chain.Config{URLs: []string{n.url}})
		replica.Own(emitter)
		still := price(t, replica).Tip // the node's own idea, once

		n.include(t, n.tx(t, 1, tips(3))) // others
		market := price(t, n.direct)
		require.Equal(t, uint64(3*gwei), market.Tip)

		require.Equal(t, still, price(t, replica).Tip, "calls of the contract are no market")
		for bump := range int64(9) {
			tx := n.tx(t, 0, tips(4+2*bump))
			send(t, n.direct, tx)
			n.commit()
			require.Equal(t, market.Tip, price(t, n.direct).Tip, "bump %d", bump)
			require.Equal(t, still, price(t, replica).Tip, "bump %d", bump)
		}
		stranger := dial(t, chain.Config{URLs: []string{n.url}})
		require.Greater(t, price(t, stranger).Tip, market.Tip)

		// Others in the same block are told apart.
		ours, theirs := n.tx(t, 0, tips(40)), n.tx(t, 1, tips(5))
		send(t, n.direct, ours)
		n.raw(t, theirs)
		n.commit()
		require.Equal(t, uint64(5*gwei), price(t, n.direct).Tip)
	})
}

// A chain without base fees has neither their field nor a fee history.
func TestPriceOfALegacyChain(t *testing.T) {
	t.Parallel()
	n := geth(t)
	p := newProxy(t, n.url, without("eth_feeHistory", "eth_maxPriorityFeePerGas"))
	head := n.head(t)
	head.BaseFee = nil
	learnt := read(t, dial(t, chain.Config{URLs: []string{p.URL}}), evidence.Ask{At: head, Price: true})
	require.True(t, learnt.Price.Legacy)
	require.NotZero(t, learnt.Price.Gas)
}

// One endpoint's base fee counts within what the block's own allows.
func TestPriceIsBounded(t *testing.T) {
	t.Parallel()
	n := geth(t)
	n.commit()
	head := n.head(t)
	p := newProxy(t, n.url, editResult("eth_feeHistory", func(history map[string]any) {
		fees := history["baseFeePerGas"].([]any)
		fees[len(fees)-1] = "0xffffffffffffffffffffff"
	}))
	require.Equal(t, 2*head.BaseFee.Uint64(), price(t, dial(t, chain.Config{URLs: []string{p.URL}})).BaseFee)
}

// TestAnOracleOfFeesOnTheChainBelow is asked with each price where there is one, once where there is none, and again
// while that is not known.
func TestAnOracleOfFeesOnTheChainBelow(t *testing.T) {
	t.Parallel()
	word := func(wei uint64) string { return hexutil.Encode(common.BigToHash(new(big.Int).SetUint64(wei)).Bytes()) }
	const large = 128 << 10
	var input string
	n := geth(t)
	for name, c := range map[string]struct {
		say   func(map[string]any)
		want  uint64
		asked int // in ten prices
	}{
		"there":                   {func(a map[string]any) { a["result"] = word(5 * gwei * large) }, 5*gwei + 1, 10},
		"there, and lies":         {func(a map[string]any) { a["result"] = common.MaxHash }, 10_000 * gwei, 10},
		"no code":                 {func(map[string]any) {}, 0, 8}, // as geth says
		"an older one":            {func(a map[string]any) { fail(a, 3, "execution reverted") }, 0, 8},
		"a node that has no time": {func(a map[string]any) { fail(a, -32000, "busy") }, 0, 10},
	} {
		p := newProxy(t, n.url, edit(func(method string, params []any, a map[string]any) {
			if method == "eth_call" {
				input = params[0].(map[string]any)["input"].(string)
				c.say(a)
			}
		}))
		client := dial(t, chain.Config{URLs: []string{p.URL}})
		for range 10 {
			n.commit()
			require.Equal(t, c.want, price(t, client).L1Byte, name)
		}
		require.Equal(t, c.asked, p.count("eth_call"), name)
	}
	selector := crypto.Keccak256([]byte("getL1FeeUpperBound(uint256)"))[:4]
	require.Equal(t, hexutil.Encode(selector)+word(large)[2:], input)
}

// TestAnOracleThatAnsweredIsNotForgotten for an endpoint that shows none.
func TestAnOracleThatAnsweredIsNotForgotten(t *testing.T) {
	t.Parallel()
	n := geth(t)
	p := newProxy(t, n.url)
	there := true
	p.inject(edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_call" && there {
			a["result"] = hexutil.Encode(common.BigToHash(big.NewInt(3 * gwei << 17)).Bytes())
		}
	}))
	client := dial(t, chain.Config{URLs: []string{p.URL}})
	for range 3 {
		require.Equal(t, uint64(3*gwei+1), price(t, client).L1Byte)
		there = !there
	}
}

// TestOneLieOfAnOracleDoesNotLast: the chain has no such contract, and all but one answer say so.
func TestOneLieOfAnOracleDoesNotLast(t *testing.T) {
	t.Parallel()
	n := geth(t)
	p := newProxy(t, n.url)
	lies := true
	p.inject(edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_call" && lies {
			a["result"] = "0x" + strings.Repeat("ff", 32)
		}
	}))
	client := dial(t, chain.Config{URLs: []string{p.URL}})
	require.EqualValues(t, 10_000*gwei, price(t, client).L1Byte)
	lies = false
	for range 20 {
		n.commit()
		_ = price(t, client)
	}
	require.Zero(t, price(t, client).L1Byte,
		"wei a byte, for the life of the process: 0.06 ether for each batch of 100 in flight")
}

// TestOneLieDoesNotHideAnOracle: on a chain of the OP Stack one endpoint says once that there is none.
func TestOneLieDoesNotHideAnOracle(t *testing.T) {
	t.Parallel()
	n := geth(t)
	p := newProxy(t, n.url)
	lies := true
	p.inject(edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_call" {
			if a["result"] = "0x" + strings.Repeat("00", 27) + "0100000000"; lies {
				a["result"] = "0x"
			}
		}
	}))
	client := dial(t, chain.Config{URLs: []string{p.URL}})
	require.Zero(t, price(t, client).L1Byte)
	lies = false
	for range 20 {
		n.commit()
		_ = price(t, client)
	}
	require.NotZero(t, price(t, client).L1Byte,
		"the fee on L1 is not counted any more, in this process: SCORELAY_MAX_FEE_PER_UPDATE_GWEI does not hold")
}
