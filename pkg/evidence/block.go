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

// ErrContradiction means that an answer contradicts itself or verified data. The endpoint lies, is broken, or mixes
// answers of several nodes.
var ErrContradiction = errors.New("the endpoint contradicts what was verified")

// ErrUnconfirmed means that only one of the responding endpoints has the block so far, and its header cannot be
// checked.
var ErrUnconfirmed = errors.New("no other endpoint has the block, which cannot be checked")

type Ref struct {
	Number uint64      `json:"number"`
	Hash   common.Hash `json:"hash"`
}

// Block has the header fields that this program uses.
type Block struct {
	Number   uint64
	Hash     common.Hash
	Parent   common.Hash
	Time     uint64 // unix seconds
	GasLimit uint64
	GasUsed  uint64
	BaseFee  *big.Int // wei per gas; nil on a chain without EIP-1559

	AccessList bool // the header has the hash of the block's access list (EIP-7928), from Amsterdam on

	// StateRoot and ReceiptsRoot are zero, and Bloom is full, if the header has those of earlier blocks.
	StateRoot    common.Hash
	TxRoot       common.Hash
	ReceiptsRoot common.Hash
	Bloom        types.Bloom

	// Txs are the hashes of the block's transactions, in order, as an endpoint lists them: a hint until verified
	// against TxRoot.
	Txs []common.Hash
	// Checked reports whether Hash is the hash of the header. Otherwise, as with header fields unknown to this
	// program, Hash is the endpoint's claim.
	Checked bool
}

func (b *Block) Ref() Ref { return Ref{b.Number, b.Hash} }

// FirstSince returns the first block of [from, to) with a time at or after since, or to if all are earlier.
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

// FinalHeight returns the height of the newest block with that many confirmations (at least 1), including itself. ok
// is false while the chain is shorter.
func FinalHeight(head, confirmations uint64) (height uint64, ok bool) {
	if head+1 < confirmations {
		return 0, false
	}
	return head + 1 - confirmations, true
}

// MayHold reports whether the block may contain a log of the contract with one of the first topics (any if empty).
// False is certain. True may be wrong, more often for fuller blocks. It is always true for an unchecked header.
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

// CheckReceipts verifies all receipts of a block, in order, against its header. Errors: ErrContradiction,
// ErrMisplaced.
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

// CheckReceipt verifies a single receipt's block hash, its place in the block's list of transactions, and that its
// logs are in the bloom. Status and gas remain the endpoint's claim. Errors: ErrContradiction, ErrMisplaced.
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

// CheckBloom verifies that a log is in its block's bloom. Errors: ErrContradiction.
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

// shaped rejects a receipt that is nil or has nil logs, which a JSON null makes. It also rejects a status that the
// receipts root leaves open: go-ethereum encodes any but 0 as 1, and a state root in its place.
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

// ErrMisplaced means that a receipt does not fit its block's list of transactions. Either may be wrong, since the
// hashes in both are unverified.
var ErrMisplaced = errors.New("the receipt does not fit the block's list of transactions")

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

type Transactions struct {
	Known types.Transactions // of the types that go-ethereum knows, in order
	// Hashes are those of all transactions, in order, verified under the block's transactionsRoot; nil if Known is
	// the endpoints' claim.
	Hashes []common.Hash
}

// Leaves are a block's transactions, in order, encoded as in the trie (EIP-2718).
type Leaves [][]byte

func (ls Leaves) Len() int { return len(ls) }

func (ls Leaves) EncodeIndex(i int, w *bytes.Buffer) { w.Write(ls[i]) }

// CheckTransactions verifies all transactions of a block (types.Transactions or Leaves), in order, against its
// header. Errors: ErrContradiction.
func CheckTransactions(b *Block, txs types.DerivableList) error {
	if root := types.DeriveSha(txs, trie.NewStackTrie(nil)); root != b.TxRoot {
		return fmt.Errorf("%w: the transactions of block %d have root %s, its header says %s", ErrContradiction, b.Number, root, b.TxRoot)
	}
	return nil
}
