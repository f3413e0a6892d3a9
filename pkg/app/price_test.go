package app

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestThePriceOfGasIsAskedForWhileItIsUsed: once at the start, and at most every five seconds; the last one stands
// while none is learnt.
func TestThePriceOfGasIsAskedForWhileItIsUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		var answer atomic.Pointer[evidence.Price]
		p := newGasPrice(func(context.Context) (*evidence.Price, error) {
			asked.Add(1)
			if price := answer.Load(); price != nil {
				return price, nil
			}
			return nil, errors.New("no endpoint answers")
		}, quiet)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.run(ctx) }()
		use := func(wait time.Duration) (uint64, bool) {
			time.Sleep(wait) // of the bubble
			synctest.Wait()
			gwei, known := p.gwei(1e9, 10)
			synctest.Wait()
			return gwei, known
		}
		_, known := use(0)
		require.False(t, known)
		require.EqualValues(t, 1, asked.Load())

		answer.Store(&evidence.Price{BaseFee: 2, Tip: 1, L1Byte: 1e9})
		_, known = use(time.Second)
		require.False(t, known, "not asked again yet")
		gwei, known := use(5 * time.Second)
		require.True(t, known)
		require.EqualValues(t, 3+10, gwei)
		require.EqualValues(t, 2, asked.Load())

		answer.Store(&evidence.Price{Legacy: true, Gas: 1, BaseFee: 9, Tip: 9})
		_, _ = use(time.Hour)
		asked.Store(0)
		gwei, _ = use(time.Hour)
		require.EqualValues(t, 1, gwei)
		require.LessOrEqual(t, asked.Load(), int64(2), "an hour without use asks for nothing")

		answer.Store(nil)
		_, _ = use(time.Hour)
		gwei, known = use(time.Hour)
		require.True(t, known, "the last price stands")
		require.EqualValues(t, 1, gwei)

		p.last.Store(&evidence.Price{Legacy: true, Gas: math.MaxUint64})
		gwei, _ = p.gwei(math.MaxUint64, math.MaxUint64)
		require.EqualValues(t, mostGwei, gwei)
		p.last.Store(&evidence.Price{BaseFee: 1})
		gwei, _ = p.gwei(1, 0)
		require.EqualValues(t, 1, gwei, "rounded up")
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}
