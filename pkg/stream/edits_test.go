package stream_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func edit(nonce uint64, member byte) *score.SignedEdit {
	return &score.SignedEdit{
		ProjectEdit: score.ProjectEdit{
			Project: project(1).ID, Nonce: nonce, Deadline: 1_800_000_000,
			Edits: []score.Edit{{Operation: score.AddUpdater, Member: common.Address{member}}},
		},
		Owner: common.Address{7}, Signature: score.GroupSignature{1, 63: 2},
	}
}

// TestAnEditIsAcceptedOnce for each nonce of a project, until it is a dead letter.
func TestAnEditIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx, first := t.Context(), edit(0, 1)
	none, _, err := s.Edit(ctx, first.Ref())
	require.NoError(t, err)
	require.Nil(t, none)
	require.NoError(t, s.PublishProject(ctx, "p", project(1), 0), "a creation has another subject")
	require.NoError(t, s.PublishEdit(ctx, "a", first, score.Traced{Trace: score.Trace{1, 23: 1}}))
	require.NoError(t, s.PublishEdit(ctx, "a", first), "an attempt repeated is the same message")
	require.NoError(t, s.PublishEdit(ctx, "b", edit(1, 1)), "another nonce is another edit")

	var taken *score.EditTakenError
	require.ErrorAs(t, s.PublishEdit(ctx, "c", first), &taken, "another request that says the same")
	require.True(t, taken.Edit.Same(first))
	require.ErrorAs(t, s.PublishEdit(ctx, "d", edit(0, 2)), &taken)
	require.True(t, taken.Edit.Same(first))
	require.False(t, taken.Edit.Same(edit(0, 2)))
	require.Equal(t, uint64(2), taken.Seq)

	letter := score.DeadLetter{Seq: taken.Seq, Edit: taken.Edit, Outcome: score.EditExpired, Reason: "too late"}
	require.NoError(t, s.AddDeadLetters(ctx, []score.DeadLetter{letter, letter}))
	_, dead, err := s.Edit(ctx, first.Ref())
	require.NoError(t, err)
	require.Equal(t, "too late", dead.Reason)
	require.Len(t, lettersOf(t, s), 1)
	require.NoError(t, s.PublishEdit(ctx, "e", edit(0, 2)), "a dead letter's nonce is free")
	found, dead, err := s.Edit(ctx, first.Ref())
	require.NoError(t, err)
	require.Nil(t, dead, "what replaced it is none")
	require.True(t, found.Same(edit(0, 2)))
	require.ErrorAs(t, s.PublishEdit(ctx, "f", first), &taken)

	read := all(t, s)
	require.Len(t, read, 4)
	require.Equal(t, first, read[1].Edit)
	require.Equal(t, []score.Traced{{Trace: score.Trace{1, 23: 1}}}, read[1].Traces)
	require.Equal(t, edit(1, 1), read[2].Edit)
}

// TestEditsAreNoCreations to those who watch these.
func TestEditsAreNoCreations(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	require.NoError(t, s.PublishEdit(t.Context(), "a", edit(0, 1)))
	require.NoError(t, s.PublishProject(t.Context(), "p", project(1), 0))
	told := make(chan stream.ProjectEvent, 8)
	go func() { _ = s.WatchProjects(t.Context(), func(e stream.ProjectEvent) { told <- e }) }()
	first, second := <-told, <-told
	require.Equal(t, project(1).ID, first.Project.ID)
	require.True(t, second.CaughtUp)
}
