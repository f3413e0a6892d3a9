package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
)

// recording is a real block of a chain, as nodes gave it (testdata/blocks/README.md).
type recording struct {
	Block    map[string]any `json:"block"`
	Receipts []any          `json:"receipts"`
}

func recorded(t testing.TB) map[string]recording {
	t.Helper()
	files, err := filepath.Glob("testdata/blocks/*.json")
	require.NoError(t, err)
	all := map[string]recording{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var r recording
		require.NoError(t, json.Unmarshal(text, &r))
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = r
	}
	return all
}

// check has the block go through what the client does with one of an endpoint's. whole reports whether all its
// transactions are recorded.
func (r recording) check(whole bool) error {
	block := maps.Clone(r.Block)
	listed, _ := block["transactions"].([]any)
	if listed == nil {
		block["transactions"] = []any{common.Hash{1}} // the list is a hint, which no header covers
	}
	text, err := json.Marshal(block)
	if err != nil {
		return err
	}
	b, err := decodeBlock(text)
	if err != nil {
		return err
	}
	if !b.Checked {
		return errors.New("the header does not hash")
	}
	var body struct {
		Transactions []json.RawMessage `json:"transactions"`
	}
	if err := json.Unmarshal(text, &body); err != nil {
		return err
	}
	if len(listed) > 0 {
		leaves, err := decodeTransactions(body.Transactions)
		if err != nil {
			return err
		}
		if whole {
			c, e := &Client{}, &endpoint{}
			c.encodes.Store(true) // as after an honest block
			e.raw.refused(coded{"method not found", -32601}, time.Now())
			if leaves, err = c.prove(context.Background(), e, &b, leaves); err != nil {
				return err
			}
		}
		for i, leaf := range leaves {
			if hash := crypto.Keccak256Hash(leaf); hash != b.Txs[i] {
				return fmt.Errorf("transaction %d hashes to %s", i, hash)
			}
		}
	}
	if r.Receipts == nil {
		return nil
	}
	receipts := elem("eth_getBlockReceipts", b.Hash)
	if *receipts.Result.(*json.RawMessage), err = json.Marshal(r.Receipts); err != nil {
		return err
	}
	c := &Client{market: newMarket(), log: slog.New(slog.DiscardHandler)}
	_, err = c.takeBlock(context.Background(), &endpoint{}, &b, receipts)
	return err
}

// words are the fields that neither a root nor a hash covers: the program works them out by itself, or they are an
// endpoint's word. Of transactions' they are covered by those that have a type: a signature covers no sender, a deposit
// has no signature.
var words = strings.Fields(`
	block.size block.totalDifficulty block.l1BlockNumber block.sendRoot block.sendCount
	block.transactions.blockHash block.transactions.blockNumber block.transactions.blockTimestamp
	block.transactions.transactionIndex
	block.transactions:0x0.from block.transactions:0x0.chainId block.transactions:0x2.from block.transactions:0x2.gasPrice
	block.transactions:0x7e.nonce block.transactions:0x7e.gasPrice block.transactions:0x7e.depositReceiptVersion
	block.transactions:0x7e.v block.transactions:0x7e.r block.transactions:0x7e.s block.transactions:0x7e.yParity
	block.transactions:0x6a.from block.transactions:0x6a.to block.transactions:0x6a.nonce block.transactions:0x6a.value
	block.transactions:0x6a.gas block.transactions:0x6a.gasPrice block.transactions:0x6a.v
	block.transactions:0x6a.r block.transactions:0x6a.s
	receipts.from receipts.to receipts.gasUsed receipts.gasUsedForL1 receipts.effectiveGasPrice receipts.l1BlockNumber
	receipts.logs.blockHash receipts.logs.blockNumber receipts.logs.blockTimestamp receipts.logs.logIndex
	receipts.logs.transactionHash receipts.logs.transactionIndex`)

// TestRecordedBlocks: real blocks of other chains are verified, and with a digit changed they are not, wherever it is.
func TestRecordedBlocks(t *testing.T) {
	t.Parallel()
	for name, r := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := name != "base"
			require.NoError(t, r.check(whole))
			refused := 0
			each := func(path, typed string) {
				switch err := r.check(whole); {
				case slices.Contains(words, path) || slices.Contains(words, typed):
				case err == nil:
					t.Errorf("with another digit in %s it is believed", path)
				default:
					refused++
				}
			}
			changed(r.Block, "block", "block", each)
			changed(r.Receipts, "receipts", "receipts", each)
			require.Greater(t, refused, 15)
		})
	}
}

// changed calls f with each text below what while one digit of it is another: of each path at the begin, in the middle and at the end,
// and .ci/deep with all texts, of which there may be hundreds of a path.
func changed(what any, path, typed string, f func(path, typed string)) {
	change(what, path, typed, map[string]int{}, f)
}

