package heads

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	sinceMargin = 64   // blocks below Watch's since that are searched too: since may be of a branch that is gone
	scanBlocks  = 64   // full blocks read in a round
	scanTxs     = 4096 // and the transactions they may list
	scanNonces  = 64   // nonces above the account's that are noted when they are met
	findEvery   = 8    // rounds between two questions where a transaction is, at most
)

// scan is how far a subscription's search has come: the full blocks from…to, without to, were searched. They end with the
// account's block at most, so that a reorg that replaces one of them ends the search, too: the account left the chain.
type scan struct {
	active   bool
	from, to uint64
	low      uint64 // the lowest nonce it looks for
}

// cover notes that the blocks first…end, without end, were searched.
func (s *scan) cover(first, end uint64) {
	if s.to >= first && s.to < end {
		s.to = end
	}
	if s.from > first && s.from <= end {
		s.from = first
	}
}

// unexplained tells whether the account shows nonces used of which no transaction is known in the chain. mu is held.
func (s *Subscription) unexplained() bool {
	_, ok := s.lowest()
	return ok
}

// lowest is the lowest such nonce. An account of a block that left the chain shows nothing.
func (s *Subscription) lowest() (nonce uint64, ok bool) {
	if s.stale {
		return 0, false
	}
	nonce = s.next
	for _, known := s.foreign[nonce]; known; _, known = s.foreign[nonce] {
		nonce++
	}
	for n, sl := range s.slots {
		if n < nonce && !s.explained(n, sl) {
			nonce = n
		}
	}
	return nonce, nonce < s.account.Nonce
}

func (s *Subscription) explained(nonce uint64, sl *slot) bool {
	_, foreign := s.foreign[nonce]
	return foreign || slices.ContainsFunc(sl.txs, func(tx common.Hash) bool { return s.t.txs[tx].located() })
}

// bounds say where the use of a nonce is searched for: from start on, and if it is not there back to floor, of which the
// evidence is better. known is false when nothing is known but how long the window is.
func (s *Subscription) bounds(nonce uint64) (start, floor uint64, known bool) {
	strong := false
	raise := func(n uint64, weak bool) {
		start, known = max(start, n), true
		if !weak {
			floor, strong = max(floor, n), true
		}
	}
	for _, a := range s.reads {
		if a.Nonce <= nonce {
			raise(a.At.Number+1, !a.Proved)
		}
	}
	if sl := s.slots[nonce]; sl != nil && sl.since > 0 {
		raise(sl.since-min(sl.since, sinceMargin), false)
	}
	if nonce > 0 {
		if found, ok := s.foreign[nonce-1]; ok {
			raise(found.Block.Number, false)
		}
		if ref := s.settled[nonce-1]; ref != nil && !ref.gone {
			raise(ref.at.Number, false)
		}
		if sl := s.slots[nonce-1]; sl != nil {
			for _, tx := range sl.txs {
				if w := s.t.txs[tx]; w.receipt != nil {
					raise(w.at.Number, false)
				}
			}
		}
	}
	if !strong {
		floor = s.account.At.Number - min(s.account.At.Number, s.t.config.Keep)
		start = max(start, floor)
	}
	return start, floor, known
}

// search looks for transactions that used nonces of which none is known: first those that are watched, by asking where they
// are, then any of the signer, in full blocks.
func (t *Tracker) search(ctx context.Context) error {
	t.mu.Lock()
	var cases []*Subscription
	for _, s := range t.subs {
		low, ok := s.lowest()
		if !ok {
			s.scan = scan{}
			continue
		}
		if start, _, _ := s.bounds(low); !s.scan.active || low < s.scan.low {
			start = min(start, s.account.At.Number+1)
			s.scan = scan{active: true, from: start, to: start, low: low}
		}
		cases = append(cases, s)
	}
	doubtful := t.doubtful()
	t.mu.Unlock()
	var errs []error
	for _, number := range doubtful {
		errs = append(errs, t.checkBlock(ctx, number))
	}
	if len(cases) == 0 {
		t.findTries, t.findRound = 0, 0
		return errors.Join(errs...)
	}
	errs = append(errs, t.find(ctx, cases), t.followHints(ctx, cases), t.scanBatch(ctx, cases))
	return errors.Join(errs...)
}

