package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// awayStatuses takes nothing while it is away, and counts.
type awayStatuses struct {
	halted atomic.Bool // accepting halts
	Statuses
	away     atomic.Bool
	mu       sync.Mutex
	tries    int
	marked   map[score.UpdateID]bool
	restores int
}

var errAway = errors.New("away")

func (s *awayStatuses) Accepted(_ context.Context, refs []score.Ref, _ []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if s.away.Load() {
		return errAway
	}
	for i := range refs {
		s.marked[refs[i].Update] = true
	}
	return nil
}

func (s *awayStatuses) RequestRestore(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if s.away.Load() {
		return errAway
	}
	s.restores++
	return nil
}

func (s *awayStatuses) seen() (marked, tries, restores int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.marked), s.tries, s.restores
}

// inMarker tests a marker that runs until the test ends it, while Redis is away at first.
func inMarker(t *testing.T, test func(t *testing.T, m *marker, statuses *awayStatuses, log *strings.Builder, end func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		statuses, log := &awayStatuses{marked: map[score.UpdateID]bool{}}, &strings.Builder{}
		statuses.away.Store(true)
		m := newMarker(statuses, newMetrics(prometheus.NewRegistry()), slog.New(slog.NewTextHandler(log, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			m.run(ctx, func() string {
				if statuses.halted.Load() {
					return "halted"
				}
				return ""
			})
		}()
		test(t, m, statuses, log, func() { cancel(); <-ended })
		cancel()
		<-ended
	})
}

func mark(t *testing.T, m *marker, u unit) {
	t.Helper()
	_, _, claimed, tokens := envelopeOf([]*waiting{{unit: u}})
	m.mark(t.Context(), claimed, tokens)
}

// passed lets seconds pass, and what happens in them happen.
func passed(seconds int) {
	time.Sleep(time.Duration(seconds)*time.Second + time.Millisecond)
	synctest.Wait()
}

func TestWhatCouldNotBeMarkedIsMarkedLater(t *testing.T) {
	t.Parallel()
	inMarker(t, func(t *testing.T, m *marker, statuses *awayStatuses, _ *strings.Builder, _ func()) {
		for first := range 3 {
			mark(t, m, numbered(300*first, 300))
		}
		passed(5)
		marked, tries, _ := statuses.seen()
		require.Zero(t, marked)
		require.LessOrEqual(t, tries, 3+5, "one try a second, however much is late")
		statuses.away.Store(false)
		passed(1)
		marked, tries, _ = statuses.seen()
		require.Equal(t, 900, marked)
		require.False(t, m.writer.Pending())
		passed(100)
		_, again, restores := statuses.seen()
		require.Equal(t, tries, again, "nothing is late")
		require.Zero(t, restores)
	})
}

// TestMarksThatFindNoRoomAreRestored: memory is bounded, and Redis is told that it lacks something.
func TestMarksThatFindNoRoomAreRestored(t *testing.T) {
	t.Parallel()
	inMarker(t, func(t *testing.T, m *marker, statuses *awayStatuses, log *strings.Builder, _ func()) {
		for range 3 {
			mark(t, m, numbered(0, maxLate/2+1))
		}
		passed(3)
		_, _, restores := statuses.seen()
		require.Zero(t, restores)
		statuses.away.Store(false)
		passed(1)
		marked, _, restores := statuses.seen()
		require.Equal(t, maxLate/2+1, marked)
		require.Equal(t, 1, restores)
		require.Equal(t, 1, strings.Count(log.String(), "requests a restore"))
		passed(100)
		_, _, restores = statuses.seen()
		require.Equal(t, 1, restores)
	})
}

// TestWhatIsLateWhenAcceptingHaltsIsNotMarked: NATS may have lost it, and a restore tells.
func TestWhatIsLateWhenAcceptingHaltsIsNotMarked(t *testing.T) {
	t.Parallel()
	inMarker(t, func(t *testing.T, m *marker, statuses *awayStatuses, _ *strings.Builder, _ func()) {
		mark(t, m, numbered(0, 300))
		statuses.halted.Store(true)
		passed(3)
		statuses.away.Store(false)
		passed(3)
		marked, _, restores := statuses.seen()
		require.Zero(t, marked)
		require.Equal(t, 1, restores)
		mark(t, m, numbered(300, 10))
		marked, _, _ = statuses.seen()
		require.Equal(t, 10, marked)
	})
}

// TestTheLastTryIsAtTheEnd, and what it could not do is told.
func TestTheLastTryIsAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, away := range []bool{false, true} {
		inMarker(t, func(t *testing.T, m *marker, statuses *awayStatuses, log *strings.Builder, end func()) {
			mark(t, m, numbered(0, 2))
			statuses.away.Store(away)
			end()
			marked, _, _ := statuses.seen()
			require.Equal(t, away, marked == 0)
			require.Equal(t, away, strings.Contains(log.String(), "could not write"))
		})
	}
}
