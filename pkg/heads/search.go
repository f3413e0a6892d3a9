package heads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	sinceMargin = 64 // blocks below Watch's since that are also searched: since may be on a replaced branch
	findEvery   = 8  // most rounds between calls of Find
)

// unexplained reports whether the account shows a used nonce with an unknown transaction. mu is held.
func (s *Subscription) unexplained() bool {
	_, ok := s.lowest()
	return ok
}

// lowest returns the lowest unexplained nonce, unless the account is stale.
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

// bounds returns the block where the upward search for a nonce's transaction starts, and the floor to which it then
// goes back, based on better proofs. known is false if only Keep bounds the search.
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
		if ref := s.settled[nonce-1]; ref != nil && ref.seen && !ref.reorged {
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

// search looks for the transactions of used nonces: watched ones by find, then any of the signer in full blocks.
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

// sought is a watched transaction with an unexplained nonce, and the lowest block that can contain it.
type sought struct {
	*watchedTx

	floor uint64
}

// mu is held.
func missing(cases []*Subscription) (txs []sought) {
	for _, s := range cases {
		for _, nonce := range slices.Sorted(maps.Keys(s.slots)) {
			sl := s.slots[nonce]
			if nonce >= s.account.Nonce || s.explained(nonce, sl) {
				continue
			}
			_, floor, _ := s.bounds(nonce)
			for _, tx := range sl.txs {
				txs = append(txs, sought{s.t.txs[tx], floor})
			}
		}
	}
	return txs
}

func (t *Tracker) find(ctx context.Context, cases []*Subscription) error {
	if t.count < t.findRound {
		return nil
	}
	t.mu.Lock()
	txs := missing(cases)
	t.mu.Unlock()
	if len(txs) == 0 {
		return nil
	}
	hashes := make([]common.Hash, len(txs))
	for i, tx := range txs {
		hashes[i] = tx.hash
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
	for _, tx := range txs {
		if hint, ok := hints[tx.hash]; ok && hint.Number >= tx.floor {
			tx.hint = hint
		}
	}
	return nil
}

func (t *Tracker) followHints(ctx context.Context, cases []*Subscription) error {
	t.mu.Lock()
	hinted := slices.DeleteFunc(missing(cases), func(tx sought) bool { return tx.hint.Hash == common.Hash{} })
	t.mu.Unlock()
	var errs []error
	for _, w := range hinted {
		if w.hint.Number > t.recent.head().Number || w.located() {
			continue
		}
		ok, err := t.reach(ctx, w.hint.Number)
		if !ok {
			errs = append(errs, err)
			break
		}
		// The block's list lacks it, so the hint or the list is wrong.
		if t.recent.has(w.hint) && !w.located() {
			errs = append(errs, t.checkBlock(ctx, w.hint.Number))
		}
		w.hint = evidence.Ref{}
	}
	return errors.Join(errs...)
}

func (t *Tracker) checkBlock(ctx context.Context, number uint64) error {
	if b := t.recent.at(number); b != nil {
		_, err := t.check(ctx, []evidence.Block{*b})
		return err
	}
	return nil
}