// missing are the watched transactions of unexplained nonces, with the block that none of them can be below. mu is held.
func (s *Subscription) missing() (txs []*watchedTx, floors []uint64) {
	var nonces []uint64
	for nonce, sl := range s.slots {
		if nonce < s.account.Nonce && !s.explained(nonce, sl) {
			nonces = append(nonces, nonce)
		}
	}
	slices.Sort(nonces)
	for _, nonce := range nonces {
		_, floor, _ := s.bounds(nonce)
		for _, tx := range s.slots[nonce].txs {
			txs, floors = append(txs, s.t.txs[tx]), append(floors, floor)
		}
	}
	return txs, floors
}

// find asks where the missing transactions are.
func (t *Tracker) find(ctx context.Context, cases []*Subscription) error {
	if t.count < t.findRound {
		return nil
	}
	t.mu.Lock()
	var txs []*watchedTx
	var floors []uint64
	for _, s := range cases {
		missing, from := s.missing()
		txs, floors = append(txs, missing...), append(floors, from...)
	}
	hashes := make([]common.Hash, len(txs))
	for i, w := range txs {
		hashes[i] = w.hash
	}
	t.mu.Unlock()
	if len(hashes) == 0 {
		return nil
	}
	t.findTries++
	t.findRound = t.count + min(t.findTries, findEvery)
	call, cancel := t.call(ctx)
	defer cancel()
	hints, err := t.chain.Find(call, hashes)
	if err != nil {
		return fmt.Errorf("couldn't ask in which blocks %d transactions are: %w", len(hashes), err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, w := range txs {
		if hint, ok := hints[w.hash]; ok && hint.Number >= floors[i] {
			w.hint = hint
		}
	}
	return nil
}

// followHints looks whether the blocks that missing transactions are said to be in are blocks of the chain and hold them.
func (t *Tracker) followHints(ctx context.Context, cases []*Subscription) error {
	t.mu.Lock()
	var hinted []*watchedTx
	for _, s := range cases {
		txs, _ := s.missing()
		hinted = append(hinted, slices.DeleteFunc(txs, func(w *watchedTx) bool { return w.hint.Hash == common.Hash{} })...)
	}
	t.mu.Unlock()
	var errs []error
	for _, w := range hinted {
		if w.hint.Number > t.window.head().Number || w.located() {
			continue
		}
		ok, err := t.reach(ctx, w.hint.Number)
		if !ok {
			errs = append(errs, err)
			break
		}
		if t.window.has(w.hint) && !w.located() { // its block does not list it: one of the two is wrong
			errs = append(errs, t.checkBlock(ctx, w.hint.Number))
		}
		w.hint = evidence.Ref{}
	}
	return errors.Join(errs...)
}

func (t *Tracker) checkBlock(ctx context.Context, number uint64) error {
	if b := t.window.at(number); b != nil {
		_, err := t.check(ctx, []evidence.Block{*b})
		return err
	}
	return nil
}

// check reads full blocks of the chain, mends their lists of transactions, and notes what the signers used their nonces for.
// It returns how many blocks it has read.
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

// checked takes all transactions of a block of the chain. Where some are of types that this program does not know they are
// not all, and the block's list stays as it is. mu is held.
func (t *Tracker) checked(b *evidence.Block, txs types.Transactions) {
	at := b.Ref()
	t.proven[at.Hash] = at.Number
	list := make([]common.Hash, len(txs))
	for i, tx := range txs {
		list[i] = tx.Hash()
	}
	if evidence.CheckTransactions(b, txs) == nil {
		t.window.at(at.Number).Txs = list
		for _, w := range t.txs {
			if w.at == at && !slices.Contains(list, w.hash) {
				w.place(evidence.Ref{})
			}
		}
	}
	t.match([]evidence.Block{{Number: at.Number, Hash: at.Hash, Txs: list}})
	for _, tx := range txs {
		for _, s := range t.subs {
			s.note(at, tx)
		}
	}
}

// note remembers a transaction of the signer that is not watched but has the nonce of an open slot, or of one to come.
func (s *Subscription) note(at evidence.Ref, tx *types.Transaction) {
	nonce := tx.Nonce()
	sl := s.slots[nonce]
	if sl == nil && (nonce < s.next || nonce > s.account.Nonce+scanNonces) || sl != nil && slices.Contains(sl.txs, tx.Hash()) {
		return
	}
	from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
	if err == nil && from == s.signer {
		s.foreign[nonce] = evidence.Found{Tx: tx, Block: at}
	}
}
