package chain_test

import (
	"log/slog"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// lostHash changes the hash of every block that is answered.
var lostHash = edit(func(method string, _ []any, a map[string]any) {
	if block, ok := a["result"].(map[string]any); ok && strings.HasPrefix(method, "eth_getBlockBy") {
		hash := common.HexToHash(block["hash"].(string))
		hash[0] ^= 1
		block["hash"] = hash
	}
})

// latestOnly applies a change to the newest block only.
func latestOnly(change func(block map[string]any)) fault {
	return edit(func(method string, params []any, a map[string]any) {
		if block, ok := a["result"].(map[string]any); ok && method == "eth_getBlockByNumber" && params[0] == "latest" {
			change(block)
		}
	})
}

func TestWrongHash(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		n.commit()
		n.commit()
		want := newest(t, n.direct)
		p := newProxy(t, n.url)
		reg, text := prometheus.NewRegistry(), &fresh.Log{}
		rests := newProxy(t, n.url) // the second one, which throttles
		rests.inject(func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		})
		c, err := chain.Dial(ctx, chain.Config{URLs: []string{p.URL, rests.URL}}, slog.New(slog.NewTextHandler(text, nil)), reg)
		require.NoError(t, err)
		t.Cleanup(c.Close)

		require.Eventually(t, func() bool {
			_, err := c.Latest(ctx)
			return err == nil && !c.Health()[1].Up
		}, time.Minute, time.Millisecond)

		// One lie at the start does not switch the checks off.
		p.inject(latestOnly(func(block map[string]any) { block["hash"] = common.Hash{1} }))
		_, err = c.Head(ctx)
		require.ErrorIs(t, err, evidence.ErrContradiction)
		p.inject(lostHash)
		for range 3 {
			_, err = c.Head(ctx)
			require.ErrorIs(t, err, evidence.ErrContradiction)
		}
		_, err = c.Blocks(ctx, p.name(), 0, want.Number)
		require.ErrorIs(t, err, evidence.ErrContradiction)
		require.Equal(t, 1, strings.Count(text.String(), "setting it aside"), "an episode has one line")
		require.Contains(t, text.String(), "endpoint="+p.name())
		require.InDelta(t, 5, counted(t, reg, "scorelay_chain_contradictions_total"), 0)

		// The last one left is believed again at once where it can be checked, and not where it cannot.
		p.inject(nil)
		head := newest(t, c)
		require.Equal(t, want, head)
		_, err = c.View(ctx, emitter, nil)
		require.ErrorContains(t, err, "what cannot be checked is not believed")
		learnt := read(t, c, evidence.Ask{At: head, Accounts: []common.Address{n.address(0)}, Price: true})
		require.Len(t, learnt.Accounts, 1)
		require.Nil(t, learnt.Price, "no word is taken, and no tip is known")

		// With a second one, the first is not asked any more.
		both := dial(t, chain.Config{URLs: []string{p.URL, n.url}})
		p.inject(lostHash)
		for range 5 {
			head = newest(t, both)
			require.Equal(t, want, head)
		}
		asked := p.bodies()
		newest(t, both)
		_, err = both.BlockByNumber(ctx, 1)
		require.NoError(t, err)
		require.Equal(t, asked, p.bodies())
	})
}