func change(what any, path, typed string, times map[string]int, f func(path, typed string)) {
	text := func(v any, path, typed string, set func(any)) {
		s, ok := v.(string)
		if !ok {
			change(v, path, typed, times, f)
			return
		}
		n := times[typed]
		if len(s) == 2 || n >= long.Size(6, math.MaxInt) {
			return
		}
		times[typed]++
		other := []byte(s)
		at := []int{2, 1 + len(s)/2, len(s) - 1}[n%3]
		other[at] = "1032547698badcfe"[strings.IndexByte("0123456789abcdef", other[at])]
		set(string(other))
		f(path, typed)
		set(s)
	}
	switch v := what.(type) {
	case map[string]any:
		if kind, ok := v["type"].(string); ok {
			typed = path + ":" + kind
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text(v[key], path+"."+key, typed+"."+key, func(other any) { v[key] = other })
		}
	case []any:
		for i := range v {
			text(v[i], path, path, func(other any) { v[i] = other })
		}
	}
}

// TestOutsideTheRoots: Polygon's state sync before Madhugiri is listed, with a receipt, and no root holds it; a list
// that is too long by more, or wrong elsewhere, is refused.
func TestOutsideTheRoots(t *testing.T) {
	t.Parallel()
	sync := map[string]any{
		"from": common.Address{}, "to": common.Address{}, "gas": "0x0", "gasPrice": "0x0", "hash": common.Hash{9},
		"input": "0x", "nonce": "0x0",
		"value": "0x0", "type": "0x0", "v": "0x0", "r": "0x0", "s": "0x0",
	}
	for name, c := range map[string]struct {
		txs, receipts int // how many more
		fails         string
	}{
		"as others": {0, 0, ""}, "one": {1, 1, ""}, "one without a receipt": {1, 0, ""}, "two": {2, 2, "transactions"},
		"two receipts": {1, 2, "receipts"},
	} {
		r := recorded(t)["arbitrum-one"]
		txs := r.Block["transactions"].([]any)
		for range c.txs {
			r.Block["transactions"] = append(r.Block["transactions"].([]any), sync)
		}
		for i := range c.receipts {
			made := maps.Clone(r.Receipts[0].(map[string]any))
			made["transactionHash"], made["transactionIndex"], made["type"] = common.Hash{9}, hexutil.Uint(len(txs)+i), "0x0"
			r.Receipts = append(r.Receipts, made)
		}
		if err := r.check(true); c.fails == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, evidence.ErrContradiction, name)
			require.ErrorContains(t, err, c.fails, name)
		}
	}
}

// TestOtherFieldsOfAKnownType: rollups that use the types of deposits for other fields contradict nothing; without the
// bytes their lists are the endpoints' word.
func TestOtherFieldsOfAKnownType(t *testing.T) {
	t.Parallel()
	leaves, err := decodeTransactions([]json.RawMessage{[]byte(`{"type":"0x7e","from":"0x0000000000000000000000000000000000000001","queueIndex":"0x1"}`)})
	require.NoError(t, err)
	require.NotEmpty(t, leaves[0])
	theirs := evidence.Leaves{append([]byte{evidence.DepositTx}, leaves[0][:9]...)}
	b := &evidence.Block{Number: 7, Checked: true, TxRoot: types.DeriveSha(theirs, trie.NewStackTrie(nil))}
	c, e := &Client{}, &endpoint{}
	e.raw.refused(coded{"method not found", -32601}, time.Now())
	_, err = c.prove(t.Context(), e, b, leaves)
	require.ErrorIs(t, err, errUncheckable)
	c.encodes.Store(true)
	_, err = c.prove(t.Context(), e, b, leaves)
	require.ErrorIs(t, err, evidence.ErrContradiction, "on a chain whose deposits are known")
}

// TestDowngrade: an endpoint cannot have a block's receipts taken at its word by giving one of them another type that
// is known, and blocks of Avalanche that are executed later are no contradiction.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]error{
		"0x2": evidence.ErrContradiction, "0x7e": evidence.ErrContradiction, "0x7f": evidence.ErrContradiction,
		"0x7b": errUncheckable,
	} {
		r := recorded(t)["arbitrum-one"]
		r.Receipts[0].(map[string]any)["type"] = kind
		require.ErrorIs(t, r.check(true), fault, kind)
	}
	r := recorded(t)["avalanche-fuji"]
	r.Receipts = recorded(t)["blast"].Receipts
	err := r.check(true)
	require.ErrorIs(t, err, errUncheckable)
	require.NotErrorIs(t, err, evidence.ErrContradiction)
}

// FuzzDecodeBlock: a block, and each of its transactions, is decoded or refused.
func FuzzDecodeBlock(f *testing.F) {
	for _, r := range recorded(f) {
		text, err := json.Marshal(r.Block)
		require.NoError(f, err)
		f.Add(text)
		for _, tx := range append(r.Receipts, r.Block["transactions"]) {
			text, err := json.Marshal(tx)
			require.NoError(f, err)
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := decodeBlock(text)
		if err == nil && b.Checked && len(b.Txs) == 0 {
			require.Equal(t, types.EmptyTxsHash, b.TxRoot)
		}
		if leaves, err := decodeTransactions([]json.RawMessage{text}); err == nil {
			known(leaves)
		}
		var receipt evidence.Receipt
		if json.Unmarshal(text, &receipt) == nil {
			_ = evidence.CheckReceipts(&b, evidence.Receipts{&receipt})
		}
	})
}
