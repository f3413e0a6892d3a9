package httpapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// silentPublisher never answers before its context ends.
type silentPublisher struct{ Publisher }

func (silentPublisher) PublishEnvelope(ctx context.Context, _ string, _ []score.Update, _ []score.Signed, _ ...score.Traced) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestNoUpdateWaitsLongerThanTwicePatience: while nothing is acked, the first waits for its publish, and those behind it,
// whose time is up when their turn comes, are answered without another try.
func TestNoUpdateWaitsLongerThanTwicePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const patience = 5 * time.Second
		b := enveloping(t, silentPublisher{}, patience)
		answers := make(chan error)
		began := time.Now()
		add := func() { answers <- b.add(singleUnit(score.Update{})) }
		go add()
		synctest.Wait() // the first is in flight
		for range 50 {
			go add()
		}
		untried := 0
		for range 51 {
			err := <-answers
			require.Error(t, err)
			require.LessOrEqual(t, time.Since(began), 2*patience)
			if errors.Is(err, errNotStored) {
				untried++
			}
		}
		require.Equal(t, 50, untried)
		close(b.stop)
		<-b.ended
		require.ErrorIs(t, b.add(singleUnit(score.Update{})), errDrained)
	})
}
