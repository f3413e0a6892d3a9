package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	idleFor       = 10 * time.Second
	outageBlocks  = 100
	outageSteps   = 10 // in which these blocks are mined
	outageUpdates = 2000
	slowDelay     = 250 * time.Millisecond // of the endpoint after the outage
	catchUpLimit  = time.Minute
)

func (b *bench) quietLeg(ctx context.Context) (figures, error) {
	return b.deployed(ctx, "quiet", worldOptions{lanes: window / laneWindow, gasLimit: wide}, batchSize, func(s *stack) (figures, error) {
		return s.quiet(ctx)
	})
}

func (s *stack) quiet(ctx context.Context) (figures, error) {
	if err := s.apply(ctx, len(s.projects)*batchSize); err != nil { // so that each lane has worked once
		return figures{}, err
	}
	idle, err := s.idle(ctx)
	if err != nil {
		return figures{}, err
	}
	caughtUp, err := s.outage(ctx)
	return figures{IdleCallsPerPoll: some(idle), CatchUpS: some(caughtUp)}, err
}

func (s *stack) apply(ctx context.Context, updates int) error {
	from := s.watch.len()
	if err := s.publish(ctx, updates/len(s.projects)); err != nil {
		return err
	}
	_, err := s.watch.until(ctx, from, catchUpLimit, func(blocks []block) bool { return applied(blocks) >= updates })
	return err
}

func applied(blocks []block) (n int) {
	for _, b := range blocks {
		n += b.updates
	}
	return n
}

// idle returns the calls per relayer and poll without work.
func (s *stack) idle(ctx context.Context) (float64, error) {
	// Wait until the last transactions are final and settled.
	blocks, err := s.watch.until(ctx, s.watch.len(), firstTimeout, func(blocks []block) bool { return len(blocks) >= 5 })
	if err != nil {
		return 0, err
	}
	before, begun := s.endpoint.since(nil), blocks[len(blocks)-1]
	blocks, err = s.watch.until(ctx, s.watch.len(), idleFor+firstTimeout, func(blocks []block) bool {
		return len(blocks) > 0 && blocks[len(blocks)-1].at.Sub(begun.at) >= idleFor
	})
	if err != nil {
		return 0, err
	}
	ended := blocks[len(blocks)-1]
	progress(fmt.Sprintf("idle for %.0f s, two relayers call %v", ended.at.Sub(begun.at).Seconds(), s.endpoint.since(before)))
	polls := float64(ended.at.Sub(begun.at)) / float64(pollInterval)
	return float64(ended.calls-begun.calls) / polls / replicas, nil
}

// outage returns catch_up_s, at most catchUpLimit.
func (s *stack) outage(ctx context.Context) (float64, error) {
	accept := s.endpoint.refuse()
	from := s.watch.len()
	if err := s.publish(ctx, outageUpdates/len(s.projects)); err != nil {
		return 0, err
	}
	for range outageSteps { // the chain makes about one block of its own between them
		reached := s.watch.len()
		if err := s.anvil.Mine(ctx, outageBlocks/outageSteps); err != nil {
			return 0, err
		}
		_, err := s.watch.until(ctx, reached, firstTimeout, func(blocks []block) bool { return len(blocks) > outageBlocks/outageSteps })
		if err != nil {
			return 0, err
		}
	}
	s.endpoint.slow(slowDelay)
	accept()
	back := time.Now()
	blocks, err := s.watch.until(ctx, from, catchUpLimit, func(blocks []block) bool { return applied(blocks) >= outageUpdates })
	if errors.Is(err, errTooLong) {
		progress(fmt.Sprintf("%d of %d updates applied %s after the outage", applied(blocks), outageUpdates, catchUpLimit))
		return catchUpLimit.Seconds(), nil
	}
	if err != nil {
		return 0, err
	}
	return blocks[len(blocks)-1].at.Sub(back).Seconds(), nil
}
