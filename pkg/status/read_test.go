package status_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
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
			require.NoError(t, b.Bound(ctx, lane, 7, u, 1<<30, nil))
		case 1:
			require.NoError(t, b.Bound(ctx, lane, 8, u, 1<<30, nil))
		case 2:
			require.NoError(t, b.Bound(ctx, lane, 9, u, 1<<30, nil))
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

	token, _, err := b.BeginRestore(ctx)
	require.NoError(t, err)
	require.NoError(t, b.EndRestore(ctx, token))
	none, complete, err := b.Read(ctx, []score.Ref{{Project: score.ProjectID{99}}, score.CreationRef(score.ProjectID{99}), {}})
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, make([]score.Status, 3), none)
}

// TestOthersOfTheirWordsMakeNoLookUpFail: each word has ids that many transactions made final.
func TestOthersOfTheirWordsMakeNoLookUpFail(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	b.client.Timeout = time.Minute
	refs := make([]score.Ref, 256)
	for low := range 33 {
		for word := range refs {
			refs[word] = score.UpdateRef(score.ProjectID{9}, score.UpdateID{byte(word), 31: byte(low)})
			tx := common.Hash{byte(word), byte(low), 31: 1}
			require.NoError(t, b.Final(ctx, tx, 5, refs[word:word+1], []score.Outcome{score.Applied}))
		}
	}
	got, _, err := b.Read(ctx, refs)
	require.NoError(t, err)
	for word := range got {
		require.Equal(t, common.Hash{byte(word), 32, 31: 1}, got[word].Tx)
	}
}

// TestTheSaltDecidesWhereAnIDIs: a caller can't tell without it.
func TestTheSaltDecidesWhereAnIDIs(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{Salt: [16]byte{1}})
	b.accepted(t, "")
	b.is(t, score.Status{Stage: score.Accepted})
	setup(t, status.Config{Salt: [16]byte{2}}).is(t, score.Status{})
	setup(t, status.Config{Salt: [16]byte{1}}).is(t, score.Status{Stage: score.Accepted})
}
