package stream_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

var deployment = score.Deployment{Lanes: 3, ChainID: 1337, Contract: common.HexToAddress("0xc0"), DeployBlock: 7}

func connect(t testing.TB, url string) jetstream.JetStream {
	t.Helper()
	return fresh.JetStreamAt(t, url, nats.ReconnectBufSize(-1))
}

func open(t testing.TB) (*stream.Stream, jetstream.JetStream) {
	t.Helper()
	js := connect(t, fresh.NATS(t).URL)
	return openAt(t, js, stream.Config{Deployment: deployment}), js
}

// openAt makes the streams, and opens them.
func openAt(t testing.TB, js jetstream.JetStream, config stream.Config) *stream.Stream {
	t.Helper()
	require.NoError(t, stream.Setup(t.Context(), js, config))
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	return s
}

// readerFrom reads the stream from a sequence on.
func readerFrom(t *testing.T, s *stream.Stream, from uint64) *stream.Reader {
	t.Helper()
	r, err := s.Read(t.Context(), from)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

func next(t *testing.T, r reader) score.Message {
	t.Helper()
	m, err := r.Next(t.Context())
	require.NoError(t, err)
	return m
}

// all is what the stream holds.
func all(t *testing.T, s *stream.Stream) (messages []score.Message) {
	t.Helper()
	require.NoError(t, s.ReadAll(t.Context(), func(m score.Message) error { messages = append(messages, m); return nil }))
	return messages
}

func update(n byte) score.Update {
	return score.Update{Project: score.ProjectID{9}, ID: score.UpdateID{n}, Target: common.Address{n}}
}

func project(n byte) *score.Project {
	return &score.Project{
		ID: score.ProjectID{n}, Name: "p", Actions: []score.Action{{Name: "a", Points: 1}},
		Owners: []common.Address{{1}}, Updaters: []common.Address{}, ScoreTypes: []string{"reputation"},
	}
}

func TestSetupSaysWhatToDoWhereNATSHasNoRoom(t *testing.T) {
	t.Parallel()
	js := connect(t, fresh.NATS(t).URL)
	err := stream.Setup(t.Context(), js, stream.Config{Deployment: deployment, MaxBytes: math.MaxInt64 / 2})
	require.ErrorContains(t, err, "raise max_file_store of NATS")
	require.ErrorContains(t, err, "SCORELAY_STREAM_MAX_BYTES")
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: deployment, MaxBytes: 1 << 50}),
		"the disk of the development stack's NATS need not have room for all bounds")

	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	require.NoError(t, js.DeleteStream(t.Context(), stream.LedgerName)) // as after a restore
	_, err = s.Ledger(t.Context(), &stream.Retention{Age: time.Hour, Bytes: math.MaxInt64 / 2})
	require.ErrorContains(t, err, "SCORELAY_LEDGER_MAX_BYTES")
	_, err = s.FindLedger(t.Context())
	require.ErrorIs(t, err, stream.ErrNoLedger)
	_, err = s.Ledger(t.Context(), nil)
	require.NoError(t, err, "an API makes it, and has no room reserved")
	_, err = s.Ledger(t.Context(), &stream.Retention{Age: time.Hour, Bytes: math.MaxInt64 / 2})
	require.ErrorContains(t, err, "SCORELAY_LEDGER_MAX_BYTES", "a relayer gives it its bound")
	_, err = s.Ledger(t.Context(), &stream.Retention{Age: time.Hour, Bytes: 16 << 20})
	require.NoError(t, err)
	found, err := s.FindLedger(t.Context())
	require.NoError(t, err)
	age, most, bytes, err := found.Config(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{time.Hour, int64(16 << 20), uint64(0)}, []any{age, most, bytes})
}

