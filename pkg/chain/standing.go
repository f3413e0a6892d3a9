package chain

import (
	"context"
	"sync"
	"time"
)

// standing is a recurring request to every endpoint. An answer after its round's grace counts in a later round, so
// that an endpoint that is always slower counts, too. The zero value is ready.
type standing[T any] struct {
	mu      sync.Mutex
	asked   map[*endpoint]bool     // requests in progress
	came    map[*endpoint]reply[T] // answers for the next round
	known   map[*endpoint]bool     // answered or failed at least once
	changed chan struct{}          // closed at the next answer
}

// round asks every endpoint, except those with a request in progress or an answer in came. It returns the answers
// since the last round in the order of endpoints, and the failures in errs. It waits for all, for grace after the
// first success, or for ctx. Until every endpoint has answered or failed once, grace is at least callGrace, or the
// fastest would decide the first round alone. One round at a time.
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
