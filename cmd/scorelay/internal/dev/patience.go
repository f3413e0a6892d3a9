package dev

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
)

func (s *Stack) patient(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if s.Options.Confirmations > 0 {
		return context.WithTimeout(ctx, patience)
	}
	return whileMoving(ctx, s.chain, patience, s.say)
}

const (
	headEvery    = time.Second
	patienceTold = 15 * time.Second
)

type headReader interface {
	Head(ctx context.Context) (evidence.Block, error)
	FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error)
}

var errHeadStands = errors.New("the chain makes no blocks")

// whileMoving returns a context that ends, with cause errHeadStands, once the chain's head is unchanged for patience.
// A finalized tag may take hours, so a fixed timeout would be wrong.
func whileMoving(ctx context.Context, c headReader, patience time.Duration, say func(string)) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		var head uint64
		for moved, told := time.Now(), time.Now(); retry.Sleep(ctx, headEvery) == nil; {
			now, err := c.Head(ctx)
			switch {
			case err == nil && now.Number != head:
				head, moved = now.Number, time.Now()
			case time.Since(moved) > patience:
				cancel(fmt.Errorf("%w: block %d is the newest for %s (%w)", errHeadStands, head, patience,
					errors.Join(err, context.DeadlineExceeded)))
				return
			}
			if time.Since(told) >= patienceTold {
				told = time.Now()
				if final, err := c.FinalBlock(ctx, 0); err != nil {
					say(fmt.Sprintf("couldn't read the chain's finalized tag; trying again: %v", err))
				} else {
					say(fmt.Sprintf("waiting for the chain's finalized tag: block %d of %d is final", final.Number, head))
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
