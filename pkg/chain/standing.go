package chain

import (
	"context"
	"sync"
	"time"
)

// standing is a question that every endpoint is asked again and again. An endpoint that is slower than the others by more than Grace
// is not waited for, nor asked again before it answers: its answer is in the round in which it comes. Otherwise an endpoint that is
// always slower would never be heard, and the others would decide alone. The zero value is ready.
type standing[T any] struct {
	mu      sync.Mutex
	asked   map[*endpoint]bool     // and did not answer yet
	came    map[*endpoint]reply[T] // answers that no round has taken yet
	known   map[*endpoint]bool     // answered at least once, or failed
	changed chan struct{}          // closed at the next answer
}

// round asks the endpoints that were not asked yet. It returns the answers that came since the last round, in the order of the
// endpoints, when all have answered or a grace after the first answer that is no error. An endpoint of which nothing is known yet has
// callGrace, so that the first round is not the word of the fastest one. There may be one round at a time.
func (s *standing[T]) round(
	ctx context.Context, c *Client, grace time.Duration, op string, endpoints []*endpoint, ask func(context.Context, *endpoint) (T, error),
) (replies []reply[T], errs []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked, s.came, s.known, s.changed = map[*endpoint]bool{}, map[*endpoint]reply[T]{}, map[*endpoint]bool{}, make(chan struct{})
	}
	var late <-chan time.Time
	for waits := true; waits; {
		waits = false
		answered := false
		for _, e := range endpoints {
			if r, ok := s.came[e]; ok {
				answered = answered || r.err == nil
				continue
			}
			waits = true
			if !s.known[e] {
				grace = max(grace, callGrace)
			}
			if !s.asked[e] {
				s.asked[e] = true
				go s.ask(ctx, c, e, op, ask)
			}
		}
		if !waits {
			break
		}
		if answered && late == nil {
			late = time.After(grace)
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-late:
			waits = false
		case <-ctx.Done():
			waits = false
		}
		s.mu.Lock()
	}
	for _, e := range endpoints {
		r, ok := s.came[e]
		delete(s.came, e)
		switch {
		case ok && r.err != nil:
			errs = append(errs, r.err)
		case ok:
			replies = append(replies, r)
		}
	}
	return replies, errs
}

// ask asks one endpoint, under the endpoint's own deadline.
func (s *standing[T]) ask(ctx context.Context, c *Client, e *endpoint, op string, ask func(context.Context, *endpoint) (T, error)) {
	ctx, cancel := c.outlive(ctx)
	defer cancel()
	r := reply[T]{from: e}
	r.err = e.do(ctx, op, func(ctx context.Context, e *endpoint) (err error) {
		r.value, err = ask(ctx, e)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, e)
	s.came[e], s.known[e] = r, true
	close(s.changed)
	s.changed = make(chan struct{})
}
