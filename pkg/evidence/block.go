package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// ErrContradiction says that an answer is at odds with itself or with what was checked before: the endpoint that gave it
// lies, is broken, or mixes answers of several nodes.
var ErrContradiction = errors.New("the endpoint contradicts what was verified")

// ErrUnconfirmed says that a block, whose header cannot be checked, is one endpoint's word so far: the others that answer do not have it yet.
var ErrUnconfirmed = errors.New("no other endpoint has the block, which cannot be checked")

// Ref names a block.
type Ref struct {
	Number uint64      `json:"number"`
	Hash   common.Hash `json:"hash"`
}

// Block is what the program reads of a block's header, and the hashes of its transactions.
type Block struct {
	Number   uint64
	Hash     common.Hash
	Parent   common.Hash
	Time     uint64   // unix seconds
	GasLimit uint64   // gas
	GasUsed  uint64   // gas
	BaseFee  *big.Int // wei per gas; nil on a chain without EIP-1559

	AccessList bool // the header names the block's access list (EIP-7928), as those from Amsterdam on do

	// StateRoot and ReceiptsRoot are zero, and Bloom is full, where those of the header are of earlier blocks.
	StateRoot    common.Hash
	TxRoot       common.Hash
	ReceiptsRoot common.Hash
	Bloom        types.Bloom

	// Txs are the hashes of the block's transactions, in order, as an endpoint lists them: a hint where to look, which
	// the header does not cover.
	Txs []common.Hash
	// Checked reports whether Hash is the hash of the header itself. Where the chain's headers have fields that this
	// program does not know it is false, and the hash is the endpoint's word.
	Checked bool
}

// Ref is the block's number and hash.
func (b *Block) Ref() Ref { return Ref{b.Number, b.Hash} }

// FirstSince is the first of the blocks from … before to whose time is not before since; to, if all are before it. read tells of a block of the chain.
func FirstSince(from, to uint64, since time.Time, read func(number uint64) (Block, error)) (uint64, error) {
	var failed error
	n := sort.Search(int(to-from), func(i int) bool {
		if failed != nil {
			return true
		}
		block, err := read(from + uint64(i))
		failed = err
		return err == nil && !time.Unix(int64(block.Time), 0).Before(since)
	})
	if failed != nil {
		return 0, fmt.Errorf("couldn't find the first block since %s: %w", since.UTC().Format(time.RFC3339), failed)
	}
	return from + uint64(n), nil
}

// FinalHeight is the height of the newest final block below a head: the one that has so many confirmations (at least 1), its
// own included. ok is false while the chain is shorter.
func FinalHeight(head, confirmations uint64) (height uint64, ok bool) {
	if head+1 < confirmations {
		return 0, false
	}
	return head + 1 - confirmations, true
}

// MayHold tells whether the block may hold a log of the contract with one of the first topics. False is certain; true is a
// guess that a bloom filter gets wrong more often the fuller the block is, and always where the header was not checked.
func (b *Block) MayHold(contract common.Address, topics []common.Hash) bool {
	if !b.Checked {
		return true
	}
	if !b.Bloom.Test(contract.Bytes()) {
		return false
	}
	for _, topic := range topics {
		if b.Bloom.Test(topic.Bytes()) {
			return true
		}
	}
	return len(topics) == 0
}

// CheckReceipts holds all receipts of a block, in order, against its header. An error is ErrContradiction
// or ErrMisplaced.
func CheckReceipts(b *Block, receipts Receipts) error {
	for _, r := range receipts {
		if err := shaped(b, r); err != nil {
			return err
		}
	}
	if root := types.DeriveSha(receipts, trie.NewStackTrie(nil)); root != b.ReceiptsRoot {
		return fmt.Errorf("%w: the receipts of block %d have root %s, its header says %s", ErrContradiction, b.Number, root, b.ReceiptsRoot)
	}
	for i, r := range receipts {
		if err := placed(b, r, uint(i)); err != nil {
			return err
		}
	}
	return nil
}

