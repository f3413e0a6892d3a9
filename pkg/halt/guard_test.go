package halt_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

var (
	errBroken = errors.New("broken")
	made      = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
)

// fakeStream is a stream that ends where a test wants.
type fakeStream struct {
	created time.Time
	ends    uint64
	seen    uint64
	asked   int
	once    uint64 // the first answer's end instead; 0: as the others
}

func (s *fakeStream) Created() time.Time { return made }
func (s *fakeStream) Seen() uint64       { return s.seen }
func (s *fakeStream) Saw(seq uint64)     { s.seen = max(s.seen, seq) }

func (s *fakeStream) State(context.Context) (score.StreamState, error) {
	ends := s.ends
	if s.asked++; s.once > 0 {
		ends, s.once = s.once, 0
	}
	return score.StreamState{Created: s.created, LastSeq: ends}, nil
}

// faultyMarks is a real bucket whose writes follow a plan, and whose reads fail as a test wants.
type faultyMarks struct {
	kv.Doc[halt.Marker]
	fault.Plan
	read error
}

func (m *faultyMarks) Get(ctx context.Context) (halt.Marker, uint64, error) {
	if m.read != nil {
		return halt.Marker{}, 0, m.read
	}
	return m.Doc.Get(ctx)
}

func (m *faultyMarks) Replace(ctx context.Context, marker halt.Marker, revision uint64) (uint64, error) {
	return fault.Value(&m.Plan, "marker", func() (uint64, error) { return m.Doc.Replace(ctx, marker, revision) })
}

// bench is a guard whose surroundings a test controls.
type bench struct {
	*halt.Guard
	t          *testing.T
	stream     *fakeStream
	marks      *faultyMarks
	journaled  uint64
	noted      uint64
	noteErr    error
	connection atomic.Uint64
	forgot     int
	forgetErr  error
}

// newStore is an empty bucket, as an operator's tools see it and as a guard does.
func newStore(t *testing.T) (jetstream.KeyValue, kv.Doc[halt.Marker]) {
	t.Helper()
	js := fresh.JetStream(t)
	_, err := halt.Open(t.Context(), js)
	require.ErrorContains(t, err, "scorelay setup")
	kv, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "HALT", History: 1})
	require.NoError(t, err)
	bucket, err := halt.Open(t.Context(), js)
	require.NoError(t, err)
	return kv, bucket
}

func newBucket(t *testing.T) kv.Doc[halt.Marker] {
	t.Helper()
	_, bucket := newStore(t)
	return bucket
}

