package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestManyUpdatesAreReadAsOneIs: in order, also where they share a slot, repeat, or are not there.
func TestManyUpdatesAreReadAsOneIs(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	ids := make([]score.UpdateID, 12)
	for i := range ids {
		ids[i] = score.UpdateID{byte(i)}
		u := []score.Update{{Project: b.update.Project, ID: ids[i]}}
		switch i % 6 {
		case 0:
			require.NoError(t, b.Bound(ctx, lane, 7, u))
		case 1:
			require.NoError(t, b.Bound(ctx, lane, 8, u))
		case 2:
			require.NoError(t, b.Bound(ctx, lane, 9, u))
		case 3:
			require.NoError(t, b.Final(ctx, lane, 6, tx1, 3, u, []score.Outcome{score.Applied}))
		case 4:
			require.NoError(t, b.Accepted(ctx, u))
		}
	}
	require.NoError(t, b.Slot(ctx, lane, 7, score.Submitted, tx1, 0))
	require.NoError(t, b.Slot(ctx, lane, 8, score.Included, tx2, 5))
	ids = append(ids, ids...)
	got, complete, err := b.Updates(ctx, b.update.Project, ids)
	require.NoError(t, err)
	require.False(t, complete)
	require.Len(t, got, len(ids))
	for i, id := range ids {
		want, err := b.Update(ctx, b.update.Project, id)
		require.NoError(t, err)
		require.Equal(t, want, got[i], i)
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
	none, complete, err := b.Updates(ctx, score.ProjectID{9}, ids[:3])
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, make([]score.Status, 3), none)
	require.NoError(t, b.client.Set(ctx, t.Name()+":u:"+string(b.update.Project[:])+string(ids[5][:]), "x", 0).Err())
	_, complete, err = b.Updates(ctx, b.update.Project, ids)
	require.Error(t, err)
	require.False(t, complete)
}