func TestSetupIsIdempotentAndRemembersItsDeployment(t *testing.T) {
	t.Parallel()
	js := connect(t, fresh.NATS(t).URL)
	_, err := stream.Open(t.Context(), js)
	require.ErrorIs(t, err, stream.ErrNotSetUp)
	for range 2 {
		require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: deployment}))
	}
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	require.Equal(t, deployment, s.Deployment())
	require.NotZero(t, s.Salt())

	other := deployment
	other.Lanes = 4
	require.ErrorIs(t, stream.Setup(t.Context(), js, stream.Config{Deployment: other}), stream.ErrMismatch)
}

func TestAStreamThatCouldLoseUpdatesIsRefused(t *testing.T) {
	t.Parallel()
	_, js := open(t)
	for name, spoil := range map[string]func(*jetstream.StreamConfig){
		"age":         func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"discard old": func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"duplicates":  func(c *jetstream.StreamConfig) { c.Duplicates = time.Second },
		"per subject": func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 },
	} {
		var good jetstream.StreamConfig
		setting(t, js, stream.Name, func(c *jetstream.StreamConfig) { good = *c; spoil(c) })
		_, err := stream.Open(t.Context(), js)
		require.ErrorIs(t, err, stream.ErrUnsafe, name)
		setting(t, js, stream.Name, func(c *jetstream.StreamConfig) { *c = good })
		_, err = stream.Open(t.Context(), js)
		require.NoError(t, err, name)
	}
}

func TestAServerThatDoesNotSyncIsRefused(t *testing.T) {
	t.Parallel()
	verify := func(monitors ...string) error {
		silent, err := stream.VerifySyncAlways(t.Context(), monitors)
		require.Equal(t, err != nil && !errors.Is(err, stream.ErrUnsafe), len(silent) > 0)
		return err
	}
	require.NoError(t, verify(fresh.NATS(t).MonitorURL))
	require.ErrorIs(t, verify(fresh.NATS(t, devnet.NATSOptions{NoSync: true}).MonitorURL), stream.ErrUnsafe)
	require.Error(t, verify("http://127.0.0.1:1"))
}

// TestEveryServerOfAClusterIsAsked, and one that does not sync, or was not asked, is named.
func TestEveryServerOfAClusterIsAsked(t *testing.T) {
	t.Parallel()
	servers, _ := fresh.NATSServers(t, 3, func(i int, o *devnet.NATSOptions) { o.NoSync = i == 2 })
	const away = "http://127.0.0.1:1"
	var silent []string
	verify := func(monitors ...string) (err error) {
		silent, err = stream.VerifySyncAlways(t.Context(), monitors)
		return err
	}
	a, b, lazy := servers[0].MonitorURL, servers[1].MonitorURL, servers[2].MonitorURL
	require.Eventually(t, func() bool { // that they know each other
		err := verify(a, b)
		return err != nil && strings.Contains(err.Error(), "missing: scorelay-dev-2")
	}, 3*time.Minute, 50*time.Millisecond)
	err := verify(a, b, lazy)
	require.ErrorIs(t, err, stream.ErrUnsafe)
	require.ErrorContains(t, err, "the NATS server scorelay-dev-2 at "+lazy+" is not durable")
	err = verify(a, b)
	require.ErrorIs(t, err, stream.ErrUnsafe)
	require.ErrorContains(t, err, "missing: scorelay-dev-2")
	require.ErrorContains(t, verify(a, b, a), "missing: scorelay-dev-2", "one was asked twice")
	require.NoError(t, verify(a, b, away), "most answer")
	require.Equal(t, []string{away}, silent)
	err = verify(a, away, away+"/other")
	require.Error(t, err, "most do not")
	require.NotErrorIs(t, err, stream.ErrUnsafe)
}

