package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

// TestCacheKeepsTheRecentOnes against a list in order of use.
func TestCacheKeepsTheRecentOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		c := newCache[int, int](limit)
		values := map[int]int{}
		var used []int // most recent last
		use := func(key int) {
			for i, k := range used {
				if k == key {
					used = append(used[:i], used[i+1:]...)
					break
				}
			}
			used = append(used, key)
		}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 12).Draw(t, "key")
			if rapid.Bool().Draw(t, "put") {
				c.put(key, i)
				values[key] = i
				use(key)
			} else if value, ok := c.get(key); ok {
				if value != values[key] {
					t.Fatalf("key %d has %d, want %d", key, value, values[key])
				}
				use(key)
			}
			for _, recent := range used[max(0, len(used)-limit):] {
				_, young := c.young[recent]
				_, old := c.old[recent]
				if !young && !old {
					t.Fatalf("key %d is among the %d most recent and was forgotten", recent, limit)
				}
			}
			if n := len(c.young) + len(c.old); n > 2*limit {
				t.Fatalf("%d entries, limit %d", n, limit)
			}
		}
	})
}

// silentPublisher never answers before its context ends.
type silentPublisher struct{ Publisher }

func (silentPublisher) PublishEnvelope(ctx context.Context, _ score.Lane, _ string, _ []score.Update, _ []score.Signed) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestNobodyWaitsLongerThanTwicePatience: while nothing is acked, the first waits for its publish, and those behind it,
// whose time is up when their turn comes, are answered without another try.
func TestNobodyWaitsLongerThanTwicePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const patience = 5 * time.Second
		b := &enveloper{
			publisher: silentPublisher{}, patience: patience, limit: 10, metrics: newMetrics(prometheus.NewRegistry()),
			mark: func(context.Context, []score.Update) {}, log: slog.New(slog.DiscardHandler),
			in: make(chan *waiting, 10), stop: make(chan struct{}), ended: make(chan struct{}),
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go b.run(ctx)
		answers := make(chan error)
		began := time.Now()
		add := func() { answers <- b.add(alone(score.Update{})) }
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
		require.ErrorIs(t, b.add(alone(score.Update{})), errDrained)
	})
}