func newBench(t *testing.T, bucket kv.Doc[halt.Marker]) *bench {
	t.Helper()
	b := &bench{t: t, stream: &fakeStream{created: made, ends: 100}, marks: &faultyMarks{Doc: bucket}}
	b.Guard = halt.New(halt.Config{
		Process: t.Name(), Stream: b.stream, Marks: b.marks,
		Journaled: func(context.Context) (uint64, error) { return b.journaled, nil },
		Note: func(_ context.Context, seq uint64) (uint64, error) {
			b.noted = max(b.noted, seq)
			return b.noted, b.noteErr
		},
		Connection: b.connection.Load,
		Forget:     func(context.Context) error { b.forgot++; return b.forgetErr },
		Log:        slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
	return b
}

// publishes tells whether a publish is let through and counts.
func (b *bench) publishes() bool {
	called := false
	err := b.Publish(func() error { called = true; return nil })
	require.Equal(b.t, called, err == nil)
	require.Equal(b.t, err != nil, b.Halted())
	require.Equal(b.t, b.Reason() != "", errors.Is(err, score.ErrHalted))
	return called
}

func (b *bench) look() {
	b.t.Helper()
	require.NoError(b.t, b.Look(b.t.Context()))
}

// resume is an operator's decision.
func (b *bench) resume() {
	b.t.Helper()
	m, revision, err := b.marks.Doc.Get(b.t.Context())
	require.NoError(b.t, err)
	require.True(b.t, m.Halts())
	m.Resumed = time.Now()
	_, err = b.marks.Doc.Replace(b.t.Context(), m, revision)
	require.NoError(b.t, err)
}

func (b *bench) marker() halt.Marker {
	b.t.Helper()
	m, _, err := b.marks.Doc.Get(b.t.Context())
	require.NoError(b.t, err)
	return m
}

// TestEachPartyThatKnowsMoreHaltsAccepting until an operator decides and nothing speaks against it any more.
func TestEachPartyThatKnowsMoreHaltsAccepting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		know func(*bench)
		code halt.Code
	}{
		"the process":              {func(b *bench) { b.stream.Saw(101) }, halt.Shorter},
		"a journal":                {func(b *bench) { b.journaled = 101; b.connection.Add(1) }, halt.Shorter},
		"a lane":                   {func(b *bench) { b.Journaled(made, 101) }, halt.Shorter},
		"Redis":                    {func(b *bench) { b.noted = 101 }, halt.Shorter},
		"a publish":                {func(b *bench) { require.ErrorIs(t, b.FoundShorter(101, 100), score.ErrHalted) }, halt.Shorter},
		"another stream":           {func(b *bench) { b.stream.created = made.Add(1) }, halt.Replaced},
		"a lane of another stream": {func(b *bench) { b.Journaled(made.Add(1), 1) }, halt.Replaced},
		"the chain":                {func(b *bench) { b.Unjournaled(3) }, halt.Unjournaled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, newBucket(t))
			require.False(t, b.publishes(), "before the first look")
			b.look()
			require.True(t, b.publishes())
			c.know(b)
			b.look()
			require.False(t, b.publishes())
			m := b.marker()
			require.True(t, m.Halts())
			require.Equal(t, c.code, m.Code)
			require.Equal(t, b.Reason(), m.Reason)
			require.Equal(t, t.Name(), m.By)

			other := newBench(t, b.marks.Doc)
			other.look()
			require.False(t, other.publishes(), "every process halts")
			b.look()
			require.Equal(t, m, b.marker(), "who comes later adds nothing")

			b.resume()
			if c.code == halt.Shorter && name != "a publish" {
				b.look()
				require.False(t, b.publishes(), "what speaks against it is still there")
				b.stream.ends = 101
				b.resume()
			}
			b.stream.created = made
			require.False(t, b.publishes())
			b.forgetErr = errBroken
			require.ErrorIs(t, b.Look(t.Context()), errBroken)
			require.False(t, b.publishes(), "not before it forgot what NATS lost")
			b.forgetErr = nil
			b.look()
			require.True(t, b.publishes())
			require.Equal(t, 2, b.forgot)
			b.look()
			require.Equal(t, 2, b.forgot)
			other.stream.ends = 101
			other.look()
			require.True(t, other.publishes())
		})
	}
}

// TestAMarkerThatIsNotWritten, or is, without an answer: the process halts all the same, and writes it.
func TestAMarkerThatIsNotWritten(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		b := newBench(t, newBucket(t))
		b.look()
		b.noted = 200
		b.marks.Set(fault.Always(kind))
		require.ErrorIs(t, b.Look(t.Context()), fault.Err)
		require.False(t, b.publishes())
		require.Equal(t, kind == fault.Persisted, b.marker().Halts())
		b.marks.Set(nil)
		b.look()
		require.False(t, b.publishes())
		require.EqualValues(t, 200, b.marker().Known)
		b.stream.ends = 200
		b.resume()
		b.look()
		require.True(t, b.publishes())
	})
}

// TestOnlyWhatWasLookedAtCounts: a new connection may lead to other data.
func TestOnlyWhatWasLookedAtCounts(t *testing.T) {
	t.Parallel()
	b := newBench(t, newBucket(t))
	b.marks.read = errBroken
	require.ErrorIs(t, b.Look(t.Context()), errBroken)
	require.False(t, b.publishes(), "it does not know the marker")
	select {
	case <-b.Looked():
		require.Fail(t, "it has not looked")
	default:
	}
	b.marks.read = nil
	b.look()
	<-b.Looked()
	require.True(t, b.publishes())
	stored := false
	err := b.Publish(func() error { stored = true; b.connection.Add(1); return nil })
	require.Error(t, err, "another server may have stored it")
	require.NotErrorIs(t, err, score.ErrHalted)
	require.True(t, stored)
	require.False(t, b.publishes())
	b.noteErr = errBroken // less is noticed; nothing else depends on Redis
	b.look()
	require.True(t, b.publishes())
	require.ErrorIs(t, b.Publish(func() error { return errBroken }), errBroken)
}

