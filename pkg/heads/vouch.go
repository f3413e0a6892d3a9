package heads

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// stuckAfter is how long an endpoint on another branch, below what would be final, counts without a new block: longer than chains
// are without one.
const stuckAfter = 2 * time.Minute

// silence is that of an endpoint which answers, but does not show that it has the block that would be final.
type silence struct {
	since  time.Time
	claim  common.Hash // its newest block
	moved  time.Time   // when that was last another
	logged bool        // that it has another block there
}

// heard are endpoints' newest claims. An endpoint that is slow in one round is not left out of what becomes final, or ceases to be:
// its last claim counts for breakPatience.
type heard map[string]*hearing

type hearing struct {
	claim  evidence.Claim
	missed time.Time // when the endpoint was first asked and did not answer; zero while it answers. Questions may be far apart
}

// missed returns the last claims of endpoints that are not among the claims of now, and have not been for less than breakPatience.
func (h heard) missed(claims []evidence.Claim, now time.Time) (missed []evidence.Claim) {
	for _, c := range claims {
		h[c.Endpoint] = &hearing{claim: c}
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		last := h[name]
		if slices.ContainsFunc(claims, func(c evidence.Claim) bool { return c.Endpoint == name }) {
			continue
		}
		if last.missed.IsZero() {
			last.missed = now
		}
		if now.Sub(last.missed) >= breakPatience {
			delete(h, name)
		} else {
			missed = append(missed, last.claim)
		}
	}
	return missed
}

// agreed is how far up to a block of the chain nothing speaks against its being final. An endpoint that has a newer block of the chain
// has the block, too. An endpoint that has another one there, or is on another branch below it and moves, keeps the final
// block where it is. One that only lags, cannot show its block, or is not heard does so for a while.
func (t *Tracker) agreed(ctx context.Context, b evidence.Block) (limit uint64, ok bool) {
	limit, ok = b.Number, true
	for _, c := range t.missed {
		ours, s := t.recent.has(c.Block.Ref()), t.silent[c.Endpoint]
		switch {
		case !ours:
			ok = false
		case s == nil || t.config.Now().Sub(s.since) < breakPatience: // else it lags, and answers now and then
			limit = min(limit, c.Block.Number)
		}
	}
	for _, c := range t.claims {
		n, ours := c.Block.Number, t.recent.has(c.Block.Ref())
		if ours && n >= b.Number {
			delete(t.silent, c.Endpoint)
			continue
		}
		s := t.silenceOf(c)
		patient := t.config.Now().Sub(s.since) < breakPatience
		switch {
		case n >= b.Number:
			hash, err := t.hashAt(ctx, c.Endpoint, b.Number)
			switch {
			case err != nil && patient:
				ok = false
			case err != nil:
			case hash == b.Hash:
				delete(t.silent, c.Endpoint)
			default:
				ok = false
				s.since = t.config.Now() // an error later is not the end of a dispute
				t.disputed(s, c, b)
			}
		case !ours && n >= t.recent.base():
			if t.config.Now().Sub(s.moved) < stuckAfter {
				ok = false
				t.disputed(s, c, b)
			}
		case patient && ours:
			limit = min(limit, n)
		case patient:
			ok = false
		}
	}
	return limit, ok
}

func (t *Tracker) silenceOf(c evidence.Claim) *silence {
	now := t.config.Now()
	s := t.silent[c.Endpoint]
	if s == nil {
		s = &silence{since: now}
		t.silent[c.Endpoint] = s
	}
	if s.claim != c.Block.Hash {
		s.claim, s.moved = c.Block.Hash, now
	}
	return s
}

// disputed says once that an endpoint has another block than the one that would be final.
func (t *Tracker) disputed(s *silence, c evidence.Claim, b evidence.Block) {
	if s.logged {
		return
	}
	s.logged = true
	t.metrics.disputes.Inc()
	var holders []string
	for _, other := range t.claims {
		if t.recent.has(other.Block.Ref()) {
			holders = append(holders, other.Endpoint)
		}
	}
	t.log.Warn("an endpoint is on another branch than the chain that is followed; nothing more becomes final until they agree. "+
		"If they do not within minutes, one of them is broken or lies: remove it from the configuration",
		"endpoint", c.Endpoint, "its_block", c.Block.Number, "its_hash", c.Block.Hash,
		"would_be_final", b.Number, "hash", b.Hash, "followed_from", holders)
}
