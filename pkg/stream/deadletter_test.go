package stream_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func lettersOf(t *testing.T, s *stream.Stream) (got []score.DeadLetter) {
	t.Helper()
	require.NoError(t, s.DeadLetters(t.Context(), func(d score.DeadLetter) error {
		got = append(got, d)
		return nil
	}))
	return got
}

func TestDeadLettersAreKeptOncePerThing(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u := update(1)
	require.NoError(t, s.PublishEnvelope(t.Context(), "a", []score.Update{u}, nil))
	letters := []score.DeadLetter{
		{Lane: 1, Seq: 1, Update: &u, Outcome: score.NotMember, Reason: "first", Tx: common.Hash{1}},
		{Lane: 1, Seq: 1, Update: &u, Outcome: score.NotMember, Reason: "again", Tx: common.Hash{1}},
		{Lane: 2, Project: project(3), Seq: 4, Outcome: score.ProjectExists},
		{Lane: 2, Raw: []byte("x"), Seq: 5, Outcome: score.Unprocessable},
	}
	for _, d := range letters {
		require.NoError(t, s.AddDeadLetters(t.Context(), []score.DeadLetter{d}))
	}
	got := lettersOf(t, s)
	require.Len(t, got, 3)
	require.Equal(t, "again", got[0].Reason)
	require.Equal(t, &u, got[0].Update)
	require.Equal(t, uint64(1), got[0].Until)
	require.Equal(t, project(3), got[1].Project)
	require.Equal(t, []byte("x"), got[2].Raw)

	ids := map[string]bool{}
	for _, d := range got {
		ids[d.ID] = true
	}
	require.Len(t, ids, 3, "each has an id of its own")
}

// TestWhatWasAcceptedUnderOneUpdateIDHasLettersOfItsOwn: also if all came in one batch.
func TestWhatWasAcceptedUnderOneUpdateIDHasLettersOfItsOwn(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u := update(1)
	others := []score.Update{u, u, u, u, u}
	others[1].Signer[3], others[2].Target[3], others[3].Action, others[4].ScoreType = 1, 1, 1, 1
	letters := []score.DeadLetter{{Lane: 1, Seq: 7, Update: &u, Signed: true, Outcome: score.Unprocessable}}
	for i := range others {
		letters = append(letters, score.DeadLetter{Lane: 1, Seq: 7, Update: &others[i], Outcome: score.Unprocessable})
	}
	for range 2 {
		require.NoError(t, s.AddDeadLetters(t.Context(), letters))
	}
	got := lettersOf(t, s)
	require.Len(t, got, 6)
	for i, d := range got {
		require.Equal(t, letters[i].Update, d.Update)
		require.Equal(t, letters[i].Signed, d.Signed)
	}
	one := got[2]
	require.True(t, strings.HasPrefix(one.ID, fmt.Sprintf("1.update.%x.%x.", u.Project[:], u.ID[:])), one.ID)
	require.NoError(t, s.MarkReplayed(t.Context(), one, time.Now()))
	marked := lettersOf(t, s)
	require.Len(t, marked, 6)
	require.Equal(t, one.ID, marked[5].ID, "the mark is the newest")
}

// rejected are letters that the contract's events make up for.
func rejected(n int) []score.DeadLetter {
	letters := make([]score.DeadLetter, n)
	for i := range letters {
		u := update(2)
		binary.BigEndian.PutUint32(u.ID[28:], uint32(i))
		letters[i] = score.DeadLetter{
			Lane: 1, Seq: 1, Time: time.Now().UTC(), Update: &u, Outcome: score.NotMember, Tx: common.Hash{1},
			Reason: "the signer was neither owner nor updater of the project when the update was executed",
		}
	}
	return letters
}

func setting(t *testing.T, js jetstream.JetStream, name string, change func(*jetstream.StreamConfig)) {
	t.Helper()
	raw, err := js.Stream(t.Context(), name)
	require.NoError(t, err)
	cfg := raw.CachedInfo().Config
	change(&cfg)
	_, err = js.UpdateStream(t.Context(), cfg)
	require.NoError(t, err)
}