func TestEnvelopesAndCreationsAreReadInOrder(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	p := project(1)
	require.NoError(t, s.PublishEnvelope(t.Context(), "a", []score.Update{update(1), update(2)}, nil))
	require.NoError(t, s.PublishEnvelope(t.Context(), "b", []score.Update{update(3)}, nil))
	require.NoError(t, s.PublishProject(t.Context(), "p", p, 0))
	require.NoError(t, s.PublishEnvelope(t.Context(), "c", []score.Update{update(4)}, nil))

	r := readerFrom(t, s, 0)
	for i, want := range []score.Message{
		{Updates: []score.Update{update(1), update(2)}}, {Updates: []score.Update{update(3)}}, {Project: p}, {Updates: []score.Update{update(4)}},
	} {
		got := next(t, r)
		require.Equal(t, want.Updates, got.Updates)
		require.Equal(t, want.Project, got.Project)
		require.EqualValues(t, i+1, got.Seq)
	}
	require.EqualValues(t, 4, next(t, readerFrom(t, s, 4)).Seq)
}

func TestTheSameEnvelopePublishedTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for range 3 {
		require.NoError(t, s.PublishEnvelope(t.Context(), "same", []score.Update{update(1)}, nil))
	}
	state, err := s.State(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, state.Messages)
}

func TestAProjectIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	p := project(1)
	require.NoError(t, s.PublishProject(t.Context(), "first", p, 0))
	require.NoError(t, s.PublishProject(t.Context(), "first", p, 0), "an attempt repeated is the same message")

	other := project(1)
	other.Name = "another"
	var taken *score.TakenError
	require.ErrorAs(t, s.PublishProject(t.Context(), "second", p, 0), &taken, "another request that says the same")
	require.ErrorAs(t, s.PublishProject(t.Context(), "second", other, 0), &taken)
	require.Equal(t, p, taken.Project)
	require.EqualValues(t, 1, taken.Seq)

	foreign := project(1)
	foreign.Actions = []score.Action{{Name: "b", Points: 1}, foreign.Actions[0]}
	require.ErrorIs(t, s.PublishProject(t.Context(), "third", foreign, taken.Seq), score.ErrOtherMeaning)
	other.Actions = append(other.Actions, score.Action{Name: "b", Points: 2})
	require.NoError(t, s.PublishProject(t.Context(), "third", other, taken.Seq), "a dead-lettered creation may be replaced")
	require.ErrorAs(t, s.PublishProject(t.Context(), "fourth", project(1), taken.Seq+5), &taken)
	require.Equal(t, "another", taken.Project.Name)
}

func TestAFullStreamRefusesAndKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	s := openAt(t, connect(t, fresh.NATS(t).URL), stream.Config{Deployment: deployment, MaxBytes: 64 << 10})
	stored := 0
	var err error
	for {
		err = s.PublishEnvelope(t.Context(), time.Now().String(), make([]score.Update, 100), nil)
		if err != nil {
			break
		}
		stored++
	}
	require.ErrorIs(t, err, score.ErrFull)
	state, err := s.State(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, stored, state.Messages)
	require.NoError(t, s.Purge(t.Context(), state.LastSeq+1))
	require.NoError(t, s.PublishEnvelope(t.Context(), "after", make([]score.Update, 100), nil))
}

func TestPublishingToADeadServerIsUnknown(t *testing.T) {
	t.Parallel()
	server := fresh.NATS(t)
	js := connect(t, server.URL)
	s := openAt(t, js, stream.Config{Deployment: deployment})
	server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.PublishEnvelope(ctx, "a", []score.Update{update(1)}, nil), stream.ErrUnknown)
	require.ErrorIs(t, s.PublishProject(ctx, "p", project(1), 0), stream.ErrUnknown)
	err := stream.Setup(ctx, js, stream.Config{Deployment: deployment})
	require.ErrorContains(t, err, "couldn't find the stream")
	require.NotErrorIs(t, err, stream.ErrNotSetUp, "it may well be there")
}

func TestAReaderStopsWhenTheStreamWasMadeAgain(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	require.NoError(t, js.DeleteStream(t.Context(), stream.Name))
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: deployment}))
	_, err := s.Read(t.Context(), 0)
	require.ErrorIs(t, err, stream.ErrReplaced)
}

