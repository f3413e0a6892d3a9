package stream_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func lettersOf(t *testing.T, s *stream.Stream) (got []stream.DeadLetter) {
	t.Helper()
	require.NoError(t, s.DeadLetters(t.Context(), func(d stream.DeadLetter) error {
		got = append(got, d)
		return nil
	}))
	return got
}

func TestDeadLettersAreKeptOncePerThing(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u := update(1)
	require.NoError(t, s.PublishEnvelope(t.Context(), 1, "a", []score.Update{u}, nil))
	letters := []stream.DeadLetter{
		{Lane: 1, Seq: 1, Update: &u, Outcome: score.NotMember, Reason: "first", Tx: common.Hash{1}},
		{Lane: 1, Seq: 1, Update: &u, Outcome: score.NotMember, Reason: "again"},
		{Lane: 2, Project: project(3), Seq: 4, Outcome: score.ProjectExists},
		{Lane: 2, Raw: []byte("x"), Seq: 5, Outcome: score.Unprocessable},
	}
	for _, d := range letters {
		require.NoError(t, s.AddDeadLetter(t.Context(), d))
	}
	got := lettersOf(t, s)
	require.Len(t, got, 3)
	require.Equal(t, "again", got[0].Reason)
	require.Equal(t, &u, got[0].Update)
	require.Equal(t, uint64(1), got[0].Until)
	require.Equal(t, project(3), got[1].Project)
	require.Equal(t, []byte("x"), got[2].Raw)

	one, err := s.DeadLetter(t.Context(), got[0].ID)
	require.NoError(t, err)
	require.Equal(t, got[0], one)
	_, err = s.DeadLetter(t.Context(), got[0].ID+"0")
	require.ErrorIs(t, err, stream.ErrNoDeadLetter)
}

// TestAReplayedDeadLetterStays: it is the outcome of an acceptance, and so is the next one of the same update.
func TestAReplayedDeadLetterStays(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	u := update(1)
	id := "1.update." + u.Project.String()[2:] + "." + u.ID.String()[2:]
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for round := uint64(1); round <= 3; round++ {
		require.NoError(t, s.PublishEnvelope(t.Context(), 1, time.Unix(int64(round), 0).String(), []score.Update{u}, nil))
		letter := stream.DeadLetter{Lane: 1, Seq: round, Update: &u, Outcome: score.Unprocessable}
		require.NoError(t, s.AddDeadLetter(t.Context(), letter))
		require.NoError(t, s.AddDeadLetter(t.Context(), letter), "the lane crashed and says it again")

		newest, err := s.DeadLetter(t.Context(), id)
		require.NoError(t, err)
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
