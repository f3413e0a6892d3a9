package report_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/report"
)

var errAway = errors.New("away")

// store takes nothing while it is away; persists says whether it does so all the same.
type store struct {
	mu       sync.Mutex
	away     bool
	persists bool
	made     []int
	restores int
}

func (s *store) write(n int) func(context.Context) error {
	return func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.away || s.persists {
			s.made = append(s.made, n)
		}
		if s.away {
			return errAway
		}
		return nil
	}
}

func (s *store) requestRestore(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errAway
	}
	s.restores++
	return nil
}

func (s *store) writer(maxWrites, maxRefs int, log *slog.Logger) *report.Writer {
	return report.NewWriter(report.Config{MaxWrites: maxWrites, MaxRefs: maxRefs, RequestRestore: s.requestRestore, Log: log})
}

func TestWhatIsPendingIsBounded(t *testing.T) {
	t.Parallel()
	const maxWrites, maxRefs = 64, 20_000
	for name, c := range map[string]struct{ refs, kept int }{
		"writes":       {0, maxWrites},
		"full batches": {2000, maxRefs / 2000},
		"an odd size":  {1999, maxRefs / 1999},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, s, log := t.Context(), &store{away: true}, &strings.Builder{}
			w := s.writer(maxWrites, maxRefs, slog.New(slog.NewTextHandler(log, nil)))
			for n := range c.kept {
				require.False(t, w.Write(ctx, c.refs, s.write(n)))
			}
			require.Empty(t, log.String())
			require.False(t, w.Write(ctx, c.refs+1, s.write(-1)))
			require.False(t, w.Write(ctx, 0, s.write(-1)), "as the note that everything was reported")
			require.Equal(t, 1, strings.Count(log.String(), "requests a restore"))

			require.Error(t, w.Replay(ctx))
			s.away = false
			require.False(t, w.Write(ctx, 0, s.write(-1)), "nothing is written before a restore was requested")
			require.NoError(t, w.Replay(ctx))
			require.Len(t, s.made, c.kept)
			require.NotContains(t, s.made, -1)
			require.Equal(t, 1, s.restores)
			require.False(t, w.Pending())
			require.True(t, w.Write(ctx, c.refs, s.write(-2)))
			require.NoError(t, w.Replay(ctx))
			require.Equal(t, 1, s.restores)
		})
	}
}

func TestARestoreThatCouldNotBeRequestedIsRequestedAgain(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), &store{away: true}
	w := s.writer(0, 0, slog.New(slog.DiscardHandler))
	require.False(t, w.Write(ctx, 1, s.write(1)))
	require.ErrorIs(t, w.Replay(ctx), errAway)
	require.True(t, w.Pending())
	s.away = false
	require.NoError(t, w.Replay(ctx))
	require.Equal(t, 1, s.restores)
	require.Empty(t, s.made)
}

func TestOneReplayTakesNoLongerThanItMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const hold, takes, writes = time.Second, 300 * time.Millisecond, 10
		ctx, s := t.Context(), &store{away: true}
		w := report.NewWriter(report.Config{
			MaxWrites: writes, MaxRefs: writes, Hold: hold, RequestRestore: s.requestRestore, Log: slog.New(slog.DiscardHandler),
		})
		for n := range writes {
			require.False(t, w.Write(ctx, 1, func(ctx context.Context) error {
				time.Sleep(takes) // the bubble's clock
				return s.write(n)(ctx)
			}))
		}
		s.away = false
		for n := 4; n < writes; n += 4 {
			began := time.Now()
			require.ErrorIs(t, w.Replay(ctx), report.ErrUnfinished)
			require.Less(t, time.Since(began), hold+takes)
			require.Len(t, s.made, n)
		}
		require.NoError(t, w.Replay(ctx))
		require.Len(t, s.made, writes)
		require.IsIncreasing(t, s.made)
	})
}

// TestWritesKeepTheirOrder, whenever the store is away, and whether or not it keeps what it failed at: each is made or a
// restore is requested after it, and the first time each is made is in order.
func TestWritesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx, s := context.Background(), &store{persists: rapid.Bool().Draw(t, "persists")}
		w := s.writer(rapid.IntRange(0, 5).Draw(t, "writes"), rapid.IntRange(0, 10).Draw(t, "refs"), slog.New(slog.DiscardHandler))
		n := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			s.away = rapid.Bool().Draw(t, "away")
			if rapid.IntRange(0, 2).Draw(t, "step") > 0 {
				w.Write(ctx, rapid.IntRange(0, 4).Draw(t, "size"), s.write(n))
				n++
			} else if err := w.Replay(ctx); (err == nil) != !w.Pending() {
				t.Fatalf("replayed with %v, pending %t", err, w.Pending())
			}
		}
		s.away = false
		require.NoError(t, w.Replay(ctx))
		last, seen := -1, map[int]bool{}
		for _, m := range s.made {
			if !seen[m] && m < last {
				t.Fatalf("%d came after %d", m, last)
			}
			last, seen[m] = max(last, m), true
		}
		if len(seen) < n && s.restores == 0 {
			t.Fatalf("%d of %d writes were made, and no restore was requested", len(seen), n)
		}
	})
}

// TestManyMayWrite while one replays: nothing is forgotten.
func TestManyMayWrite(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), &store{away: true}
	w := s.writer(1000, 1000, slog.New(slog.DiscardHandler))
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for j := range 100 {
				w.Write(ctx, 1, s.write(100*i+j))
			}
		})
	}
	for range 100 {
		_ = w.Replay(ctx)
		s.mu.Lock()
		s.away = !s.away
		s.mu.Unlock()
	}
	writers.Wait()
	s.away = false
	require.NoError(t, w.Replay(ctx))
	require.Len(t, s.made, 800)
	require.Zero(t, s.restores)
}
