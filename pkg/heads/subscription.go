package heads

import (
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Subscription is a lane's use of the Tracker.
type Subscription struct {
	t      *Tracker
	signer common.Address
	views  chan evidence.View

	// Guarded by t.mu.
	next         uint64           // lowest nonce above all that were ever watched
	slots        map[uint64]*slot // pending transactions by nonce
	settled      map[uint64]*settledRef
	foreign      map[uint64]evidence.Found
	included     map[common.Hash]evidence.Included // for Views. nil: must be rebuilt
	account      evidence.Account                  // as last read. At.Hash is zero before the first read
	reads        []evidence.Account                // accounts at blocks of the chain, in order of reading
	finalAccount evidence.Account
	stale        bool // account is of a block that left the chain
	needAccount  bool
	rested       bool // account was read before the last rest
	needFinal    bool
	busy         bool
	works        bool
	scan         scan
	leftSince    time.Time // when settled blocks left the chain, or an endpoint last had one; or zero
	complained   time.Time
}

// slot is a pending transaction's attempts.
type slot struct {
	txs   []common.Hash
	since uint64 // the nonce was unused up to this block; 0: unknown
}

// Subscribe starts Views for a signer. next is the nonce of the lane's next pending transaction.
func (t *Tracker) Subscribe(signer common.Address, next uint64) *Subscription {
	s := &Subscription{
		t: t, signer: signer, next: next, views: make(chan evidence.View, 1),
		slots: map[uint64]*slot{}, settled: map[uint64]*settledRef{}, foreign: map[uint64]evidence.Found{},
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs = append(t.subs, s)
	t.stir()
	return s
}

// Views holds at most one View, the newest.
func (s *Subscription) Views() <-chan evidence.View { return s.views }

// Watch looks for an attempt of a pending transaction in blocks after since, up to which its nonce was unused (0:
// unknown). It must be called before the attempt is sent.
func (s *Subscription) Watch(nonce uint64, tx common.Hash, since uint64) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stir()
	s.next = max(s.next, nonce+1)
	sl := s.slots[nonce]
	if sl == nil {
		sl = &slot{since: since}
		s.slots[nonce] = sl
	} else if sl.since == 0 || since > 0 && since < sl.since {
		sl.since = since // the lowest known one
	}
	if found, ok := s.foreign[nonce]; ok && found.Tx.Hash() == tx {
		delete(s.foreign, nonce)
	}
	if slices.Contains(sl.txs, tx) {
		return
	}
	sl.txs = append(sl.txs, tx)
	w := t.txs[tx]
	if w == nil {
		w = &watchedTx{hash: tx}
		t.txs[tx] = w
		t.unseen = min(t.unseen, since-min(since, sinceMargin))
	}
	w.subs = append(w.subs, s)
	s.included = nil
}

// Settled ends the watch of a nonce. If block at leaves the chain, View.Reorged contains the nonce. tx is zero if only
// the signer's account at that block shows the nonce used: the transaction is in that block or an earlier one. Nonces
// under below are forgotten.
func (s *Subscription) Settled(nonce uint64, tx common.Hash, at evidence.Ref, below uint64) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.next = max(s.next, nonce+1)
	s.unwatch(nonce)
	delete(s.foreign, nonce)
	s.settled[nonce] = &settledRef{at: at, seen: tx != common.Hash{}}
	maps.DeleteFunc(s.settled, func(n uint64, _ *settledRef) bool { return n < below })
	maps.DeleteFunc(s.foreign, func(n uint64, _ evidence.Found) bool { return n < below })
}

// Reopened undoes Settled; the nonce's transactions must be watched again.
func (s *Subscription) Reopened(nonce uint64) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	delete(s.settled, nonce)
}

// Skipped excludes nonces below next from the search: their transactions are settled, or precede the lane.
func (s *Subscription) Skipped(next uint64) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.next = max(s.next, next)
}

// Reread requests a watched transaction's receipt again, after the subscriber failed to interpret it.
func (s *Subscription) Reread(tx common.Hash) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if w := s.t.txs[tx]; w != nil && w.receipt != nil {
		w.receipt = nil
		w.touch()
	}
}

// Busy sets whether the lane assigns updates, or would if it could, so that prices are read.
func (s *Subscription) Busy(busy bool) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.busy = busy
	if busy {
		s.t.stir()
	}
}

// Works sets whether the subscriber needs a View at every head. Meanwhile the tracker follows the chain.
func (s *Subscription) Works(works bool) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.works = works
	if works {
		s.t.stir()
	}
}

// NeedAccount requests the account at the next head, after a node's answer or an empty balance made it doubtful.
func (s *Subscription) NeedAccount() {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.needAccount = true
}

// NeedFinal requests the account at a final block, at the next head.
func (s *Subscription) NeedFinal() {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.needFinal = true
}

func (s *Subscription) Close() {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for nonce := range s.slots {
		s.unwatch(nonce)
	}
	t.subs = slices.DeleteFunc(t.subs, func(other *Subscription) bool { return other == s })
}

// mu is held.
func (s *Subscription) unwatch(nonce uint64) {
	sl := s.slots[nonce]
	if sl == nil {
		return
	}
	delete(s.slots, nonce)
	for _, tx := range sl.txs {
		w := s.t.txs[tx]
		w.subs = slices.DeleteFunc(w.subs, func(other *Subscription) bool { return other == s })
		if len(w.subs) == 0 {
			delete(s.t.txs, tx)
		}
	}
	s.included = nil
}

func (t *Tracker) publish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.rest.active || t.rest.shown.After(t.shown) // also after Stir, until an endpoint shows a followed head
	for _, s := range t.subs {
		v := evidence.View{
			Head: *t.recent.head(), Account: s.account, FinalAccount: s.finalAccount, Price: t.price,
			Included: s.inclusions(), Foreign: maps.Clone(s.foreign), Unfound: s.unfound(), Reorged: s.reorged(), Now: t.shown,
			Old: old || s.rested && s.account.At != t.recent.head().Ref(),
		}
		if t.final.Hash != (common.Hash{}) {
			v.Final = t.final.Ref()
		}
		select {
		case <-s.views:
		default:
		}
		s.views <- v
	}
}

// inclusions returns a map that Views share, so it is immutable.
func (s *Subscription) inclusions() map[common.Hash]evidence.Included {
	if s.included != nil {
		return s.included
	}
	s.included = map[common.Hash]evidence.Included{}
	for _, sl := range s.slots {
		for _, tx := range sl.txs {
			if w := s.t.txs[tx]; w.receipt != nil {
				s.included[tx] = evidence.Included{Tx: tx, Block: w.at, Receipt: w.receipt}
			}
		}
	}
	return s.included
}

func (s *Subscription) reorged() []uint64 {
	var nonces []uint64
	for nonce, ref := range s.settled {
		if ref.reorged {
			nonces = append(nonces, nonce)
		}
	}
	slices.Sort(nonces)
	return nonces
}
