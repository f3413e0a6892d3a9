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
	mostRetry     = 8              // most rounds between requests for a receipt
	mostUnread    = 3              // failing blocks per round, before all others wait for the next round
	doubtfulAfter = 3              // failed requests for a receipt before the block's list of transactions is verified
)

// watchedTx is a watched transaction. at is the block of the chain that lists it, or zero: a hint until the receipt
// proves it.
type watchedTx struct {
	hash    common.Hash
	subs    []*Subscription // at least one
	at      evidence.Ref
	receipt *evidence.Receipt // verified against the block at

	tries uint64
	next  uint64 // round of the next request
	hint  evidence.Ref
}

func (w *watchedTx) located() bool { return w.at.Hash != common.Hash{} }

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

// match records the blocks that list watched transactions. mu is held.
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

func (t *Tracker) matchUnseen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unseen != none {
		t.match(t.recent.from(t.unseen))
		t.unseen = none
	}
}

// forget drops the knowledge from blocks at a height and above that left the chain.
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

// mu is held.
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

// tellsNothing reports whether a receipt may be that of another transaction. The receipts root omits transaction
// hashes, so only logs tie a receipt to its transaction, and failed transactions lack logs.
func tellsNothing(r *evidence.Receipt) bool {
	return r.Status != types.ReceiptStatusSuccessful || len(r.Logs) == 0
}

// unproven returns the blocks with lists of transactions that must be verified before the receipts count.
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

// believed reports whether the block's list of transactions was verified, or is unverifiable. mu is held.
func (t *Tracker) believed(b *evidence.Block) bool {
	_, ok := t.proven[b.Hash]
	return ok || !b.Checked
}

// prove verifies the blocks' lists of transactions. It skips unreadable lists, but stops after mostUnread of these,
// and returns their errors.
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

// mu is held.
func (t *Tracker) received(asked []evidence.Wanted, receipts map[common.Hash]*evidence.Receipt) {
	for i := range asked {
		for _, tx := range asked[i].Txs {
			w, r := t.txs[tx], receipts[tx]
			if w == nil || r == nil || r.TxHash != tx || r.BlockHash != asked[i].Block.Hash || w.at != asked[i].Block.Ref() {
				continue
			}
			if tellsNothing(r) && !t.believed(&asked[i].Block) {
				continue // the block's list is still unverified
			}
			w.receipt = r
			w.touch()
		}
	}
}

// doubtful returns the blocks that list a transaction with a receipt that stays missing, since the list may be false.
// mu is held.
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