func TestAFloodOfRejectionsPushesOutNothingElse(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	for _, name := range []string{stream.RejectedName, stream.DeadLettersName} {
		setting(t, js, name, func(c *jetstream.StreamConfig) { c.MaxBytes = 100 << 10 })
	}
	u := []score.Update{update(1), update(2), update(3)}
	only := []score.DeadLetter{
		{Lane: 1, Seq: 1, Update: &u[0], Outcome: score.Unprocessable},
		{Lane: 1, Seq: 1, Update: &u[1], Outcome: score.UnknownProject, Tx: common.Hash{1}},
		{Lane: 1, Seq: 1, Update: &u[2], Outcome: score.NotMember},
		{Lane: 1, Seq: 2, Project: project(1), Outcome: score.ProjectExists},
		{Lane: 1, Seq: 3, Raw: []byte("x"), Outcome: score.Unprocessable},
	}
	require.NoError(t, s.AddDeadLetters(t.Context(), only))
	require.NoError(t, s.AddDeadLetters(t.Context(), rejected(1500)))
	got := lettersOf(t, s)
	require.Less(t, len(got), 500)
	for i, want := range only {
		require.Equal(t, want.Outcome, got[i].Outcome)
		require.Equal(t, want.Update, got[i].Update)
	}
	require.EqualValues(t, 1499, binary.BigEndian.Uint32(got[len(got)-1].Update.ID[28:]), "the newest is there")
}

func TestDeadLettersOfBothStreamsAreReadOldestFirst(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	letters := rejected(20)
	for i := range letters[:10] {
		letters[i].Outcome = score.Unprocessable
	}
	require.NoError(t, s.AddDeadLetters(t.Context(), letters[:10]))
	require.NoError(t, s.AddDeadLetters(t.Context(), letters[10:]))
	got := lettersOf(t, s)
	require.Len(t, got, 20)
	for i, d := range got {
		require.Equal(t, letters[i].Update, d.Update)
		require.NoError(t, s.MarkReplayed(t.Context(), d, time.Now()))
	}
	marked := lettersOf(t, s)
	require.Len(t, marked, 20)
	for i, d := range marked {
		require.Equal(t, got[i].ID, d.ID, "oldest first, over both streams")
		require.NotZero(t, d.Replayed)
	}
	for _, name := range []string{stream.DeadLettersName, stream.RejectedName} {
		raw, err := js.Stream(t.Context(), name)
		require.NoError(t, err)
		require.EqualValues(t, 10, raw.CachedInfo().State.Msgs)
		require.True(t, raw.CachedInfo().Config.AllowAtomicPublish)
	}
}

func TestDeadLettersThatAreNotTakenAtOnceAreStoredOneByOne(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	setting(t, js, stream.RejectedName, func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = false })
	require.NoError(t, s.AddDeadLetters(t.Context(), rejected(20)))
	require.Len(t, lettersOf(t, s), 20)
	require.NoError(t, js.DeleteStream(t.Context(), stream.RejectedName))
	require.Error(t, s.AddDeadLetters(t.Context(), rejected(2)))
}

func TestDeadLettersAreReadUntilTheReaderFails(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	require.NoError(t, s.AddDeadLetters(t.Context(), rejected(3)))
	enough, n := errors.New("enough"), 0
	require.ErrorIs(t, s.DeadLetters(t.Context(), func(score.DeadLetter) error {
		n++
		return enough
	}), enough)
	require.Equal(t, 1, n)
}

// TestAReplayedDeadLetterStays: it is the outcome of an acceptance, and so is the next one of the same update.
func TestAReplayedDeadLetterStays(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u := update(1)
	id := "1.update." + u.Project.String()[2:] + "." + u.ID.String()[2:]
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for round := uint64(1); round <= 3; round++ {
		require.NoError(t, s.PublishEnvelope(t.Context(), time.Unix(int64(round), 0).String(), []score.Update{u}, nil))
		letter := []score.DeadLetter{{Lane: 1, Seq: round, Work: round, Update: &u, Outcome: score.Unprocessable}}
		require.NoError(t, s.AddDeadLetters(t.Context(), letter))
		require.NoError(t, s.AddDeadLetters(t.Context(), letter), "the lane crashed and says it again")

		letters := lettersOf(t, s)
		newest := letters[len(letters)-1]
		require.True(t, strings.HasPrefix(newest.ID, id), newest.ID)
		require.Equal(t, round, newest.Seq)
		require.Equal(t, round, newest.Until)
		require.Zero(t, newest.Replayed)
		for range 2 {
			require.NoError(t, s.MarkReplayed(t.Context(), newest, at))
		}
		got := lettersOf(t, s)
		require.Len(t, got, int(round))
		for _, d := range got {
			require.Equal(t, at, d.Replayed)
			require.Equal(t, d.Seq, d.Until)
		}
	}
}
