package httpapi

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// shares divides an amount among keys: each may hold at most as much as it leaves free. So n keys that take all they
// can get hold 1/(n+1) of the amount each.
type shares struct {
	most  int
	gauge prometheus.Gauge // shows held; may be nil

	mu   sync.Mutex
	held int
	of   map[string]int // by API key; empty: keyless callers
}

// hold is a connection's part of the shares. A hold of body bytes begins when a head or a chunk announces them. It
// ends when the connection reads its next request or closes, since a connection has one body in progress.
type hold struct {
	key   string
	held  int
	ended bool // the connection closes: it can hold no more

	by string // the last body's key, if valid; else empty
}

// take raises the connection's hold to a total of all, for a key, or returns the limit that it hit.
func (s *shares) take(h *hold, key string, all int) (bound string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.held == 0 {
		h.key = key
	}
	key = h.key // a body after an unanswered one counts for the same key
	more, free := all-h.held, s.most-s.held
	switch {
	case h.ended || more <= 0:
	case s.of[key]+more <= free-more:
		s.add(h, more)
	case s.of[key] > 0 && more <= free:
		return boundKey
	default:
		return boundAll
	}
	return ""
}

// give frees the connection's hold. If end is set, it can hold no more.
func (s *shares) give(h *hold, end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(h, -h.held)
	h.ended = h.ended || end
}

// add changes the hold by more. The caller holds the lock.
func (s *shares) add(h *hold, more int) {
	if more == 0 {
		return
	}
	h.held += more
	s.held += more
	if s.of[h.key] += more; s.of[h.key] == 0 {
		delete(s.of, h.key)
	}
	if s.gauge != nil {
		s.gauge.Set(float64(s.held))
	}
}
