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
	head := newest(t, c)
	var learnt evidence.Answer
	var err error
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
		head := newest(t, n.direct)
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
	head := newest(t, n.direct)
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
	head := newest(t, n.direct)
	p := newProxy(t, n.url, editResult("eth_feeHistory", func(history map[string]any) {
		fees := history["baseFeePerGas"].([]any)
		fees[len(fees)-1] = "0xffffffffffffffffffffff"
	}))
	require.Equal(t, 2*head.BaseFee.Uint64(), price(t, dial(t, chain.Config{URLs: []string{p.URL}})).BaseFee)
}

// oracle is an endpoint whose calls say answers, and what a byte costs on L1 by it, at another block each time.
func oracle(t *testing.T, n *anyNode, say func(input any, a map[string]any)) (p *proxy, l1Byte func() uint64) {
	t.Helper()
	p = newProxy(t, n.url, edit(func(method string, params []any, a map[string]any) {
		if method == "eth_call" {
			say(params[0].(map[string]any)["input"], a)
		}
	}))
	client := dial(t, chain.Config{URLs: []string{p.URL}})
	return p, func() uint64 {
		n.commit()
		return price(t, client).L1Byte
	}
}

// TestAnOracleOfFeesOnTheChainBelow is asked with each price where there is one, once where there is none, and again
// while that is not known.
func TestAnOracleOfFeesOnTheChainBelow(t *testing.T) {
	t.Parallel()
	word := func(wei uint64) string { return hexutil.Encode(common.BigToHash(new(big.Int).SetUint64(wei)).Bytes()) }
	const large = 128 << 10
	var input any
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
		p, l1Byte := oracle(t, n, func(in any, a map[string]any) { input = in; c.say(a) })
		for range 10 {
			require.Equal(t, c.want, l1Byte(), name)
		}
		require.Equal(t, c.asked, p.count("eth_call"), name)
	}
	selector := crypto.Keccak256([]byte("getL1FeeUpperBound(uint256)"))[:4]
	require.Equal(t, hexutil.Encode(selector)+word(large)[2:], input)
}

// TestOneLieAboutAnOracleDoesNotLast: an oracle that answered is not forgotten for an answer that shows none, the lie that there is one is
// forgotten, and so is the lie that there is none.
func TestOneLieAboutAnOracleDoesNotLast(t *testing.T) {
	t.Parallel()
	n, there := geth(t), true
	_, l1Byte := oracle(t, n, func(_ any, a map[string]any) {
		if there {
			a["result"] = hexutil.Encode(common.BigToHash(big.NewInt(3 * gwei << 17)).Bytes())
		}
	})
	for range 3 {
		require.Equal(t, uint64(3*gwei+1), l1Byte())
		there = !there
	}

	lies := true
	_, l1Byte = oracle(t, n, func(_ any, a map[string]any) {
		if lies {
			a["result"] = "0x" + strings.Repeat("ff", 32)
		}
	})
	require.EqualValues(t, 10_000*gwei, l1Byte())
	lies = false
	for range 20 {
		l1Byte()
	}
	require.Zero(t, l1Byte(), "wei a byte, for the life of the process: 0.06 ether for each batch of 100 in flight")

	lies = true // as an endpoint of a chain of the OP Stack, once
	_, l1Byte = oracle(t, n, func(_ any, a map[string]any) {
		if a["result"] = "0x" + strings.Repeat("00", 27) + "0100000000"; lies {
			a["result"] = "0x"
		}
	})
	require.Zero(t, l1Byte())
	lies = false
	for range 20 {
		l1Byte()
	}
	require.NotZero(t, l1Byte(), "the fee on L1 is not counted any more, in this process: SCORELAY_MAX_FEE_PER_UPDATE_GWEI does not hold")
}
