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
	sinceMargin = 64 // blocks below Watch's since that are searched too: since may be of a branch that is gone
	findEvery   = 8  // rounds between two questions where a transaction is, at most
)

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
// evidence is better. known is false when nothing is known but how many blocks are remembered.
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

// sought is a watched transaction of an unexplained nonce, and the block that it cannot be below.
type sought struct {
	*watchedTx

	floor uint64
}

// missing are all that are sought. mu is held.
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

// find asks where the missing transactions are.
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

// followHints looks whether the blocks that missing transactions are said to be in are blocks of the chain and hold them.
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
		if t.recent.has(w.hint) && !w.located() { // its block does not list it: one of the two is wrong
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
