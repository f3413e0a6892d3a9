package chain_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// One exchange tells everything of a head.
func TestRead(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		first, second := n.tx(t, 0), n.tx(t, 1)
		b := n.include(t, first, second)
		require.True(t, b.Checked)
		p := newProxy(t, n.url)
		c := dial(t, chain.Config{URLs: []string{p.URL}})
		learnt := read(t, c, evidence.Ask{
			At: b, Accounts: []common.Address{n.address(0), n.address(2), {0xee}}, Price: true,
			Receipts: []evidence.Wanted{{Block: b, Txs: hashes(first, second)}},
		})
		require.Equal(t, 1, p.bodies())
		require.Equal(t, 1, p.count("eth_getBlockReceipts"))
		require.Len(t, learnt.Accounts, 3)
		for address, nonce := range map[common.Address]uint64{n.address(0): 1, n.address(2): 0, {0xee}: 0} {
			a := learnt.Accounts[address]
			require.True(t, a.Proved)
			require.Equal(t, nonce, a.Nonce)
			require.Equal(t, b.Ref(), a.At)
		}
		require.Zero(t, learnt.Accounts[common.Address{0xee}].Balance.Sign())
		require.Len(t, learnt.Receipts, 2)
		for i, tx := range []*types.Transaction{first, second} {
			r := learnt.Receipts[tx.Hash()]
			require.Equal(t, b.Hash, r.BlockHash)
			require.Equal(t, uint64(1), r.Status)
			require.Len(t, r.Logs, 1)
			require.Equal(t, tx.Hash(), r.Logs[0].TxHash)
			require.Equal(t, uint(i), r.Logs[0].Index)
		}
		require.NotNil(t, learnt.Price)
		require.NotZero(t, learnt.Price.Tip)

		// The state of an earlier block stays readable, and a block that is not there is no one's state.
		before, err := c.BlockByHash(t.Context(), b.Parent)
		require.NoError(t, err)
		require.Zero(t, account(t, c, before.Hash, n.address(0)).Nonce)
		gone := b
		gone.Hash = common.Hash{1}
		_, err = c.Read(t.Context(), evidence.Ask{At: gone, Accounts: []common.Address{n.address(0)}, Receipts: []evidence.Wanted{{Block: gone, Txs: hashes(first)}}})
		require.ErrorContains(t, err, "does not know the block")
	})
}

// receipts changes each receipt that is answered, of a block or by itself.
func receipts(change func(receipt map[string]any)) fault {
	return edit(func(method string, _ []any, a map[string]any) {
		if all, ok := a["result"].([]any); method == "eth_getBlockReceipts" && ok {
			for _, r := range all {
				change(r.(map[string]any))
			}
		}
		if r, ok := a["result"].(map[string]any); method == "eth_getTransactionReceipt" && ok {
			change(r)
		}
	})
}

// lies are what a broken endpoint answers, one kind at a time.
var lies = map[string]fault{
	"nonce too high": edit(func(method string, _ []any, a map[string]any) {
		if result, ok := a["result"].(map[string]any); method == "eth_getProof" && ok {
			result["nonce"] = "0x9"
		}
		if method == "eth_getTransactionCount" {
			a["result"] = "0x9"
		}
	}),
	"broken proof": editResult("eth_getProof", func(proof map[string]any) { proof["accountProof"] = proof["accountProof"].([]any)[1:] }),
	"null receipts": edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_getTransactionReceipt" || method == "eth_getBlockReceipts" {
			a["result"] = nil
		}
	}),
	"no receipts": edit(func(method string, _ []any, a map[string]any) {
		if method == "eth_getBlockReceipts" {
			a["result"] = []any{}
		}
	}),
	"failed receipts": receipts(func(r map[string]any) { r["status"] = "0x0" }),
	"logs that say something else": receipts(func(r map[string]any) {
		for _, l := range r["logs"].([]any) {
			l.(map[string]any)["data"] = "0xdeadbeef"
		}
	}),
	"receipts of another block": receipts(func(r map[string]any) { r["blockHash"] = common.Hash{7} }),
	"403":                       status(http.StatusForbidden), "503": status(http.StatusServiceUnavailable),
	"behind": edit(func(_ string, _ []any, a map[string]any) { fail(a, -32000, "header not found") }),
}

