package heads

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// stuckAfter is how long a branch from below the next final block holds finality back after it stopped growing.
// Healthy chains pause for less.
const stuckAfter = 2 * time.Minute

// silence is an endpoint that answers, but fails to confirm the next final block.
type silence struct {
	since  time.Time
	claim  common.Hash // its newest block
	moved  time.Time   // when claim last changed
	logged bool        // the dispute is logged
}

// heard are the endpoints' newest claims. A silent endpoint's last claim counts for breakPatience, so that it takes
// part in finality decisions despite a slow answer.
type heard map[string]*hearing

type hearing struct {
	claim  evidence.Claim
	missed time.Time // first unanswered request, as requests may be far apart; zero while it answers
}

// missed records claims, and returns the last claims of endpoints that are silent now, for less than breakPatience.
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

// agreed returns the height, at most b's, up to which all endpoints accept finality (invariant 5); ok is false while
// one objects.
func (t *Tracker) agreed(ctx context.Context, b evidence.Block) (limit uint64, ok bool) {
	limit, ok = b.Number, true
	for _, c := range t.missed {
		ours, s := t.recent.has(c.Block.Ref()), t.silent[c.Endpoint]
		switch {
		case !ours:
			ok = false
		case s == nil || t.config.Now().Sub(s.since) < breakPatience: // otherwise it lags, and answers now and then
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
				s.since = t.config.Now() // the dispute outlasts later errors, for breakPatience
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

// disputed logs and counts once that an endpoint has another block than the next final one.
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
