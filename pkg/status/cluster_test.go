package status_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestOnACluster: projects are spread over the nodes, everything works, and a node that loses its data is noticed.
func TestOnACluster(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	servers, err := fresh.StartRedisCluster(t.TempDir(), 3)
	require.NoError(t, err)
	t.Cleanup(servers.Close)
	client, err := redisdb.Open(servers.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout = time.Minute
	require.True(t, client.Cluster())
	s, ctx := status.New(client, status.Config{}), t.Context()

	token, _, err := s.BeginRestore(ctx)
	require.NoError(t, err)
	require.NoError(t, s.EndRestore(ctx, token))
	var refs []score.Ref
	for project := range byte(20) {
		group := make([]score.Ref, 30)
		for i := range group {
			group[i] = score.UpdateRef(score.ProjectID{3: project}, score.UpdateID{31: byte(i)})
		}
		claims, err := s.Claim(ctx, group, "one")
		require.NoError(t, err)
		require.Equal(t, score.ClaimWon, claims[29])
		claims, err = s.Claim(ctx, group[:2], "two")
		require.NoError(t, err)
		require.Equal(t, []score.Claim{score.ClaimBusy, score.ClaimBusy}, claims)
		refs = append(append(refs, group...), score.CreationRef(score.ProjectID{3: project}))
	}
	tokens, outcomes := make([]string, len(refs)), make([]score.Outcome, len(refs))
	is := func(want score.Status) {
		t.Helper()
		statuses, complete, err := s.Read(ctx, refs)
		require.NoError(t, err)
		require.True(t, complete)
		for i := range statuses {
			require.Equal(t, want, statuses[i])
		}
	}
	require.NoError(t, s.Accepted(ctx, refs, tokens))
	require.NoError(t, s.Bound(ctx, lane, 7, refs, 1<<30, nil))
	require.NoError(t, s.Slot(ctx, lane, 1, 7, score.Included, tx2, 4))
	is(score.Status{Stage: score.Included, Tx: tx2, Block: 4})
	require.NoError(t, s.Final(ctx, tx1, 5, refs, outcomes))
	is(score.Status{Stage: score.Final, Tx: tx1, Block: 5})
	require.NoError(t, s.Sweep(ctx))
	is(score.Status{Stage: score.Final, Tx: tx1, Block: 5})
	require.NoError(t, s.BeginForget(ctx, "loss"))
	forgotten, err := s.ForgetUnfinished(ctx, "loss")
	require.NoError(t, err)
	require.Zero(t, forgotten)

	token, at, err := s.BeginRestore(ctx)
	require.NoError(t, err)
	to := token + " 7-9"
	fact := score.Fact{Refs: refs[:40], Tx: tx2, Block: 9, Outcomes: make([]score.Outcome, 40)} // of two projects
	require.NoError(t, s.Fold(ctx, at, to, []score.Fact{fact}))
	require.ErrorIs(t, s.Fold(ctx, at, to, []score.Fact{fact}), score.ErrFoldMoved)
	require.NoError(t, s.EndRestore(ctx, token))
	at, complete, err := s.Folded(ctx)
	require.NoError(t, err)
	require.True(t, complete)
	require.Len(t, at, 64)
	for i := range at {
		require.Equal(t, to, at[i], "each table has it")
	}
	statuses, _, err := s.Read(ctx, refs[:40])
	require.NoError(t, err)
	require.Equal(t, tx2, statuses[39].Tx)
	node, err := redisdb.Open(servers.Nodes[1].URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = node.Close() })
	require.NoError(t, node.FlushAll(ctx).Err())
	lost, complete, err := s.Folded(ctx)
	require.NoError(t, err)
	require.False(t, complete, "one node lost its data")
	require.Contains(t, lost, "")
	require.ErrorIs(t, s.Fold(ctx, at, token+" 8-9", nil), score.ErrFoldMoved)
}