// For any answer of the first endpoint, what is learnt is true, and the second completes it.
func TestReadOfALiar(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		txs := []*types.Transaction{n.tx(t, 0), n.tx(t, 1)}
		b := n.include(t, txs...)
		ask := evidence.Ask{
			At: b, Accounts: []common.Address{n.address(0)}, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(txs...)}}, Price: true,
		}
		honest := dial(t, chain.Config{URLs: []string{n.url}})
		require.Eventually(t, func() bool { // anvil has the fees of a new block a moment later
			learnt, err := honest.Read(t.Context(), ask)
			return err == nil && learnt.Price != nil
		}, time.Minute, 20*time.Millisecond)
		for name, lie := range lies {
			t.Run(name, func(t *testing.T) {
				p := newProxy(t, n.url, lie)
				check := func(learnt evidence.Answer, err error) {
					t.Helper()
					if err != nil {
						require.Empty(t, learnt)
					}
					if a, ok := learnt.Accounts[n.address(0)]; ok {
						require.Equal(t, uint64(1), a.Nonce)
						require.True(t, a.Proved)
					}
					for _, r := range learnt.Receipts {
						require.Equal(t, b.Hash, r.BlockHash)
						require.Equal(t, uint64(1), r.Status)
					}
				}
				alone := dial(t, chain.Config{URLs: []string{p.URL}})
				check(alone.Read(t.Context(), ask))
				learnt := read(t, dial(t, chain.Config{URLs: []string{p.URL, n.url}}), ask)
				check(learnt, nil)
				require.Len(t, learnt.Accounts, 1)
				require.Len(t, learnt.Receipts, 2)
				require.NotNil(t, learnt.Price)

				p.inject(nil) // it is believed again where it can be checked, alone
				require.Eventually(t, func() bool {
					learnt, err := alone.Read(t.Context(), ask)
					return err == nil && len(learnt.Accounts) == 1 && len(learnt.Receipts) == 2
				}, 2*time.Minute, 20*time.Millisecond)
			})
		}
	})
}

// Without proofs an account is what all endpoints say.
func TestReadWithoutProofs(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		b := n.include(t, n.tx(t, 0))
		ask := evidence.Ask{At: b, Accounts: []common.Address{n.address(0)}}
		noProof := without("eth_getProof")
		liar := func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
			for i := range asked {
				if asked[i].Method == "eth_getTransactionCount" {
					return lies["nonce too high"](w, asked, batch, forward)
				}
			}
			return noProof(w, asked, batch, forward)
		}
		p, q := newProxy(t, n.url), newProxy(t, n.url)
		p.inject(noProof)
		q.inject(noProof)
		alone := dial(t, chain.Config{URLs: []string{p.URL}})
		for range 3 {
			learnt := read(t, alone, ask)
			require.Equal(t, uint64(1), learnt.Accounts[n.address(0)].Nonce)
			require.False(t, learnt.Accounts[n.address(0)].Proved)
		}
		require.Equal(t, 1, p.count("eth_getProof"), "what an endpoint does not offer is remembered")

		agree := dial(t, chain.Config{URLs: []string{p.URL, q.URL}})
		learnt := read(t, agree, ask)
		require.Len(t, learnt.Accounts, 1)

		q.inject(liar)
		learnt = read(t, agree, ask)
		require.Empty(t, learnt.Accounts, "they differ")

		learnt = read(t, dial(t, chain.Config{URLs: []string{q.URL, n.url}}), ask)
		require.Equal(t, uint64(1), learnt.Accounts[n.address(0)].Nonce)
		require.True(t, learnt.Accounts[n.address(0)].Proved, "a proof outweighs a word")
	})
}

// TestOneOfManyReceiptsIsReadUnderTheRoot: a bloom says nothing of what logs say, so that single receipts, though cheaper,
// would be a word.
func TestOneOfManyReceiptsIsReadUnderTheRoot(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		var txs []*types.Transaction
		for range 12 {
			txs = append(txs, n.tx(t, 0))
		}
		b := n.include(t, txs...)
		ask := evidence.Ask{At: b, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(txs[5])}}}
		honest, err := n.direct.Read(t.Context(), ask)
		require.NoError(t, err)
		p := newProxy(t, n.url, lies["logs that say something else"])
		learnt := read(t, dial(t, chain.Config{URLs: []string{p.URL, n.url}}), ask)
		require.Equal(t, honest.Receipts[txs[5].Hash()].Logs[0].Data, learnt.Receipts[txs[5].Hash()].Logs[0].Data)
		learnt, err = dial(t, chain.Config{URLs: []string{p.URL}}).Read(t.Context(), ask)
		require.Empty(t, learnt.Receipts, "%v", err)
	})
}

// Where only single receipts are to be had, they are checked one by one, of every endpoint; if two differ, nothing is learnt.
func TestReadSingleReceipts(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		tx := n.tx(t, 0)
		b := n.include(t, tx)
		ask := evidence.Ask{At: b, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(tx)}}}
		p := newProxy(t, n.url, without("eth_getBlockReceipts"))
		c := dial(t, chain.Config{URLs: []string{p.URL}})
		learnt := read(t, c, ask)
		require.Len(t, learnt.Receipts, 1)
		require.Equal(t, tx.Hash(), learnt.Receipts[tx.Hash()].Logs[0].TxHash)

		p.inject(func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
			if asked[0].Method == "eth_getTransactionReceipt" {
				return lies["failed receipts"](w, asked, batch, forward)
			}
			return without("eth_getBlockReceipts")(w, asked, batch, forward)
		})
		learnt = read(t, dial(t, chain.Config{URLs: []string{p.URL, n.url}}), ask)
		require.Equal(t, uint64(1), learnt.Receipts[tx.Hash()].Status)
		honest := newProxy(t, n.url, without("eth_getBlockReceipts"))
		learnt, err := dial(t, chain.Config{URLs: []string{p.URL, honest.URL}}).Read(t.Context(), ask)
		require.Empty(t, learnt.Receipts, "they differ: %v", err)
	})
}

