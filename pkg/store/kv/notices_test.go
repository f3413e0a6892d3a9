package kv

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestNotices: what one process posts another sees, of each pair of lanes the newest; what cannot be read, or is deleted, counts for nothing.
func TestNotices(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	js := fresh.JetStream(t)
	_, err := OpenNotices(ctx, js, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "scorelay setup")
	setUp(t, js)
	open := func() *Notices {
		b, err := OpenNotices(ctx, js, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		go func() { _ = b.Run(ctx) }()
		return b
	}
	await := func(b *Notices, from, to score.Lane, want lane.Notice) {
		t.Helper()
		deadline := time.After(2 * time.Minute)
		for {
			changed := b.Changed()
			if b.Posted(from, to) == want {
				return
			}
			select {
			case <-changed:
			case <-deadline:
				t.Fatalf("the board shows %+v", b.Posted(from, to))
			}
		}
	}
	first := open()
	require.NoError(t, first.Post(ctx, 1, 12, lane.Notice{Given: 1}))
	require.NoError(t, first.Post(ctx, 1, 12, lane.Notice{Given: 2, Took: 7}))
	require.NoError(t, first.Post(ctx, 11, 2, lane.Notice{Given: 3}))
	second := open()
	for _, b := range []*Notices{first, second} {
		await(b, 1, 12, lane.Notice{Given: 2, Took: 7})
		await(b, 11, 2, lane.Notice{Given: 3})
		require.Zero(t, b.Posted(12, 1))
	}
	kv, err := js.KeyValue(ctx, noticesBucket)
	require.NoError(t, err)
	_, err = kv.Put(ctx, "1.12", []byte("nonsense"))
	require.NoError(t, err)
	require.NoError(t, kv.Delete(ctx, "11.2"))
	await(second, 1, 12, lane.Notice{})
	await(second, 11, 2, lane.Notice{})
	require.NoError(t, second.Post(ctx, 1, 12, lane.Notice{Given: 3}))
	await(first, 1, 12, lane.Notice{Given: 3})
}
