package admin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const checkTimeout = 2 * time.Second

// Check is a condition for serving.
type Check struct {
	Name  string
	Ready func(ctx context.Context) error // nil: ready
}

// Health decides whether the process should get work. Until Started it is unready, with "starting" or the reason of
// Waiting. Then it is ready if every check passes. After Drain it is unready for good. Safe for concurrent use.
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

func (h *Health) Add(check Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = append(h.checks, check)
}

// Waiting sets the cause of a delayed start, for display; "" clears it.
func (h *Health) Waiting(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = reason
}

func (h *Health) Started() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
}

// Drain records that the process is ending: load balancers should stop sending.
func (h *Health) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Ready returns nil if the process should get work, and otherwise every reason against it.
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