// CheckReceipt holds a single receipt against its block's header: the block, the transaction's place in its list, and the
// logs in its bloom. That is less than CheckReceipts: status and gas are the endpoint's word. An error is
// ErrContradiction or ErrMisplaced.
func CheckReceipt(b *Block, r *Receipt) error {
	if err := shaped(b, r); err != nil {
		return err
	}
	if b.Checked && b.TxRoot == types.EmptyTxsHash {
		return fmt.Errorf("%w: a receipt of %s in block %d, which has no transactions", ErrContradiction, r.TxHash, b.Number)
	}
	if err := placed(b, r, r.TransactionIndex); err != nil {
		return err
	}
	for _, l := range r.Logs {
		if err := CheckBloom(b, l); err != nil {
			return err
		}
	}
	return nil
}

// CheckBloom holds a log against its block's bloom.
func CheckBloom(b *Block, l *types.Log) error {
	held := b.MayHold(l.Address, nil)
	for _, topic := range l.Topics {
		held = held && b.MayHold(l.Address, []common.Hash{topic})
	}
	if !held {
		return fmt.Errorf("%w: a log of %s in transaction %s is not in the bloom of block %d", ErrContradiction, l.Address, l.TxHash, b.Number)
	}
	return nil
}

// shaped refuses a receipt with holes, which JSON's null makes, and one whose status the receipts root would not cover:
// go-ethereum encodes any but 0 as 1, and a state root in its place.
func shaped(b *Block, r *Receipt) error {
	if r == nil || slices.Contains(r.Logs, nil) {
		return fmt.Errorf("%w: a receipt of block %d has a hole", ErrContradiction, b.Number)
	}
	if len(r.PostState) > 0 || r.Status > types.ReceiptStatusSuccessful {
		return fmt.Errorf("%w: the receipt of %s in block %d has status %d and a state root of %d bytes",
			ErrContradiction, r.TxHash, b.Number, r.Status, len(r.PostState))
	}
	return nil
}

// ErrMisplaced says that a receipt and a block's list of transactions, which no header covers, do not fit each other: one of
// them is wrong, and which is not known.
var ErrMisplaced = errors.New("the receipt does not fit the block's list of transactions")

// placed checks what a receipt says of its place.
func placed(b *Block, r *Receipt, index uint) error {
	switch {
	case r.BlockHash != b.Hash || r.BlockNumber == nil || r.BlockNumber.Uint64() != b.Number:
		return fmt.Errorf("%w: a receipt of block %s was asked for, one of %s came", ErrContradiction, b.Hash, r.BlockHash)
	case r.TransactionIndex != index:
		return fmt.Errorf("%w: the receipt of %s says place %d in block %d and is at %d", ErrContradiction, r.TxHash, r.TransactionIndex, b.Number, index)
	case len(b.Txs) > 0 && (index >= uint(len(b.Txs)) || b.Txs[index] != r.TxHash):
		return fmt.Errorf("%w: that of %s at %d in block %d", ErrMisplaced, r.TxHash, index, b.Number)
	}
	return nil
}

// Transactions are a block's transactions.
type Transactions struct {
	Known types.Transactions // of the types that go-ethereum knows, in order
	// Hashes are of all transactions, in order, under the block's transactionsRoot. They are nil where Known is the word of
	// the endpoints.
	Hashes []common.Hash
}

// Leaves are a block's transactions, in order, each encoded as the trie under its transactionsRoot holds it (EIP-2718).
type Leaves [][]byte

// Len is the number of transactions.
func (ls Leaves) Len() int { return len(ls) }

// EncodeIndex writes a transaction.
func (ls Leaves) EncodeIndex(i int, w *bytes.Buffer) { w.Write(ls[i]) }

// CheckTransactions holds all transactions of a block (types.Transactions or Leaves), in order, against its header. An error
// is ErrContradiction.
func CheckTransactions(b *Block, txs types.DerivableList) error {
	if root := types.DeriveSha(txs, trie.NewStackTrie(nil)); root != b.TxRoot {
		return fmt.Errorf("%w: the transactions of block %d have root %s, its header says %s", ErrContradiction, b.Number, root, b.TxRoot)
	}
	return nil
}
