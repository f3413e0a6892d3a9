package stream_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func openJournal(t *testing.T) (*stream.Journal, jetstream.JetStream) {
	t.Helper()
	return openJournalAt(t, fresh.NATS(t).URL)
}

func openJournalAt(t *testing.T, url string) (*stream.Journal, jetstream.JetStream) {
	t.Helper()
	js := fresh.JetStreamAt(t, url)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{
		Deployment: score.Deployment{Lanes: 4, ChainID: 1, Contract: common.Address{1}},
	}))
	j, err := stream.OpenJournal(t.Context(), js)
	require.NoError(t, err)
	return j, js
}

// load collects what Load gives.
func load(t *testing.T, j *stream.Journal, id score.Lane) (entries []lane.Entry, last uint64) {
	t.Helper()
	last, err := j.Load(t.Context(), id, func(e lane.Entry) { entries = append(entries, e) })
	require.NoError(t, err)
	return entries, last
}

// appends is an append behind the last entry, which succeeds.
func appends(t *testing.T, j *stream.Journal, id score.Lane, last uint64, e lane.Entry) uint64 {
	t.Helper()
	last, err := j.Append(t.Context(), id, last, e)
	require.NoError(t, err)
	return last
}

func entry(epoch uint64) lane.Entry {
	return lane.Entry{Version: lane.Version, Epoch: epoch, Open: &lane.Open{Replica: "test"}}
}

func TestAppendIsCompareAndSet(t *testing.T) {
	t.Parallel()
	j, _ := openJournal(t)
	ctx := t.Context()

	entries, last := load(t, j, 3)
	require.Empty(t, entries)
	require.Zero(t, last)

	first := appends(t, j, 3, 0, entry(1))
	_, err := j.Append(ctx, 3, 0, entry(9))
	require.ErrorIs(t, err, lane.ErrFenced, "the journal is not empty any more")

	appends(t, j, 2, 0, entry(1)) // lanes do not disturb each other
	second := appends(t, j, 3, first, entry(2))
	_, err = j.Append(ctx, 3, first, entry(9))
	require.ErrorIs(t, err, lane.ErrFenced)

	entries, last = load(t, j, 3)
	require.Equal(t, second, last)
	require.Len(t, entries, 2)
	require.Equal(t, uint64(2), entries[1].Epoch)
}

func TestStateIsWhatTheEntriesLeadTo(t *testing.T) {
	t.Parallel()
	j, _ := openJournal(t)
	state, last, err := j.State(t.Context(), 3)
	require.NoError(t, err)
	require.Zero(t, last)
	require.Zero(t, state.Epoch)
	var want uint64
	for epoch := range uint64(3) {
		want = appends(t, j, 3, want, entry(epoch+1))
	}
	state, last, err = j.State(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, want, last)
	require.Equal(t, uint64(3), state.Epoch)

	bad := entry(4)
	bad.Open, bad.Settle = nil, &lane.Settle{Nonce: 7}
	appends(t, j, 3, last, bad)
	_, _, err = j.State(t.Context(), 3)
	require.ErrorIs(t, err, lane.ErrCorrupt)
}

func TestOneOfManyAppendsWins(t *testing.T) {
	t.Parallel()
	j, _ := openJournal(t)
	last := uint64(0)
	for round := range 10 {
		var mu sync.Mutex
		var wins int
		var seq uint64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				got, err := j.Append(t.Context(), 1, last, entry(uint64(round+1)))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					wins++
					seq = got
				}
			})
		}
		all.Wait()
		require.Equal(t, 1, wins)
		last = seq
	}
}

func TestPurgeKeepsTheRestAndTheFence(t *testing.T) {
	t.Parallel()
	j, _ := openJournal(t)
	ctx := t.Context()
	last := uint64(0)
	for epoch := range uint64(5) {
		last = appends(t, j, 0, last, entry(epoch+1))
	}
	require.NoError(t, j.Purge(ctx, 0, last))
	entries, got := load(t, j, 0)
	require.Equal(t, last, got)
	require.Len(t, entries, 1)
	_, err := j.Append(ctx, 0, last-1, entry(9))
	require.ErrorIs(t, err, lane.ErrFenced)
	appends(t, j, 0, last, entry(6))
}

