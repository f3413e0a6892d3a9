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
	reported map[score.UpdateID]bool
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
		s.reported[refs[i].Update] = true
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

func (s *awayStatuses) seen() (reported, tries, restores int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reported), s.tries, s.restores
}

// inReporter tests a reporter that runs until the test ends it, while Redis is away at first.
func inReporter(t *testing.T, test func(t *testing.T, r *reporter, statuses *awayStatuses, log *strings.Builder, end func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		statuses, log := &awayStatuses{reported: map[score.UpdateID]bool{}}, &strings.Builder{}
		statuses.away.Store(true)
		r := newReporter(statuses, newMetrics(prometheus.NewRegistry()), slog.New(slog.NewTextHandler(log, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.run(ctx, func() string {
				if statuses.halted.Load() {
					return "halted"
				}
				return ""
			})
		}()
		test(t, r, statuses, log, func() { cancel(); <-ended })
		cancel()
		<-ended
	})
}

func accepted(t *testing.T, r *reporter, u unit) {
	t.Helper()
	_, _, claimed, tokens := envelopeOf([]*waiting{{unit: u}})
	r.accepted(t.Context(), claimed, tokens)
}

// passed lets seconds pass, and what happens in them happen.
func passed(seconds int) {
	time.Sleep(time.Duration(seconds)*time.Second + time.Millisecond)
	synctest.Wait()
}

func TestWhatCouldNotBeReportedIsReportedLater(t *testing.T) {
	t.Parallel()
	inReporter(t, func(t *testing.T, r *reporter, statuses *awayStatuses, _ *strings.Builder, _ func()) {
		for first := range 3 {
			accepted(t, r, numbered(300*first, 300))
		}
		passed(5)
		reported, tries, _ := statuses.seen()
		require.Zero(t, reported)
		require.LessOrEqual(t, tries, 3+5, "one try a second, however much is late")
		statuses.away.Store(false)
		passed(1)
		reported, tries, _ = statuses.seen()
		require.Equal(t, 900, reported)
		require.False(t, r.late())
		passed(100)
		_, again, restores := statuses.seen()
		require.Equal(t, tries, again, "nothing is late")
		require.Zero(t, restores)
	})
}

// TestReportsThatFindNoRoomAreRestored: memory is bounded, and Redis is told that it lacks something.
func TestReportsThatFindNoRoomAreRestored(t *testing.T) {
	t.Parallel()
	inReporter(t, func(t *testing.T, r *reporter, statuses *awayStatuses, log *strings.Builder, _ func()) {
		for range 3 {
			accepted(t, r, numbered(0, maxLate/2+1))
		}
		passed(3)
		_, _, restores := statuses.seen()
		require.Zero(t, restores)
		statuses.away.Store(false)
		passed(1)
		reported, _, restores := statuses.seen()
		require.Equal(t, maxLate/2+1, reported)
		require.Equal(t, 1, restores)
		require.Equal(t, 1, strings.Count(log.String(), "requests a restore"))
		passed(100)
		_, _, restores = statuses.seen()
		require.Equal(t, 1, restores)
	})
}

// TestWhatIsLateWhenAcceptingHaltsIsNotReported: NATS may have lost it, and a restore tells.
func TestWhatIsLateWhenAcceptingHaltsIsNotReported(t *testing.T) {
	t.Parallel()
	inReporter(t, func(t *testing.T, r *reporter, statuses *awayStatuses, _ *strings.Builder, _ func()) {
		accepted(t, r, numbered(0, 300))
		statuses.halted.Store(true)
		passed(3)
		statuses.away.Store(false)
		passed(3)
		reported, _, restores := statuses.seen()
		require.Zero(t, reported)
		require.Equal(t, 1, restores)
		accepted(t, r, numbered(300, 10))
		reported, _, _ = statuses.seen()
		require.Equal(t, 10, reported)
	})
}

// TestTheLastTryIsAtTheEnd, and what it could not do is told.
func TestTheLastTryIsAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, away := range []bool{false, true} {
		inReporter(t, func(t *testing.T, r *reporter, statuses *awayStatuses, log *strings.Builder, end func()) {
			accepted(t, r, numbered(0, 2))
			statuses.away.Store(away)
			end()
			reported, _, _ := statuses.seen()
			require.Equal(t, away, reported == 0)
			require.Equal(t, away, strings.Contains(log.String(), "could not write"))
		})
	}
}
