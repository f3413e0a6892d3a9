package event

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// Since is the cursor before all that was done in blocks from a time on, and before the dead letters that were stored from then on. Where nothing was it is the end.
func (l *Log) Since(ctx context.Context, at time.Time) (Cursor, error) {
	c, err := l.End(ctx)
	if err != nil {
		return c, err
	}
	if c.block != (evidence.Ref{}) {
		if c.block, err = l.lastBefore(ctx, at, c.block); err != nil {
			return Cursor{}, err
		}
		if c.block == (evidence.Ref{}) {
			c.logIndex = 0
		}
	}
	if c.dead > 0 {
		c.dead = 0
		err = l.DeadLetters.DeadLettersAfter(ctx, 0, nil, func(seq uint64, d score.DeadLetter) error {
			if !d.Time.Before(at) || !d.Replayed.Before(at) {
				return errRead
			}
			c.dead = seq
			return nil
		})
		if err != nil && !errors.Is(err, errRead) {
			return Cursor{}, fmt.Errorf("couldn't read dead letters: %w", err)
		}
	}
	return c, nil
}

// lastBefore is the last block before a time, up to end; none where the contract is younger.
func (l *Log) lastBefore(ctx context.Context, at time.Time, end evidence.Ref) (found evidence.Ref, err error) {
	first := l.Deployment.DeployBlock
	if end.Number < first {
		return found, nil
	}
	read := func(number uint64) (evidence.Block, error) { return l.Chain.BlockByNumber(ctx, number) }
	n, err := evidence.FirstSince(first, end.Number+1, at, read)
	if err != nil || n == first {
		return found, err
	}
	b, err := read(n - 1)
	return b.Ref(), err
}
