package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestWhatIsUnfinishedIsForgotten, so that it can be claimed again; what has an outcome stays, and a restore that ran does not
// count.
func TestWhatIsUnfinishedIsForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{})
	ctx := t.Context()
	var refs []score.Ref
	for n := range 1000 {
		refs = append(refs, score.UpdateRef(score.ProjectID{1}, score.UpdateID{byte(n >> 8), byte(n)}))
	}
	creation := score.CreationRef(score.ProjectID{1})
	require.NoError(t, b.Accepted(ctx, []score.Ref{creation}, []string{""}))
	require.NoError(t, b.Accepted(ctx, refs, make([]string, len(refs))))
	require.NoError(t, b.Bound(ctx, lane, 7, refs[:500], 1<<30, nil))
	require.NoError(t, b.Slot(ctx, lane, 9, 7, score.Submitted, tx1, 0))
	require.NoError(t, b.Final(ctx, tx1, 3, refs[:2], []score.Outcome{score.Applied, score.NotMember}))
	running, _, err := b.BeginRestore(ctx)
	require.NoError(t, err)

	require.NoError(t, b.BeginForget(ctx, "earlier"))
	require.NoError(t, b.BeginForget(ctx, "loss"))
	_, err = b.ForgetUnfinished(ctx, "earlier")
	require.ErrorIs(t, err, status.ErrForgetting)
	statuses, _, err := b.Read(ctx, refs)
	require.NoError(t, err)
	for i := range statuses {
		require.NotZero(t, statuses[i])
	}
	forgotten, err := b.ForgetUnfinished(ctx, "loss")
	require.NoError(t, err)
	require.Equal(t, 999, forgotten)
	require.ErrorIs(t, b.EndRestore(ctx, running), score.ErrFoldMoved)
	var complete bool
	statuses, complete, err = b.Read(ctx, append(refs, creation))
	require.NoError(t, err)
	require.False(t, complete)
	require.Equal(t, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: tx1, Block: 3}, statuses[0])
	require.Equal(t, score.NotMember, statuses[1].Outcome)
	for _, st := range statuses[2:] {
		require.Zero(t, st)
	}
	claims, err := b.Claim(ctx, refs[:3], "t")
	require.NoError(t, err)
	require.Equal(t, []score.Claim{score.ClaimDuplicate, score.ClaimWon, score.ClaimWon}, claims)
	require.NoError(t, b.Bound(ctx, lane, 7, refs[5:6], 1<<30, nil))
	require.NoError(t, b.Slot(ctx, lane, 2, 7, score.Submitted, tx2, 0), "an older journal's epoch counts")
	statuses, _, err = b.Read(ctx, refs[5:6])
	require.NoError(t, err)
	require.Equal(t, tx2, statuses[0].Tx)
}

// TestALossIsForgottenOnce, and again where Redis does not know that it was.
func TestALossIsForgottenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{})
	ctx := t.Context()
	refs := []score.Ref{score.CreationRef(score.ProjectID{1})}
	for _, c := range []struct {
		token string
		did   bool
	}{{"loss", true}, {"loss", false}, {"another", true}, {"another", false}} {
		require.NoError(t, b.RestoreAccepted(ctx, refs))
		running, _, err := b.BeginRestore(ctx)
		require.NoError(t, err)
		if !c.did {
			require.NoError(t, b.EndRestore(ctx, running))
		}
		did, err := b.ForgetOnce(ctx, c.token)
		require.NoError(t, err)
		require.Equal(t, c.did, did)
		statuses, complete, err := b.Read(ctx, refs)
		require.NoError(t, err)
		require.Equal(t, c.did, statuses[0] == score.Status{})
		require.Equal(t, c.did, !complete)
		if c.did {
			require.ErrorIs(t, b.EndRestore(ctx, running), score.ErrFoldMoved)
		}
	}
}

func TestTheNoteOfTheSequenceOnlyRises(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{})
	for _, c := range [][2]uint64{{0, 0}, {5, 5}, {3, 5}, {1 << 40, 1 << 40}, {0, 1 << 40}} {
		got, err := b.NoteSequence(t.Context(), c[0])
		require.NoError(t, err)
		require.Equal(t, c[1], got)
	}
}