// counted is the sum of a counter over all labels.
func counted(t *testing.T, reg *prometheus.Registry, name string) (sum float64) {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			for _, metric := range family.GetMetric() {
				sum += metric.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// A chain whose headers cannot be checked: endpoints are compared.
func TestUncheckableHeaders(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		tx := n.tx(t, 0)
		b := n.include(t, tx)
		own := func(salt string) fault { // hashes by a rule of the chain's own
			return edit(func(method string, _ []any, a map[string]any) {
				if block, ok := a["result"].(map[string]any); ok && strings.HasPrefix(method, "eth_getBlockBy") {
					block["l1BlockNumber"] = salt
					block["extraData"] = hexutil.Bytes(salt)
				}
			})
		}
		p, q, liar := newProxy(t, n.url), newProxy(t, n.url), newProxy(t, n.url)
		p.inject(own("a"))
		q.inject(own("a"))
		c := dial(t, chain.Config{URLs: []string{p.URL, q.URL}})
		head := newest(t, c)
		require.False(t, head.Checked)
		require.Equal(t, b.Hash, head.Hash)
		blocks, err := c.Blocks(ctx, p.name(), 0, head.Number)
		require.NoError(t, err)
		require.Len(t, blocks, int(head.Number)+1)
		_, err = c.BlockByNumber(ctx, head.Number)
		require.NoError(t, err)
		learnt := read(t, c, evidence.Ask{At: head, Accounts: []common.Address{n.address(0)}, Receipts: []evidence.Wanted{{Block: head, Txs: hashes(tx)}}})
		require.False(t, learnt.Accounts[n.address(0)].Proved)
		require.Len(t, learnt.Receipts, 1)

		liar.inject(lostHash)
		two := dial(t, chain.Config{URLs: []string{liar.URL, q.URL}})
		_, err = two.BlockByNumber(ctx, 1)
		require.ErrorContains(t, err, "others differ")
		require.ErrorContains(t, err, liar.name())
		lies, err := two.Blocks(ctx, liar.name(), 1, 1)
		require.NoError(t, err, "they are the endpoint's word")
		_, err = two.Agreed(ctx, liar.name(), lies)
		require.ErrorContains(t, err, "others differ")
		three := dial(t, chain.Config{URLs: []string{p.URL, q.URL, liar.URL}})
		_, err = three.BlockByNumber(ctx, 1)
		require.NoError(t, err, "two against one")
	})
}

// An endpoint that claims a head far above all others, with a header that hashes to its hash.
func TestMadeUpHead(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		n.commit()
		want := newest(t, n.direct)
		p := newProxy(t, n.url, latestOnly(func(block map[string]any) {
			made := types.Header{
				ParentHash: common.Hash{1}, UncleHash: types.EmptyUncleHash, Number: new(big.Int).SetUint64(want.Number + 1000), Difficulty: new(big.Int),
				TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash, GasLimit: 30_000_000, BaseFee: big.NewInt(1), Extra: []byte{},
			}
			for key := range block {
				delete(block, key)
			}
			for key, value := range map[string]any{
				"parentHash": made.ParentHash, "sha3Uncles": made.UncleHash, "miner": made.Coinbase, "stateRoot": made.Root,
				"transactionsRoot": made.TxHash, "receiptsRoot": made.ReceiptHash, "logsBloom": made.Bloom, "difficulty": "0x0",
				"number": (*hexutil.Big)(made.Number), "gasLimit": hexutil.Uint64(made.GasLimit), "gasUsed": "0x0", "timestamp": "0x0",
				"extraData": "0x", "mixHash": made.MixDigest, "nonce": made.Nonce, "baseFeePerGas": "0x1", "hash": made.Hash(),
				"transactions": []any{},
			} {
				block[key] = value
			}
		}))
		c := dial(t, chain.Config{URLs: []string{p.URL, n.url}, Grace: time.Minute})
		claims, err := c.Latest(ctx)
		require.NoError(t, err)
		require.Len(t, claims, 2)
		require.True(t, claims[0].Block.Checked)
		require.Equal(t, want.Number+1000, claims[0].Block.Number)
		head := newest(t, c)
		require.Equal(t, want, head)
		_, err = c.Blocks(ctx, p.name(), want.Number, want.Number+1000)
		require.ErrorContains(t, err, "does not know the block")

		for range 2 {
			c.Distrust(p.name(), evidence.ErrContradiction)
		}
		claims, err = c.Latest(ctx)
		require.NoError(t, err)
		require.Len(t, claims, 1)
		require.Equal(t, want, claims[0].Block)
	})
}

