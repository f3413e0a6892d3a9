package heads

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	scanBlocks    = 64          // full blocks read in a round
	scanTxs       = 4096        // transactions listed by them
	scanNonces    = 64          // nonces above the account's that are noted on sight
	complainEvery = time.Minute // between similar log lines about a lane
)

// scan is the progress of a subscription's search: the full blocks from…to-1 were searched. They end at the account's
// block, so that a reorg of any of them also replaces that block, which ends the search.
type scan struct {
	active   bool
	from, to uint64
	low      uint64 // lowest nonce to find
}

func (s *scan) cover(first, end uint64) {
	if s.to >= first && s.to < end {
		s.to = end
	}
	if s.from > first && s.from <= end {
		s.from = first
	}
}

// part is the blocks from…to-1.
type part struct{ from, to uint64 }

// nextPart returns the next blocks to search: first up to the account's block, then below the start. mu is held.
func (s *Subscription) nextPart() (p part, ok bool) {
	last := min(s.account.At.Number, s.t.recent.head().Number)
	if s.scan.to <= last {
		return part{s.scan.to, last + 1}, true
	}
	if floor := s.searchFloor(); s.scan.from > floor {
		return part{max(floor, s.scan.from-min(s.scan.from, scanBlocks)), s.scan.from}, true
	}
	return part{}, false
}

// searchFloor returns the lowest block that can contain a missing transaction. mu is held.
func (s *Subscription) searchFloor() uint64 {
	_, floor, known := s.bounds(s.scan.low)
	if known && s.account.Proved {
		return 0 // the account is proved, so bounds that exclude the transaction are wrong
	}
	return floor
}

// mu is held.
func (s *Subscription) unfound() *uint64 {
	low, ok := s.lowest()
	if !ok || !s.scan.active || low < s.scan.low || low >= s.finalAccount.Nonce ||
		s.scan.to <= s.finalAccount.At.Number || s.scan.from > s.searchFloor() {
		return nil
	}
	return &low
}

// scanBatch searches the next full blocks of the lowest search. They also count for others that need them.
func (t *Tracker) scanBatch(ctx context.Context, cases []*Subscription) error {
	t.mu.Lock()
	var next part
	found := false
	for _, s := range cases {
		p, ok := s.nextPart()
		switch {
		case !s.unexplained():
		case !ok:
			t.exhausted(s)
		case !found || p.from < next.from:
			next, found = p, true
		}
	}
	t.mu.Unlock()
	if !found {
		return nil
	}
	if ok, err := t.reach(ctx, next.from); !ok {
		return err
	}
	blocks, end := t.pick(next)
	var err error
	if len(blocks) > 0 {
		var read int
		if read, err = t.check(ctx, blocks); read < len(blocks) {
			end = blocks[read].Number
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range cases {
		s.scan.cover(next.from, min(end, s.account.At.Number+1))
	}
	return err
}

func (t *Tracker) pick(p part) (blocks []evidence.Block, end uint64) {
	txs := 0
	for n := p.from; n < p.to; n++ {
		b := t.recent.at(n)
		if b.TxRoot == types.EmptyTxsHash {
			continue
		}
		if len(blocks) == scanBlocks || len(blocks) > 0 && txs+len(b.Txs) > scanTxs {
			return blocks, n
		}
		blocks, txs = append(blocks, *b), txs+len(b.Txs)
	}
	return blocks, p.to
}

// mu is held.
func (t *Tracker) exhausted(s *Subscription) {
	now := t.config.Now()
	if now.Sub(s.complained) < complainEvery {
		return
	}
	s.complained = now
	t.log.Warn("the signer's account shows a nonce used, but none of the blocks searched holds its transaction; nothing is concluded, and the account is read again at every head",
		"signer", s.signer, "nonce", s.scan.low, "account_nonce", s.account.Nonce, "at", s.account.At.Number, "proved", s.account.Proved,
		"searched_from", s.scan.from, "endpoints", t.endpoints())
}

func (t *Tracker) endpoints() []string {
	var names []string
	for _, c := range t.claims {
		names = append(names, c.Endpoint)
	}
	return names
}

// check reads full blocks of the chain, corrects their lists of transactions, and notes the signers' transactions. It
// returns the number of blocks read.
func (t *Tracker) check(ctx context.Context, blocks []evidence.Block) (int, error) {
	call, cancel := t.call(ctx)
	defer cancel()
	lists, err := t.chain.Transactions(call, blocks)
	lists = lists[:min(len(lists), len(blocks))]
	if err != nil {
		err = fmt.Errorf("couldn't read the transactions of block %d: %w", blocks[min(len(lists), len(blocks)-1)].Number, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, txs := range lists {
		t.checked(&blocks[i], txs)
	}
	return len(lists), err
}

// checked records all transactions of a block. They replace its list only if its root proves them. mu is held.
func (t *Tracker) checked(b *evidence.Block, txs evidence.Transactions) {
	at := b.Ref()
	t.proven[at.Hash] = at.Number
	list := make([]common.Hash, len(txs.Known))
	for i, tx := range txs.Known {
		list[i] = tx.Hash()
	}
	if txs.Hashes != nil {
		list = txs.Hashes
		t.recent.at(at.Number).Txs = list
		for _, w := range t.txs {
			if w.at == at && !slices.Contains(list, w.hash) {
				w.place(evidence.Ref{})
			}
		}
	}
	t.match([]evidence.Block{{Number: at.Number, Hash: at.Hash, Txs: list}})
	for _, tx := range txs.Known {
		for _, s := range t.subs {
			s.note(at, tx)
		}
	}
}

// note records an unwatched transaction of the signer, if it has the nonce of a pending transaction or a later one.
func (s *Subscription) note(at evidence.Ref, tx *types.Transaction) {
	nonce := tx.Nonce()
	sl := s.slots[nonce]
	if sl == nil && (nonce < s.next || nonce > s.account.Nonce+scanNonces) || sl != nil && slices.Contains(sl.txs, tx.Hash()) {
		return
	}
	from, err := evidence.Sender(tx)
	if err == nil && from == s.signer {
		s.foreign[nonce] = evidence.Found{Tx: tx, Block: at}
	}
}
