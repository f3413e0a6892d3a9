package httpapi

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// bodies are the bytes of bodies in progress: from when a head or a chunk announces them, before fasthttp makes room, until the connection
// asks for its next request or closes. A connection has one body in progress, so that nothing else has to give them back.
type bodies struct {
	most  int
	gauge prometheus.Gauge

	mu   sync.Mutex
	held int
	of   map[string]int // by API key; empty: of callers without a valid one
}

// hold is what a connection holds of them.
type hold struct {
	key   string
	bytes int
	ended bool // the connection closes: it holds nothing any more

	by string // whose valid key came with the last body; empty: no one's
}

// take has a connection hold so many bytes for a key, or names the bound in the way. A key has at most as much as it leaves free, as with
// look-ups: n keys that take all they can get have an n+1st part each.
func (b *bodies) take(h *hold, key string, bytes int) (bound string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.key != key { // a proxy's connection; what comes behind an earlier body is at most what fasthttp reads ahead
		b.release(h)
		h.key = key
	}
	more, free := bytes-h.bytes, b.most-b.held
	switch {
	case h.ended || more <= 0:
		return ""
	case b.of[key]+more <= free-more:
	case b.of[key] > 0 && more <= free:
		return boundKey
	default:
		return boundAll
	}
	h.bytes += more
	b.of[key] += more
	b.held += more
	b.gauge.Set(float64(b.held))
	return ""
}

// give has a connection hold nothing, from then on if that is its end.
func (b *bodies) give(h *hold, end bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(h)
	h.ended = h.ended || end
}

// release gives back what is held. The caller holds the lock.
func (b *bodies) release(h *hold) {
	if h.bytes == 0 {
		return
	}
	b.held -= h.bytes
	if b.of[h.key] -= h.bytes; b.of[h.key] == 0 {
		delete(b.of, h.key)
	}
	h.bytes = 0
	b.gauge.Set(float64(b.held))
}
