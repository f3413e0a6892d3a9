package heads

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	restAfter = time.Minute      // without Stir
	restLook  = 12 * time.Second // between looks at the endpoints' newest blocks
	restPeek  = 4                // looks between searches for events of the contract
	restMost  = 24 * time.Hour   // until the chain is followed again in any case
	peekSpan  = 500              // blocks per request for events; less if an endpoint refuses
	peekMost  = 64               // requests per peek
	peekAgain = 6                // number of peeks that search a block: endpoints may lag, and reorgs replace blocks
)

// rest is the state of a Tracker that follows the chain on demand. While it rests, head, final block and Views stay.
type rest struct {
	wake chan struct{}

	// Guarded by mu.
	stirred time.Time
	active  bool      // it rests; Stir ends it
	since   time.Time // start of the rest; zero while the chain is followed
	shown   time.Time // when a look last showed the head or a newer block

	// Owned by turn.
	seen   time.Time // value of stirred that mayRest saw last
	head   uint64    // head at seen. It must be final before a rest, since it may contain the cause of Stir
	looks  int       // of this rest
	peeked []uint64  // last block of each of the newest peeks, which found no events
	span   uint64    // blocks per request, up to peekSpan, as endpoints allow
	failed bool      // peek logged an error
}

// Stir makes the Tracker follow the chain for at least restAfter, at once if it rests. Call it before sending, or
// when something may show in blocks soon.
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

// restsOn looks at the chain if the Tracker rests, ends the rest if necessary, and reports whether it continues.
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
	if t.rest.looks > 0 {
		t.log.Info("the tracker follows the chain again", "head_was", t.recent.head().Number)
	}
	// Patience with silent endpoints and unchecked blocks begins anew.
	clear(t.silent)
	t.lostSince, t.checkedAt = time.Time{}, t.config.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stir()
	t.rest.since = time.Time{}
	t.price, t.priceTime = evidence.Price{}, time.Time{}
	t.metrics.resting.Set(0)
	// Before they assign updates, lanes get a View with the present price and account.
	for _, s := range t.subs {
		s.needAccount, s.rested = true, true
	}
	return false
}

func (t *Tracker) beginRest() bool {
	t.rounds.Lock()
	defer t.rounds.Unlock()
	t.mu.Lock()
	rests := t.mayRest()
	if r := &t.rest; rests {
		r.active, r.since, r.looks, r.peeked = true, t.config.Now(), 0, nil
		t.metrics.resting.Set(1)
	}
	t.mu.Unlock()
	if rests {
		t.publish()
	}
	return rests
}

// mu is held.
func (t *Tracker) mayRest() bool {
	r := &t.rest
	if t.recent.empty() {
		return false
	}
	if r.stirred != r.seen {
		r.seen, r.head = r.stirred, t.recent.head().Number
	}
	if t.config.Now().Sub(r.seen) < restAfter || t.final.Hash == (common.Hash{}) || t.final.Number < r.head ||
		len(t.setbacks) > 0 || !t.lostSince.IsZero() || t.config.Now().Sub(t.offer.last) < breakPatience {
		return false
	}
	for _, s := range t.subs {
		if s.busy || s.works || len(s.slots) > 0 || s.stale || s.needFinal || !s.leftSince.IsZero() || len(s.reorged()) > 0 || s.unexplained() {
			return false
		}
	}
	return true
}

// look reports whether the rest may continue: an endpoint has the head or a newer block, and new events of the
// contract are absent. Their absence is only a hint, but the ledger reads these blocks after the rest.
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
	t.mu.Lock()
	r.shown = t.config.Now()
	t.mu.Unlock()
	if r.looks%restPeek == 0 && t.config.Peek != nil && t.peek(ctx, newest) {
		return false
	}
	if r.looks++; r.looks == 1 {
		t.log.Info("nothing needs the chain, and all that happened is final: the tracker rests, and head, final block and ledger stay until something comes",
			"head", t.recent.head().Number, "final", t.final.Number)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return r.active
}

// peek reports whether the rest must end: an endpoint shows events of the contract up to block newest, all fail, or
// these blocks are too many.
func (t *Tracker) peek(ctx context.Context, newest uint64) bool {
	r := &t.rest
	from := t.final.Number + 1
	if len(r.peeked) == peekAgain {
		from = max(t.final.Number, r.peeked[0]) + 1
		r.peeked = r.peeked[1:]
	}
	if from > newest { // a false claim at an earlier peek
		from = t.final.Number + 1
	}
	for asked := uint64(0); from <= newest; asked++ {
		t.mu.Lock()
		active := r.active
		t.mu.Unlock()
		// The chain grew by so many blocks, or an endpoint lies: a round finds out.
		if !active || asked+(newest-from)/r.span >= peekMost {
			return true
		}
		ask, cancel := t.call(ctx)
		shows, err := t.config.Peek(ask, from, min(newest, from+r.span-1))
		cancel()
		switch {
		case err != nil && r.span > 1 && ctx.Err() == nil:
			r.span = (r.span + 1) / 2
			continue
		case err != nil && !r.failed && ctx.Err() == nil:
			r.failed = true
			t.log.Warn("no endpoint tells whether there are events of the contract; the tracker does not rest, and follows the chain instead", "err", err)
		}
		if err != nil || shows {
			return true
		}
		from += r.span
	}
	r.peeked, r.failed = append(r.peeked, newest), false
	return false
}
