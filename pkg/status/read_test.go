package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestManyAreReadAsOneIs: in order, also where they share a slot, repeat, or are not there.
func TestManyAreReadAsOneIs(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	refs := make([]score.Ref, 12)
	for i := range refs {
		refs[i] = score.UpdateRef(b.update.Project, score.UpdateID{byte(i)})
		if i%4 == 3 {
			refs[i] = score.CreationRef(score.ProjectID{byte(i)})
		}
		u := refs[i : i+1]
		switch i % 6 {
		case 0:
			require.NoError(t, b.Bound(ctx, lane, 7, u))
		case 1:
			require.NoError(t, b.Bound(ctx, lane, 8, u))
		case 2:
			require.NoError(t, b.Bound(ctx, lane, 9, u))
		case 3:
			require.NoError(t, b.Final(ctx, tx1, 3, u, []score.Outcome{score.Applied}))
		case 4:
			require.NoError(t, b.Accepted(ctx, u, []string{""}))
		}
	}
	require.NoError(t, b.Slot(ctx, lane, 1, 7, score.Submitted, tx1, 0))
	require.NoError(t, b.Slot(ctx, lane, 1, 8, score.Included, tx2, 5))
	refs = append(refs, refs...)
	got, complete, err := b.Read(ctx, refs)
	require.NoError(t, err)
	require.False(t, complete)
	require.Len(t, got, len(refs))
	for i, ref := range refs {
		b.has(t, ref, got[i])
	}
	require.Equal(t, []score.Status{
		{Stage: score.Submitted, Tx: tx1},
		{Stage: score.Included, Tx: tx2, Block: 5},
		{Stage: score.Batched},
		{Stage: score.Final, Tx: tx1, Block: 3},
		{Stage: score.Accepted},
		{},
	}, got[:6])

	token, err := b.BeginRestore(ctx)
	require.NoError(t, err)
	require.NoError(t, b.EndRestore(ctx, token))
	none, complete, err := b.Read(ctx, []score.Ref{{Project: score.ProjectID{99}}, score.CreationRef(score.ProjectID{99}), {}})
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, make([]score.Status, 3), none)
}