// A node that lags is not at fault, and is asked last for what it does not have.
func TestLaggingEndpoint(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		old := newest(t, n.direct)
		tx := n.tx(t, 0)
		b := n.include(t, tx)
		p := newProxy(t, n.url, edit(func(method string, params []any, a map[string]any) {
			switch {
			case method == "eth_getBlockByNumber" && params[0] == "latest":
				fail(a, -32000, "busy")
			case method == "eth_getBlockByNumber" && params[0] == hexutil.EncodeUint64(b.Number),
				method == "eth_getBlockByHash" && params[0] == b.Hash.Hex(), strings.HasSuffix(method, "Receipts"), strings.HasSuffix(method, "Receipt"):
				a["result"] = nil
			case method == "eth_getProof":
				fail(a, -32000, "header for hash not found")
			}
		}))
		c := dial(t, chain.Config{URLs: []string{p.URL, n.url}})
		for range 5 {
			learnt := read(t, c, evidence.Ask{
				At: b, Accounts: []common.Address{n.address(0)}, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(tx)}},
			})
			require.Len(t, learnt.Accounts, 1)
			require.Len(t, learnt.Receipts, 1)
			got, err := c.BlockByNumber(ctx, b.Number)
			require.NoError(t, err)
			require.Equal(t, b, got)
		}
		require.Zero(t, p.count("eth_getTransactionCount"), "a block that is not there has no other state")
		blocks, err := c.Blocks(ctx, p.name(), old.Number, b.Number)
		require.ErrorContains(t, err, "does not know the block")
		require.Len(t, blocks, int(b.Number-old.Number), "what was read is kept")
	})
}

// Catching up takes one exchange for a hundred blocks, and what was read before a failure is kept.
func TestBlocksInBatches(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		for range 110 {
			n.commit()
		}
		p := newProxy(t, n.url)
		c := dial(t, chain.Config{URLs: []string{p.URL}})
		blocks, err := c.Blocks(ctx, p.name(), 1, 110)
		require.NoError(t, err)
		require.Len(t, blocks, 110)
		require.Equal(t, 2, p.bodies())
		for i := 1; i < len(blocks); i++ {
			require.Equal(t, blocks[i-1].Hash, blocks[i].Parent)
		}

		asked := 0
		p.inject(func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
			if asked++; asked == 1 {
				return false
			}
			w.WriteHeader(503)
			return true
		})
		some, err := c.Blocks(ctx, p.name(), 1, 110)
		require.Error(t, err)
		require.Equal(t, blocks[:100], some)

		// A block of another branch does not link, however often it is asked for.
		p.inject(edit(func(method string, params []any, a map[string]any) {
			if block, ok := a["result"].(map[string]any); ok && method == "eth_getBlockByNumber" && params[0] == "0x14" {
				for key := range block {
					if key != "number" {
						delete(block, key)
					}
				}
				block["hash"], block["transactions"] = common.Hash{5}, []any{}
			}
		}))
		some, err = c.Blocks(ctx, p.name(), 1, 110)
		require.ErrorIs(t, err, evidence.ErrContradiction)
		require.Len(t, some, 19)
		_, err = c.Blocks(ctx, "elsewhere", 1, 2)
		require.Error(t, err)
	})
}

// badProof spoils accounts' proofs, so many of them.
func badProof(times int) fault {
	return edit(func(method string, _ []any, a map[string]any) {
		if proof, ok := a["result"].(map[string]any); ok && method == "eth_getProof" && times > 0 {
			times--
			proof["accountProof"] = []any{"0x80"}
		}
	})
}

// TestOneBadProof: one bad answer does not keep a sole endpoint from what nothing else can answer; of two
// endpoints the first to lie is asked again after one, and set aside after two.
func TestOneBadProof(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		head := newest(t, n.direct)
		ask := evidence.Ask{At: head, Accounts: []common.Address{n.address(0)}}
		p := newProxy(t, n.url)
		c := dial(t, chain.Config{URLs: []string{p.URL}})
		p.inject(badProof(1))
		learnt, err := c.Read(ctx, ask)
		require.ErrorIs(t, err, evidence.ErrContradiction)
		require.Empty(t, learnt.Accounts, "a bad proof shows nothing")
		require.True(t, c.Health()[0].Up)
		_, err = c.View(ctx, emitter, nil)
		require.NoError(t, err)
		learnt = read(t, c, ask)
		require.True(t, learnt.Accounts[n.address(0)].Proved)

		both := dial(t, chain.Config{URLs: []string{p.URL, n.url}})
		for lies, up := range []bool{true, true, false, false} {
			p.inject(badProof(min(lies, 1)))
			learnt := read(t, both, ask)
			require.True(t, learnt.Accounts[n.address(0)].Proved)
			require.Equal(t, up, both.Health()[0].Up)
		}
	})
}
