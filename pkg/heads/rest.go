package heads

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

const (
	restAfter = time.Minute      // without a stir
	restLook  = 12 * time.Second // between two looks at the endpoints' newest blocks
	restPeek  = 4                // looks until the contract's events are looked for
	restMost  = 24 * time.Hour   // until the chain is followed again in any case
	peekSpan  = 500              // blocks of one question for events; some providers refuse more
	peekMost  = 64               // questions in one look
	peekAgain = sinceMargin      // blocks that are looked at again, since a reorg may have replaced them
)

// rest is the state of a Tracker that follows the chain only while someone needs it. It concludes nothing while it rests: head, final
// block and Views stay as they are.
type rest struct {
	wake chan struct{} // ends the pause between two looks

	// Guarded by mu.
	stirred time.Time // when something was last to be followed
	active  bool      // it rests, and nothing has stirred since
	since   time.Time // zero while it follows the chain
	shown   time.Time // when an endpoint last had the head, or a newer block, in a look

	// Only turn touches these.
	seen   time.Time // the newest stirred that mayRest knows of
	head   uint64    // then: what stirred is in a higher block, or soon
	looks  int
	peeked uint64 // up to which block no events were shown
}

// Stir has the Tracker follow the chain for restAfter at least, at once if it rests. Call it when something may be sent, or shows in
// blocks soon.
func (t *Tracker) Stir() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stir()
}

// stir is Stir; mu is held.
func (t *Tracker) stir() {
	t.rest.stirred = t.config.Now()
	if t.rest.active {
		t.rest.active = false
		select {
		case t.rest.wake <- struct{}{}:
		default:
		}
	}
}

// turn is a round or, while the Tracker rests, a look. It returns the pause after it.
func (t *Tracker) turn(ctx context.Context) (pause time.Duration, err error) {
	rests := t.restsOn(ctx)
	if !rests {
		if err := t.Round(ctx); err != nil {
			return t.config.PollInterval, err
		}
		rests = t.beginRest() && t.restsOn(ctx)
	}
	if rests {
		return restLook, nil
	}
	return t.config.PollInterval, nil
}

// restsOn looks at the chain if the Tracker rests, and ends the rest unless there is nothing to follow.
func (t *Tracker) restsOn(ctx context.Context) bool {
	t.rounds.Lock()
	defer t.rounds.Unlock()
	t.mu.Lock()
	began, active := t.rest.since, t.rest.active
	t.mu.Unlock()
	if began.IsZero() {
		return false
	}
	if active && t.config.Now().Sub(began) < restMost && t.look(ctx) {
		return true
	}
	// What endpoints did before the rest is no measure of how long they have done it.
	clear(t.silent)
	t.lostSince, t.checkedAt = time.Time{}, t.config.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stir()
	t.rest.since = time.Time{}
	t.metrics.resting.Set(0)
	for _, s := range t.subs { // lanes get a View with their account as it is now before they bind
		s.needAccount, s.rested = true, true
	}
	return false
}

// beginRest rests if nothing needs the chain, and gives the subscribers a View that says so.
func (t *Tracker) beginRest() bool {
	t.rounds.Lock()
	defer t.rounds.Unlock()
	t.mu.Lock()
	rests := t.mayRest()
	if r := &t.rest; rests {
		r.active, r.since, r.looks, r.peeked = true, t.config.Now(), 0, t.final.Number
		t.metrics.resting.Set(1)
	}
	t.mu.Unlock()
	if rests {
		t.publish()
	}
	return rests
}

// mayRest reports whether no subscriber works, all is final that the chain held when something last stirred, and no endpoint is in
// doubt. mu is held.
func (t *Tracker) mayRest() bool {
	r := &t.rest
	if t.recent.empty() {
		return false
	}
	if r.stirred != r.seen {
		r.seen, r.head = r.stirred, t.recent.head().Number
	}
	if t.config.Now().Sub(r.seen) < restAfter || t.final.Hash == (common.Hash{}) || t.final.Number < r.head ||
		len(t.setbacks) > 0 || !t.lostSince.IsZero() || !t.breakSeen.IsZero() {
		return false
	}
	for _, s := range t.subs {
		if s.busy || s.works || len(s.slots) > 0 || s.stale || s.needFinal || !s.leftSince.IsZero() || len(s.reorged()) > 0 || s.unexplained() {
			return false
		}
	}
	return true
}

// look reports whether there is nothing to follow: endpoints have the head or a newer block, and none shows an event of the contract.
// That none is shown proves nothing; the blocks are read with all proofs when the Tracker follows again.
func (t *Tracker) look(ctx context.Context) bool {
	ask, cancel := t.call(ctx)
	claims, err := t.chain.Latest(ask)
	cancel()
	newest := uint64(0)
	for _, c := range claims {
		newest = max(newest, c.Block.Number)
	}
	if err != nil || newest < t.recent.head().Number {
		return false
	}
	r := &t.rest
	if r.looks%restPeek == 0 && t.config.Peek != nil && t.peek(ctx, newest) {
		return false
	}
	r.looks++
	t.mu.Lock()
	defer t.mu.Unlock()
	r.shown = t.config.Now()
	return r.active
}

// peek reports whether an endpoint shows events of the contract in blocks up to the newest, or does not answer.
func (t *Tracker) peek(ctx context.Context, newest uint64) bool {
	from := max(t.final.Number, t.rest.peeked-min(t.rest.peeked, peekAgain)) + 1
	if from > newest { // an endpoint had named a block that is in no chain
		from = t.final.Number + 1
	}
	if newest > from && newest-from > peekMost*peekSpan {
		return true // so much more chain, or a lie: a round finds out
	}
	for ; from <= newest; from += peekSpan {
		t.mu.Lock()
		active := t.rest.active
		t.mu.Unlock()
		if !active {
			return true
		}
		ask, cancel := t.call(ctx)
		shows, err := t.config.Peek(ask, from, min(newest, from+peekSpan-1))
		cancel()
		if err != nil || shows {
			return true
		}
	}
	t.rest.peeked = newest
	return false
}