func TestAReaderEndsWhenItsStreamIsGone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s, js := open(t)
	require.NoError(t, s.PublishEnvelope(ctx, "a", []score.Update{update(1)}, nil))
	r := readerFrom(t, s, 0)
	next(t, r)
	require.NoError(t, js.DeleteStream(ctx, stream.Name))
	_, err := r.Next(ctx)
	require.ErrorIs(t, err, stream.ErrLost)
	require.NoError(t, stream.Setup(ctx, js, stream.Config{Deployment: deployment}))
	_, err = r.Next(ctx)
	require.ErrorIs(t, err, stream.ErrReplaced)
}

func TestAReaderStopsWaitingWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	server := fresh.NATS(t)
	s := openAt(t, connect(t, server.URL), stream.Config{Deployment: deployment})
	r := readerFrom(t, s, 0)
	server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := r.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestACorruptMessageIsHandedOverAsSuch(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	_, err := js.Publish(t.Context(), "scorelay.updates", []byte("nonsense"))
	require.NoError(t, err)
	record := next(t, readerFrom(t, s, 0))
	require.Error(t, record.Corrupt)
	require.Equal(t, []byte("nonsense"), record.Raw)
}

func TestReadAllSeesEverythingOnceAndEnds(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	require.NoError(t, s.ReadAll(t.Context(), func(score.Message) error { return errors.New("empty") }))
	var want, got []score.UpdateID
	publishMany(t, s, 0, 30)
	for n := range byte(30) {
		want = append(want, update(n).ID)
	}
	for _, m := range all(t, s) {
		got = append(got, m.Updates[0].ID)
	}
	require.Equal(t, want, got)

	for _, from := range []uint64{0, 1, 12, 30, 31, 99} {
		got = nil
		require.NoError(t, s.ReadFrom(t.Context(), from, func(r score.Message) error { got = append(got, r.Updates[0].ID); return nil }))
		require.Equal(t, len(want)-min(max(int(from), 1)-1, len(want)), len(got), "from %d", from)
	}
	enough := errors.New("enough")
	require.ErrorIs(t, s.ReadFrom(t.Context(), 1, func(score.Message) error { return enough }), enough)
}

func TestWatchProjectsTellsWhatIsThereThenWhatComes(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	require.NoError(t, s.PublishProject(t.Context(), "p", project(1), 0))
	require.NoError(t, s.AddDeadLetters(t.Context(), []score.DeadLetter{{Project: project(1), Seq: 1, Outcome: score.ProjectExists}}))
	events := make(chan stream.ProjectEvent, 16)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.WatchProjects(ctx, func(e stream.ProjectEvent) { events <- e }) }()

	var before []stream.ProjectEvent
	for e := range events {
		if e.CaughtUp {
			break
		}
		before = append(before, e)
	}
	require.ElementsMatch(t, []stream.ProjectEvent{{Seq: 1, Project: project(1)}, {Seq: 1, Project: project(1), Dead: true}}, before)
	require.NoError(t, s.PublishProject(t.Context(), "q", project(2), 0))
	require.Equal(t, stream.ProjectEvent{Seq: 2, Project: project(2)}, <-events)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestFirstSinceFindsWhereAHorizonLies(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	began := time.Now().Add(-time.Hour)
	first, err := s.FirstSince(t.Context(), began)
	require.NoError(t, err)
	require.EqualValues(t, 1, first)
	publishMany(t, s, 0, 3)
	first, err = s.FirstSince(t.Context(), began)
	require.NoError(t, err)
	require.EqualValues(t, 1, first)
	first, err = s.FirstSince(t.Context(), time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 4, first)
	at, err := s.StoredAt(t.Context(), 3)
	require.NoError(t, err)
	require.WithinRange(t, at, began, time.Now())
	_, err = s.StoredAt(t.Context(), 4)
	require.Error(t, err)
}

func TestAStreamThatEndsBeforeWhatWasReadIsNotRead(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	require.NoError(t, s.PublishEnvelope(t.Context(), "a", []score.Update{update(1)}, nil))
	_, err := s.Read(t.Context(), 3)
	require.ErrorIs(t, err, stream.ErrShorter)
	readerFrom(t, s, 2)
}
