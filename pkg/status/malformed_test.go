package status_test

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestATableThatAnotherProgramWroteTo: values of other types, cut off, or with other bytes in them end no process and hold nothing up; a call
// answers all that it was asked for, or an error. Redis counts as well meanwhile: other tables are served. When the key is deleted, the
// store works again.
func TestATableThatAnotherProgramWroteTo(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	b.client.Timeout = 10 * time.Second
	key := b.Table(0)
	draw := testrand.New(t)
	refs := make([]score.Ref, 40)
	for i := range refs {
		refs[i] = score.UpdateRef(b.update.Project, score.UpdateID{byte(i / 8), 31: byte(3 * i)})
	}
	fill := func() map[string]string {
		t.Helper()
		require.NoError(t, b.client.Del(ctx, key).Err())
		_, err := b.Claim(ctx, refs[:10], status.NewToken())
		require.NoError(t, err)
		require.NoError(t, b.Accepted(ctx, refs[10:20], make([]string, 10)))
		require.NoError(t, b.Bound(ctx, lane, 7, refs[20:30], 1<<30, nil))
		require.NoError(t, b.Slot(ctx, lane, 1, 7, score.Included, tx2, 9))
		require.NoError(t, b.Final(ctx, tx1, 3, refs[30:], make([]score.Outcome, 10)))
		fields, err := b.client.HGetAll(ctx, key).Result()
		require.NoError(t, err)
		return fields
	}
	wrong := 0
	use := func() {
		t.Helper()
		claims, err := b.Claim(ctx, refs, status.NewToken())
		if wrong += count(t, err); err == nil {
			require.Len(t, claims, len(refs))
		}
		statuses, _, err := b.Read(ctx, refs)
		if wrong += count(t, err); err == nil {
			require.Len(t, statuses, len(refs))
		}
		wrong += count(t, b.Accepted(ctx, refs[:3], make([]string, 3))) + count(t, b.Bound(ctx, lane, 8, refs[:9], 1<<30, []common.Hash{tx1})) +
			count(t, b.Final(ctx, tx2, 4, refs[5:25], make([]score.Outcome, 20))) + count(t, b.Sweep(ctx)) + count(t, b.Release(ctx, refs, "token"))
		_, _, err = b.Folded(ctx)
		wrong += count(t, err)
	}

	for range 150 {
		fields := fill()
		for field, value := range fields {
			if draw.IntN(2) == 0 {
				continue
			}
			raw := []byte(value)
			switch draw.IntN(4) {
			case 0:
				raw = raw[:draw.IntN(len(raw)+1)]
			case 1:
				raw[draw.IntN(len(raw))] ^= byte(1 + draw.IntN(255))
			case 2:
				raw = make([]byte, draw.IntN(60))
				for i := range raw {
					raw[i] = byte(draw.UintN(256))
				}
			case 3:
				raw = append(raw, byte(draw.UintN(256)))
			}
			require.NoError(t, b.client.HSet(ctx, key, field, raw).Err())
		}
		use()
	}
	require.NoError(t, b.client.Del(ctx, key).Err())
	require.NoError(t, b.client.Set(ctx, key, "garbage", 0).Err())
	before := wrong
	use()
	require.Equal(t, before+8, wrong, "each call says so")
	fill()
	use()
	require.Equal(t, before+8, wrong, "nothing is left of it")
	require.NoError(t, b.client.Call(ctx, func(context.Context) error { return nil }), "Redis was not taken for down")
}

// count counts an error, which must not have Redis taken for down.
func count(t *testing.T, err error) int {
	t.Helper()
	require.NotErrorIs(t, err, redisdb.ErrDown)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	if err == nil {
		return 0
	}
	return 1
}
