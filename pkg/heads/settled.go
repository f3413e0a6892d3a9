package heads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// settledRef is the block of a settled nonce: it contains the transaction, or its account shows the nonce used.
type settledRef struct {
	at      evidence.Ref
	seen    bool // the transaction was seen in the block
	known   bool // reorged is known
	reorged bool
}

// mu is held.
func (s *Subscription) doubtSettled() {
	for _, ref := range s.settled {
		ref.known = false
	}
}

// checkSettled finds the settled nonces with blocks that left the chain. It compares these with the recent blocks;
// about lower ones, it asks endpoints once. A lane's blocks are on one chain, so the highest canonical one confirms
// those below.
func (t *Tracker) checkSettled(ctx context.Context) error {
	t.mu.Lock()
	var doubts []*settledRef
	for _, s := range t.subs {
		if ref, _ := t.judge(s); ref != nil {
			doubts = append(doubts, ref)
		}
	}
	t.mu.Unlock()
	var errs []error
	for _, ref := range doubts {
		if err := t.compare(ctx, ref); err != nil {
			errs = append(errs, err)
		}
	}
	t.mu.Lock()
	left := map[*Subscription][]*settledRef{}
	subs := slices.Clone(t.subs)
	for _, s := range subs {
		_, left[s] = t.judge(s)
		switch {
		case len(left[s]) == 0:
			s.leftSince = time.Time{}
		case s.leftSince.IsZero():
			s.leftSince = t.config.Now()
		}
	}
	t.mu.Unlock()
	for _, s := range subs {
		t.dismiss(ctx, s, left[s])
	}
	return errors.Join(errs...)
}

// judge compares a subscription's settled blocks with the recent blocks. doubt is the highest undecided block below
// the recent blocks, or nil. left are those that recent blocks replaced; they count as reorged once all endpoints
// lack them. mu is held.
func (t *Tracker) judge(s *Subscription) (doubt *settledRef, left []*settledRef) {
	base, head := t.recent.base(), t.recent.head().Number
	var vouched uint64 // highest canonical block below the recent blocks
	for _, ref := range s.settled {
		switch n := ref.at.Number; {
		case n > head: // the branch that replaced it is shorter, or this head is old
			if ref.known && !ref.reorged {
				left = append(left, ref)
			}
		case n >= base && t.recent.has(ref.at):
			ref.reorged, ref.known = false, true
		case n >= base && ref.reorged:
			ref.known = true
		case n >= base:
			ref.known = false
			left = append(left, ref)
		case !ref.known && (doubt == nil || n > doubt.at.Number):
			doubt = ref
		case ref.known && !ref.reorged:
			vouched = max(vouched, n)
		}
	}
	if doubt == nil || doubt.at.Number >= vouched {
		return doubt, left
	}
	for _, ref := range s.settled {
		if ref.at.Number <= vouched && !ref.known {
			ref.known = true
		}
	}
	return nil, left
}

// dismiss concludes a reorg of the settled blocks that all responding endpoints lack. An endpoint that has one also
// has those below, on the same chain, so it bisects.
func (t *Tracker) dismiss(ctx context.Context, s *Subscription, left []*settledRef) {
	slices.SortFunc(left, func(a, b *settledRef) int { return cmp.Compare(a.at.Number, b.at.Number) })
	now := t.config.Now()
	patient := now.Sub(s.leftSince) < breakPatience
	first := sort.Search(len(left), func(i int) bool {
		lacked, held := t.lacked(ctx, left[i].at, patient)
		if held {
			s.leftSince = now // patience starts anew, since an endpoint that has it may fail for a while
		}
		return lacked
	})
	for _, ref := range left[first:] {
		t.conclude(ref, true)
	}
}

// lacked reports whether all endpoints that answer or did so lately lack a block outside of the recent ones. While
// patient, a failing endpoint counts as if it had the block. held reports that an endpoint has it.
func (t *Tracker) lacked(ctx context.Context, at evidence.Ref, patient bool) (lacked, held bool) {
	head := t.recent.head()
	for _, c := range slices.Concat(t.claims, t.missed) {
		if t.recent.has(c.Block.Ref()) && (c.Block.Number >= at.Number || c.Block.Hash == head.Hash) {
			continue // its chain is ours, which lacks the block
		}
		var hash common.Hash // zero: unknown
		if c.Block.Number >= at.Number {
			hash, _ = t.hashAt(ctx, c.Endpoint, at.Number)
		}
		switch hash {
		case common.Hash{}:
			if patient {
				return false, false
			}
		case at.Hash:
			return false, true
		}
	}
	return true, false
}

func (t *Tracker) compare(ctx context.Context, ref *settledRef) error {
	var errs []error
	others := 0
	for _, c := range slices.Concat(t.claims, t.missed) {
		if c.Block.Number < ref.at.Number {
			continue
		}
		hash, err := t.hashAt(ctx, c.Endpoint, ref.at.Number)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("couldn't read the settled block %d of %s: %w", ref.at.Number, c.Endpoint, err))
		case hash == ref.at.Hash:
			t.conclude(ref, false)
			return nil
		default:
			others++
		}
	}
	if others == 0 || len(errs) > 0 {
		return errors.Join(errs...)
	}
	if t.recent.head().Number-ref.at.Number <= t.config.Keep {
		_, err := t.reach(ctx, ref.at.Number) // links prove more than endpoints' claims
		return err
	}
	t.conclude(ref, true)
	return nil
}

func (t *Tracker) conclude(ref *settledRef, reorged bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ref.known, ref.reorged = true, reorged
}
