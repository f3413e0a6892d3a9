package admin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// checkTimeout bounds one check.
const checkTimeout = 2 * time.Second

// Check is one thing a process needs in order to serve.
type Check struct {
	Name  string
	Ready func(ctx context.Context) error // nil: ready
}

// Health answers whether the process should get work. It says "starting", or what the start waits for, becomes ready
// when Started was called and every check passes, and stops being ready for good at Drain. It is safe for concurrent use.
type Health struct {
	mu       sync.Mutex
	checks   []Check
	waiting  string
	started  bool
	draining bool
}

var (
	errStarting = errors.New("starting")
	errDraining = errors.New("draining")
)

// Add adds a check.
func (h *Health) Add(check Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = append(h.checks, check)
}

// Waiting says what the start waits for, for people; "" for nothing.
func (h *Health) Waiting(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = reason
}

// Started says that everything is up.
func (h *Health) Started() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
}

// Drain says that the process is ending: balancers should send nothing more.
func (h *Health) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Ready is nil when the process should get work, and otherwise says everything that keeps it from that.
func (h *Health) Ready(ctx context.Context) error {
	h.mu.Lock()
	checks, waiting, started, draining := h.checks, h.waiting, h.started, h.draining
	h.mu.Unlock()
	switch {
	case draining:
		return errDraining
	case !started && waiting != "":
		return errors.New(waiting)
	case !started:
		return errStarting
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	problems := make([]error, len(checks))
	var done sync.WaitGroup
	for i, check := range checks {
		done.Go(func() {
			if err := check.Ready(ctx); err != nil {
				problems[i] = fmt.Errorf("%s: %w", check.Name, err)
			}
		})
	}
	done.Wait()
	return errors.Join(problems...)
}