// TestOneShortLookIsNotBelieved: a cluster's new leader may not have read all yet.
func TestOneShortLookIsNotBelieved(t *testing.T) {
	t.Parallel()
	b := newBench(t, newBucket(t))
	b.look()
	b.stream.Saw(100)
	b.stream.once = 90
	b.look()
	require.True(t, b.publishes())
	require.False(t, b.marker().Halts())
}

// TestRunLooks at once on a new connection, and every second.
func TestRunLooks(t *testing.T) {
	t.Parallel()
	b := newBench(t, newBucket(t))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	require.Eventually(t, func() bool { return !b.Halted() }, 2*time.Minute, time.Millisecond)
	b.connection.Add(1)
	require.True(t, b.Halted())
	require.Eventually(t, func() bool { return !b.Halted() }, 2*time.Minute, time.Millisecond)
	_, err := b.marks.Doc.Replace(t.Context(), halt.Marker{Code: halt.Shorter, Reason: "another says so"}, 0)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return b.Reason() == "another says so" }, 2*time.Minute, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// TestWhatIsNotSoAnyMoreHaltsNothing: a leader that is cut off from its cluster tells an old end, and cannot write a marker; the
// process is closed until it looked where all is.
func TestWhatIsNotSoAnyMoreHaltsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, newBucket(t))
	b.look()
	b.noted = 200
	b.marks.Set(fault.Always(fault.Failed))
	require.ErrorIs(t, b.Look(t.Context()), fault.Err)
	require.False(t, b.publishes())
	b.marks.Set(nil)
	b.stream.ends = 199
	b.stream.once = 198
	b.marks.read = errBroken
	require.ErrorIs(t, b.Look(t.Context()), errBroken)
	require.NotEmpty(t, b.Reason(), "closed until it looked")
	b.marks.read, b.stream.ends, b.stream.once = nil, 200, 0
	b.look()
	require.True(t, b.publishes())
	require.False(t, b.marker().Halts())
	require.Zero(t, b.forgot)

	require.ErrorIs(t, b.FoundShorter(200, 150), score.ErrHalted)
	b.look()
	require.True(t, b.marker().Halts(), "a publish that went back is certain, wherever the stream ends now")
}

// TestAPublishThatWentBackIsCertain, also where a look found the same before.
func TestAPublishThatWentBackIsCertain(t *testing.T) {
	t.Parallel()
	b := newBench(t, newBucket(t))
	b.look()
	b.noted = 200
	b.marks.Set(fault.Always(fault.Failed))
	require.ErrorIs(t, b.Look(t.Context()), fault.Err)
	require.ErrorIs(t, b.FoundShorter(200, 150), score.ErrHalted)
	b.marks.Set(nil)
	b.stream.ends = 300
	b.look()
	require.True(t, b.marker().Halts())
}

// TestWhatAnOperatorDecidedMeanwhileHaltsNothing: a process that could neither write what it found nor read another's marker.
func TestWhatAnOperatorDecidedMeanwhileHaltsNothing(t *testing.T) {
	t.Parallel()
	for name, decided := range map[string]time.Duration{"before": -time.Hour, "after": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, newBucket(t))
			b.look()
			b.marks.Set(fault.Always(fault.Failed))
			b.Unjournaled(3)
			require.ErrorIs(t, b.Look(t.Context()), fault.Err)
			_, err := b.marks.Doc.Replace(t.Context(), halt.Marker{Code: halt.Unjournaled, Reason: "r", Resumed: time.Now().Add(decided)}, 0)
			require.NoError(t, err)
			b.marks.Set(nil)
			b.look()
			require.Equal(t, name == "before", b.marker().Halts())
			require.Equal(t, name == "after", b.publishes())
			require.Equal(t, name == "after", b.forgot == 1, "it forgets what NATS lost")
		})
	}
}

// TestANoteThatCannotBeTrueHaltsNothing, or accepting would halt forever.
func TestANoteThatCannotBeTrueHaltsNothing(t *testing.T) {
	t.Parallel()
	for _, wrong := range []uint64{1 << 63, math.MaxUint64, 1 << 60} {
		b := newBench(t, newBucket(t))
		b.noted = wrong
		b.look()
		b.look()
		require.True(t, b.publishes())
		b.noted = 101
		b.look()
		require.False(t, b.publishes())
	}
	state := score.StreamState{Created: time.Now().Add(-time.Hour), LastSeq: 10}
	require.True(t, halt.Believable(10_000_000_000, state), "a day at full load is lost")
	require.False(t, halt.Believable(1_000_000_000_000, state))
}
