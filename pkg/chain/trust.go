package chain

import (
	"sync"
	"time"
)

const (
	distrustFirst = 30 * time.Second
	distrustMost  = 10 * time.Minute
)

// trust records an endpoint's contradictions. A single one may be chance: a lagging node behind a load balancer. A
// second one within distrustFirst begins an episode, during which the endpoint is set aside. Episodes double if they
// follow each other within distrustMost.
type trust struct {
	mu       sync.Mutex
	episodes int
	last     time.Time // of the last contradiction
	until    time.Time // end of the last episode; zero: no recent one
}

// contradicted records a contradiction. It returns the length of an episode that begins, else 0, and whether to log
// the contradiction.
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

func (t *trust) distrusted(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.until)
}

// doubtful reports whether only checkable data of the endpoint is used. That holds for distrustFirst after the last
// contradiction, if an episode was recent.
func (t *trust) doubtful(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.until.IsZero() && now.Sub(t.last) < distrustFirst
}
