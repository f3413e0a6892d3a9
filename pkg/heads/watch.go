package heads

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	none          = math.MaxUint64 // no block number
	mostRetry     = 8              // rounds between two questions for a receipt, at most
	mostUnread    = 3              // blocks in a round that can fail to be read, until the rest is left to the next
	doubtfulAfter = 3              // questions without a receipt, until the block's list of transactions is checked
)

// watchedTx is a transaction that some subscription watches. at is zero until a block of the chain lists it; that is a hint
// until the receipt proves it.
type watchedTx struct {
	hash    common.Hash
	subs    []*Subscription // those that watch it, not empty
	at      evidence.Ref
	receipt *evidence.Receipt // checked against the block at

	tries uint64 // how often the receipt was asked for
	next  uint64 // the round in which it is asked for again
	hint  evidence.Ref
}

func (w *watchedTx) located() bool { return w.at.Hash != common.Hash{} }

// place says in which block of the chain the transaction is listed; the zero Ref: in none.
func (w *watchedTx) place(at evidence.Ref) {
	if w.at == at {
		return
	}
	w.at, w.receipt, w.tries, w.next = at, nil, 0, 0
	w.touch()
}

func (w *watchedTx) touch() {
	for _, s := range w.subs {
		s.included = nil
	}
}

// match looks for watched transactions in the lists of blocks of the chain. mu is held.
func (t *Tracker) match(blocks []evidence.Block) {
	if len(t.txs) == 0 {
		return
	}
	for i := range blocks {
		for _, tx := range blocks[i].Txs {
			if w := t.txs[tx]; w != nil {
				w.place(blocks[i].Ref())
			}
		}
	}
}

// matchUnseen looks for transactions that are newly watched in the blocks that were there before.
func (t *Tracker) matchUnseen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unseen != none {
		t.match(t.recent.from(t.unseen))
		t.unseen = none
	}
}

// forget drops what was learnt from blocks of a height and above that are not in the chain any more.
func (t *Tracker) forget(from uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := func(ref evidence.Ref) bool { return ref.Number >= from && !t.recent.has(ref) }
	for _, w := range t.txs {
		if w.located() && (left(w.at) || w.receipt == nil && !t.recent.has(w.at)) {
			w.place(evidence.Ref{})
		}
	}
	for _, s := range t.subs {
		for nonce, found := range s.foreign {
			if left(found.Block) {
				delete(s.foreign, nonce)
			}
		}
		s.reads = slices.DeleteFunc(s.reads, func(a evidence.Account) bool { return left(a.At) })
		if left(s.account.At) {
			s.stale, s.scan = true, scan{}
		}
		if left(s.finalAccount.At) {
			s.finalAccount = evidence.Account{}
		}
	}
}

// wanted are the receipts to ask for in this round: those of listed transactions that are missing. mu is held.
func (t *Tracker) wanted() []evidence.Wanted {
	var due []*watchedTx
	for _, w := range t.txs {
		if w.located() && w.receipt == nil && t.count >= w.next {
			due = append(due, w)
		}
	}
	slices.SortFunc(due, func(a, b *watchedTx) int {
		return cmp.Or(cmp.Compare(a.at.Number, b.at.Number), bytes.Compare(a.hash[:], b.hash[:]))
	})
	var all []evidence.Wanted
	for _, w := range due {
		block := t.recent.at(w.at.Number)
		if block == nil || block.Hash != w.at.Hash {
			continue
		}
		w.tries++
		w.next = t.count + min(w.tries, mostRetry)
		if n := len(all); n == 0 || all[n-1].Block.Hash != block.Hash {
			all = append(all, evidence.Wanted{Block: *block})
		}
		last := &all[len(all)-1]
		last.Txs = append(last.Txs, w.hash)
	}
	return all
}

// tellsNothing tells whether a receipt could as well be that of any other transaction: the receipts root covers no hashes, so
// only logs say whose it is, and those of one that failed are none.
func tellsNothing(r *evidence.Receipt) bool {
	return r.Status != types.ReceiptStatusSuccessful || len(r.Logs) == 0
}

// unproven are the blocks whose lists of transactions, which name the receipts that came, are to be checked first.
func (t *Tracker) unproven(asked []evidence.Wanted, receipts map[common.Hash]*evidence.Receipt) []evidence.Block {
	t.mu.Lock()
	defer t.mu.Unlock()
	var blocks []evidence.Block
	for i := range asked {
		if t.believed(&asked[i].Block) {
			continue
		}
		if slices.ContainsFunc(asked[i].Txs, func(tx common.Hash) bool { return receipts[tx] != nil && tellsNothing(receipts[tx]) }) {
			blocks = append(blocks, asked[i].Block)
		}
	}
	return blocks
}

// believed tells whether the block's list of transactions was checked, or cannot be. mu is held.
func (t *Tracker) believed(b *evidence.Block) bool {
	_, ok := t.proven[b.Hash]
	return ok || !b.Checked
}

// prove checks the lists of transactions of the blocks; one that cannot be read does not hold up the others.
func (t *Tracker) prove(ctx context.Context, blocks []evidence.Block) error {
	var errs []error
	for len(blocks) > 0 && len(errs) < mostUnread {
		some := blocks[:min(len(blocks), scanBlocks)]
		read, err := t.check(ctx, some)
		if read < len(some) {
			errs = append(errs, err)
			read++
		}
		blocks = blocks[read:]
	}
	return errors.Join(errs...)
}

// received keeps receipts that prove where a transaction is. mu is held.
func (t *Tracker) received(asked []evidence.Wanted, receipts map[common.Hash]*evidence.Receipt) {
	for i := range asked {
		for _, tx := range asked[i].Txs {
			w, r := t.txs[tx], receipts[tx]
			if w == nil || r == nil || r.TxHash != tx || r.BlockHash != asked[i].Block.Hash || w.at != asked[i].Block.Ref() {
				continue
			}
			if tellsNothing(r) && !t.believed(&asked[i].Block) {
				continue // its block's list could not be checked in this round
			}
			w.receipt = r
			w.touch()
		}
	}
}

// doubtful are blocks that list a transaction whose receipt does not come: the list may be false. mu is held.
func (t *Tracker) doubtful() []uint64 {
	var numbers []uint64
	for _, w := range t.txs {
		if w.located() && w.receipt == nil && w.tries >= doubtfulAfter && w.tries%doubtfulAfter == 0 && w.next == t.count+1 {
			numbers = append(numbers, w.at.Number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