func TestTransactionsAndFind(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		first := n.tx(t, 0)
		a := n.include(t, first)
		second, third := n.tx(t, 0), n.tx(t, 1)
		b := n.include(t, second, third)
		p := newProxy(t, n.url)
		c := dial(t, chain.Config{URLs: []string{p.URL, n.url}})
		for name, f := range map[string]fault{
			"fine": nil, "403": status(403),
			"a transaction less": editResult("eth_getBlockByHash", func(block map[string]any) {
				block["transactions"] = block["transactions"].([]any)[1:]
			}),
		} {
			p.inject(f)
			all, err := c.Transactions(ctx, []evidence.Block{a, b})
			require.NoError(t, err, name)
			require.Len(t, all, 2)
			require.Equal(t, first.Hash(), all[0].Known[0].Hash())
			require.Equal(t, hashes(second, third), all[1].Hashes)
		}
		p.inject(editResult("eth_getTransactionByHash", func(tx map[string]any) {
			tx["nonce"] = "0x7777"
		}))
		one, err := c.Transaction(ctx, first.Hash())
		require.NoError(t, err)
		require.Equal(t, first.Hash(), one.Hash(), "its hash proves it")
		p.inject(editResult("eth_getTransactionByHash", func(tx map[string]any) {
			tx["type"] = "0x7e"
		}))
		one, err = c.Transaction(ctx, first.Hash())
		require.NoError(t, err)
		require.True(t, one == nil || one.Hash() == first.Hash(), "a rollup's own type is no failure of the endpoint")
		_, err = n.direct.Transaction(ctx, common.Hash{1})
		require.ErrorIs(t, err, ethereum.NotFound)
		gone := b
		gone.Hash = common.Hash{1}
		some, err := c.Transactions(ctx, []evidence.Block{a, gone})
		require.Error(t, err)
		require.Len(t, some, 1)

		found, err := n.direct.Find(ctx, append(hashes(second, first), common.Hash{1}))
		require.NoError(t, err)
		require.Equal(t, map[common.Hash]evidence.Ref{first.Hash(): a.Ref(), second.Hash(): b.Ref()}, found)
	})
}

// Types of transactions that this program does not know have receipts that cannot be held against the root: endpoints are
// compared, and no one is at fault. The transactions can be, by their bytes.
func TestUnknownTransactionTypes(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		ctx := t.Context()
		deposit, ours := n.tx(t, 1, tips(5)), n.tx(t, 0)
		b := n.include(t, deposit, ours)
		var withoutBytes atomic.Bool
		typed := edit(func(method string, _ []any, a map[string]any) {
			if withoutBytes.Load() && method == "eth_getRawTransactionByBlockHashAndIndex" {
				fail(a, -32601, "the method does not exist")
				return
			}
			change := func(what any) {
				if object, ok := what.(map[string]any); ok && (object["transactionHash"] == deposit.Hash().Hex() || object["hash"] == deposit.Hash().Hex()) {
					object["type"] = "0x7b"
				}
			}
			switch result := a["result"].(type) {
			case []any:
				for _, r := range result {
					change(r)
				}
			case map[string]any:
				if txs, ok := result["transactions"].([]any); ok {
					for _, tx := range txs {
						change(tx)
					}
				}
				change(result)
			}
		})
		p, q := newProxy(t, n.url), newProxy(t, n.url)
		p.inject(typed)
		q.inject(typed)
		c := dial(t, chain.Config{URLs: []string{p.URL, q.URL}})
		learnt := read(t, c, evidence.Ask{At: b, Receipts: []evidence.Wanted{{Block: b, Txs: hashes(ours, deposit)}}})
		require.Len(t, learnt.Receipts, 2)
		events, _, err := c.Events(ctx, []evidence.Block{b}, emitter, nil)
		require.NoError(t, err)
		require.Len(t, events, 2)
		txs, err := c.Transactions(ctx, []evidence.Block{b})
		require.NoError(t, err)
		require.Equal(t, hashes(deposit, ours), txs[0].Hashes)
		require.Len(t, txs[0].Known, 2, "a type that is made up hides none")
		withoutBytes.Store(true)
		txs, err = c.Transactions(ctx, []evidence.Block{b})
		require.NoError(t, err)
		require.Nil(t, txs[0].Hashes, "the endpoints' word")
		require.Len(t, txs[0].Known, 1)
		require.Equal(t, ours.Hash(), txs[0].Known[0].Hash())
		_, err = c.View(ctx, emitter, nil) // neither was set aside
		require.NoError(t, err)
	})
}