func TestALostAcknowledgementIsAmbiguous(t *testing.T) {
	t.Parallel()
	j, _ := openJournal(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := j.Append(ctx, 0, 0, entry(1))
	require.ErrorIs(t, err, lane.ErrAmbiguous)
	require.NotErrorIs(t, err, lane.ErrFenced)
}

func TestALargeEntryFits(t *testing.T) {
	t.Parallel()
	j, _ := openJournal(t)
	e := entry(1)
	e.Open = nil
	e.Bind = &lane.Bind{Raw: []byte(strings.Repeat("x", 128<<10))}
	appends(t, j, 0, 0, e)
	entries, _ := load(t, j, 0)
	require.Equal(t, e.Bind.Raw, entries[0].Bind.Raw)
}

func TestANewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	j, js := openJournal(t)
	_, err := js.Publish(t.Context(), "journal.0", []byte(`{"v":99,"epoch":1,"open":{}}`))
	require.NoError(t, err)
	_, err = j.Load(t.Context(), 0, func(lane.Entry) {})
	require.ErrorContains(t, err, "run the program that wrote it")
	require.ErrorIs(t, err, lane.ErrUnreadable)
}

func TestAForgetfulStreamIsRefused(t *testing.T) {
	t.Parallel()
	_, js := openJournal(t)
	s, err := js.Stream(t.Context(), stream.JournalName)
	require.NoError(t, err)
	cfg := s.CachedInfo().Config
	cfg.MaxAge = time.Hour
	_, err = js.UpdateStream(t.Context(), cfg)
	require.NoError(t, err)
	_, err = stream.OpenJournal(t.Context(), js)
	require.ErrorContains(t, err, "forgets entries")
}

// conflicting is a cluster's JetStream that refuses every publish: it has a code of its own for an unmet precondition.
type conflicting struct{ jetstream.JetStream }

func (conflicting) PublishMsg(context.Context, *nats.Msg, ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	return nil, &jetstream.APIError{Code: 400, ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant}
}

func TestAClusterFencesToo(t *testing.T) {
	t.Parallel()
	_, js := openJournal(t)
	j, err := stream.OpenJournal(t.Context(), conflicting{js})
	require.NoError(t, err)
	_, err = j.Append(t.Context(), 1, 0, lane.Entry{Version: lane.Version})
	require.ErrorIs(t, err, lane.ErrFenced)
}

// TestSeenIsTheHighestSequenceThatAnyLaneSpeaksOf, after a purge and in another process, too.
func TestSeenIsTheHighestSequenceThatAnyLaneSpeaksOf(t *testing.T) {
	t.Parallel()
	j, js := openJournal(t)
	ctx := t.Context()
	seen := func(want uint64) {
		t.Helper()
		got, err := j.Seen(ctx)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	seen(0)
	last := appends(t, j, 1, 0, entry(1))
	seen(0)
	pass := func(floor score.Position) lane.Entry {
		return lane.Entry{Version: lane.Version, Epoch: 1, Pass: &lane.Pass{Moves: []lane.Move{{Floor: floor}}}}
	}
	last = appends(t, j, 1, last, pass(score.Position{Seq: 8}))
	seen(7)
	bound, err := score.PositionsOf(score.Span{Position: score.Position{Seq: 9}, Count: 1})
	require.NoError(t, err)
	bind := lane.Entry{Version: lane.Version, Epoch: 1, Bind: &lane.Bind{Moves: []lane.Move{{Bound: bound, Floor: score.Position{Seq: 8}}}}}
	last = appends(t, j, 1, last, bind)
	seen(9)
	appends(t, j, 2, 0, pass(score.Position{Seq: 5, Index: 3}))
	seen(9)
	last = appends(t, j, 1, last, lane.Entry{Version: lane.Version, Epoch: 1, Settle: &lane.Settle{}})
	require.NoError(t, j.Purge(ctx, 1, last))
	j, err = stream.OpenJournal(ctx, js)
	require.NoError(t, err)
	seen(9)
	_, last = load(t, j, 1)
	appends(t, j, 1, last, entry(2))
	seen(9)
}

func TestLoadsLeaveNothingAtTheServer(t *testing.T) {
	t.Parallel()
	j, js := openJournal(t)
	appends(t, j, 0, 0, entry(1))
	for range 5 {
		load(t, j, 0)
	}
	s, err := js.Stream(t.Context(), stream.JournalName)
	require.NoError(t, err)
	info, err := s.Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info.State.Consumers, "it keeps a thousand of a stream at most")
}
