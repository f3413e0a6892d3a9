package dev

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// slow is a chain of a block every 12 seconds, of which none becomes final until it stops.
type slow struct {
	began time.Time
	stops time.Duration
	asked atomic.Int64
}

func (s *slow) Head(context.Context) (evidence.Block, error) {
	return evidence.Block{Number: 100 + uint64(min(time.Since(s.began), s.stops)/(12*time.Second))}, nil
}

func (s *slow) FinalBlock(context.Context, uint64) (evidence.Block, error) {
	s.asked.Add(1)
	return evidence.Block{Number: 7}, nil
}

// TestAStackWaitsAsLongAsTheChainMoves, and gives up when it stops.
func TestAStackWaitsAsLongAsTheChainMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &slow{began: time.Now(), stops: 3 * time.Hour}
		var said []string
		ctx, cancel := whileMoving(t.Context(), c, readyTimeout, func(line string) { said = append(said, line) })
		defer cancel()
		time.Sleep(c.stops)
		require.NoError(t, ctx.Err())
		<-ctx.Done()
		require.ErrorIs(t, context.Cause(ctx), errHeadStands)
		require.InDelta(t, (c.stops + readyTimeout).Seconds(), time.Since(c.began).Seconds(), 15)
		require.Contains(t, said, "waiting for the chain's finalized tag: block 7 of 1000 is final")
		require.InDelta(t, 4*60*3, len(said), 20)
	})
}
