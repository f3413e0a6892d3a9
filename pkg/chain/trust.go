package chain

import (
	"sync"
	"time"
)

const (
	distrustFirst = 30 * time.Second
	distrustMost  = 10 * time.Minute
)

// trust remembers an endpoint's contradictions. One alone may be chance: a node behind a load balancer that lagged. An episode
// is the time an endpoint is set aside for a second one within distrustFirst; episodes double while they follow each other
// within distrustMost.
type trust struct {
	mu       sync.Mutex
	episodes int
	last     time.Time // contradiction
	until    time.Time // zero: no episode was lately
}

// contradicted notes a contradiction. length is how long an episode that it begins lasts, 0 if it begins none; loud reports whether to log it.
func (t *trust) contradicted(now time.Time) (length time.Duration, loud bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.until) > distrustMost {
		t.episodes, t.until = 0, time.Time{}
	}
	alone := t.episodes == 0 && now.Sub(t.last) >= distrustFirst
	t.last = now
	if alone || now.Before(t.until) {
		return 0, alone
	}
	length = min(distrustFirst<<min(t.episodes, 10), distrustMost)
	t.episodes++
	t.until = now.Add(length)
	return length, true
}

// distrusted tells whether the endpoint is set aside while there are others.
func (t *trust) distrusted(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.until)
}

// doubtful tells whether the endpoint contradicted itself so lately, and not once alone, that only what can be checked is
// believed, even if it is the last one left.
func (t *trust) doubtful(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.until.IsZero() && now.Sub(t.last) < distrustFirst
}
