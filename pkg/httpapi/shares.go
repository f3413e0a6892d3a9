package httpapi

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// shares are an amount divided among keys: each has at most as much as it leaves free. So n keys that take all they can get
// have an n+1st part each.
type shares struct {
	most  int
	gauge prometheus.Gauge // of held; may be nil

	mu   sync.Mutex
	held int
	of   map[string]int // by API key; empty: of callers without a valid one
}

// hold is what a connection holds of them. Of bodies these are bytes: from when a head or a chunk announces them, before
// fasthttp makes room, until the connection asks for its next request or closes. It has one body in progress, so that
// nothing else has to give them back.
type hold struct {
	key   string
	held  int
	ended bool // the connection closes: it holds nothing any more

	by string // whose valid key came with the last body; empty: no one's
}

// take has a connection hold so much in all for a key, or names the bound in the way.
func (s *shares) take(h *hold, key string, all int) (bound string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.held == 0 {
		h.key = key
	}
	key = h.key // a body behind one that is not answered counts as that one's
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

// give has a connection hold nothing, from then on if that is its end.
func (s *shares) give(h *hold, end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(h, -h.held)
	h.ended = h.ended || end
}

// add has a connection hold more, or less. The caller holds the lock.
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
