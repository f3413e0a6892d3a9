package halt_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// TestAMarkerThatCannotBeRead: the process looks all the same whether something is lost; once the operator deleted the marker, it
// can be written again.
func TestAMarkerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	raw, bucket := newStore(t)
	b := newBench(t, bucket)
	b.look()
	require.True(t, b.publishes())
	_, err := raw.PutString(t.Context(), "halt", "garbage")
	require.NoError(t, err)
	require.Error(t, b.Look(t.Context()))
	require.True(t, b.publishes(), "for some seconds")
	b.noted = 200
	require.Error(t, b.Look(t.Context()))
	require.False(t, b.publishes())
	require.NotEmpty(t, b.Reason())
	require.NoError(t, raw.Delete(t.Context(), "halt"))
	b.look()
	require.True(t, b.marker().Halts())
	_, err = bucket.Replace(t.Context(), halt.Marker{}, 0)
	require.ErrorIs(t, err, kv.ErrMoved)
}

// blindMarks cannot be read once it is blind.
type blindMarks struct{ blind bool }

func (m *blindMarks) Get(context.Context) (halt.Marker, uint64, error) {
	if m.blind {
		return halt.Marker{}, 0, errBroken
	}
	return halt.Marker{}, 0, nil
}

func (m *blindMarks) Replace(context.Context, halt.Marker, uint64) (uint64, error) { return 1, nil }

// guard is one that finds nothing.
func (m *blindMarks) guard(elsewhere func()) *halt.Guard {
	return halt.New(halt.Config{
		Process: "p", Stream: &fakeStream{created: made, ends: 100}, Marks: m,
		Journaled:  func(context.Context) (uint64, error) { return 0, nil },
		Note:       func(_ context.Context, seq uint64) (uint64, error) { return seq, nil },
		Connection: func() uint64 { return 0 }, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Elsewhere: elsewhere,
	})
}

// TestWhoCannotLookClosesInTheEnd, and opens again with the next look.
func TestWhoCannotLookClosesInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		marks := &blindMarks{}
		g := marks.guard(nil)
		publish := func() error { return g.Publish(func() error { return nil }) }
		wait := func(d time.Duration) { <-time.After(d) }
		require.NoError(t, g.Look(t.Context()))
		marks.blind = true
		wait(9 * time.Second)
		require.ErrorIs(t, g.Look(t.Context()), errBroken)
		require.NoError(t, publish())
		wait(time.Second)
		require.ErrorIs(t, g.Look(t.Context()), errBroken)
		require.Error(t, publish())
		require.NotErrorIs(t, publish(), score.ErrHalted)
		require.True(t, g.Halted())
		marks.blind = false
		require.NoError(t, g.Look(t.Context()))
		require.NoError(t, publish())
	})
}

// TestAPublishThatWasNotAnsweredHasTheProcessLookAgain, at the journals, too: another history may be continued, on the same
// connection.
func TestAPublishThatWasNotAnsweredHasTheProcessLookAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, newBucket(t))
	b.look()
	require.True(t, b.publishes())
	for _, answered := range []error{score.ErrFull, score.ErrOtherMeaning, &score.TakenError{}, &score.EditTakenError{}} {
		require.ErrorIs(t, b.Publish(func() error { return answered }), answered)
		require.True(t, b.publishes())
	}
	require.ErrorIs(t, b.Publish(func() error { return errBroken }), errBroken)
	require.False(t, b.publishes())
	b.look()
	require.True(t, b.publishes())

	b.journaled = 101 // which is asked for again only now
	b.look()
	require.True(t, b.publishes())
	require.ErrorIs(t, b.Publish(func() error { return errBroken }), errBroken)
	b.look()
	require.False(t, b.publishes())
	require.Equal(t, halt.Shorter, b.marker().Code)
}

// TestWhoCannotLookTurnsToAnotherServer, again and again, until one answers.
func TestWhoCannotLookTurnsToAnotherServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		marks, turned := &blindMarks{blind: true}, atomic.Int32{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := marks.guard(func() {
			if turned.Add(1) == 2 {
				marks.blind = false
			}
		})
		go func() { _ = g.Run(ctx) }()
		<-time.After(4 * time.Second)
		require.Zero(t, turned.Load())
		<-time.After(time.Minute)
		require.EqualValues(t, 2, turned.Load())
		require.False(t, g.Halted())
	})
}
