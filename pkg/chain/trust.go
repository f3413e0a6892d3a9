package chain

import (
	"sync"
	"time"
)

const (
	distrustFirst = 30 * time.Second
	distrustMost  = 10 * time.Minute
)

// trust remembers an endpoint's contradictions. An episode is the time it is set aside for one; episodes double while
// they follow each other within distrustMost.
type trust struct {
	mu       sync.Mutex
	episodes int
	last     time.Time // contradiction
	until    time.Time
}

// contradicted notes a contradiction. It returns how long the endpoint is set aside if that begins now, else 0.
func (t *trust) contradicted(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = now
	if now.Before(t.until) {
		return 0
	}
	if now.Sub(t.until) > distrustMost {
		t.episodes = 0
	}
	length := min(distrustFirst<<min(t.episodes, 10), distrustMost)
	t.episodes++
	t.until = now.Add(length)
	return length
}

// distrusted tells whether the endpoint is set aside while there are others.
func (t *trust) distrusted(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.until)
}

// doubtful tells whether the endpoint contradicted itself so lately that only what can be checked is believed, even if
// it is the last one left.
func (t *trust) doubtful(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.last.IsZero() && now.Sub(t.last) < distrustFirst
}
