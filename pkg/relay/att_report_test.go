package relay

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// distant is a status store each of whose answers takes a while, as one in another data centre, or one that many lanes ask at once.
type distant struct {
	*simStatuses
	takes    time.Duration
	released int
}

func (d *distant) Released(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.takes):
	}
	d.released++
	return d.simStatuses.Released(ctx, id, nonce, refs)
}

// A lane that has settled as many slots as its journal keeps takes them all back in one write, which has 2 s.
func TestWhatIsTakenBackFromADistantStoreComesToAnEnd(t *testing.T) {
	state := &lane.State{Ends: 2000}
	for nonce := range uint64(1024) {
		raw := carrying(t, registry.EncodeBatch(batch.Single(score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{byte(nonce), byte(nonce >> 8)}})))
		tx := common.Hash{1, byte(nonce), byte(nonce >> 8)}
		state.Past = append(state.Past, lane.Past{Slot: lane.Slot{
			Nonce: nonce, Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{Raw: raw, Hash: tx}},
		}, Tx: tx})
	}
	state.Next = 1024
	store := &distant{simStatuses: newSimStatuses(), takes: 2500 * time.Microsecond}
	r := newReporterOn(store, state)
	r.fenced = func(context.Context) error { return nil }
	store.reported[0] = 1990 // Redis was killed and forgot its last second

	require.NoError(t, r.replay(t.Context())) // a head
	for head := range 4 {
		if !r.writer.Pending() {
			break
		}
		began := time.Now()
		require.NoError(t, r.replay(t.Context()))
		t.Logf("head %d: the lane stood still for %v, took back %d in all", head, time.Since(began), store.released)
	}
	later := score.Ref{Project: score.ProjectID{1}, Update: score.UpdateID{9}}
	r.final(t.Context(), common.Hash{2}, 30, []score.Ref{later}, []score.Outcome{score.Applied})
	require.False(t, store.complete, "a restore was requested")
	require.Equal(t, score.Final, store.of(later).Stage, "statuses are written again")
}

// A restore (of another relayer, or of one whose lane lags) read a final block in which the open slot's transaction applied the update; then
// the chain lost that block, and in the new one the very same transaction rejects it: its project, or its signer's role, is gone with the reorg.
func TestWhatALostBlockSaidOfTheSameTransactionIsTakenBack(t *testing.T) {
	own := score.Update{Project: score.ProjectID{1}}
	raw, tx := carrying(t, registry.EncodeBatch(batch.Single(own))), common.Hash{1}
	slot := &lane.Slot{Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{Raw: raw, Hash: tx}}}
	refs := []score.Ref{own.Ref()}

	store := newSimStatuses()
	r := newReporterOn(store, &lane.State{})
	require.NoError(t, store.final("event", tx, 29, refs, []score.Outcome{score.Applied}))
	require.NoError(t, r.replaced(t.Context(), slot, &lane.Settle{Tx: tx, Result: lane.Done}))
	r.final(t.Context(), tx, 31, refs, []score.Outcome{score.NotMember})
	require.Equal(t, score.NotMember, store.of(refs[0]).Outcome, "it never was applied, and its sender may send it again")

	store = newSimStatuses() // likewise, of one that overtook its project and goes again
	r = newReporterOn(store, &lane.State{})
	require.NoError(t, store.final("event", tx, 29, refs, []score.Outcome{score.Applied}))
	require.NoError(t, r.replaced(t.Context(), slot, &lane.Settle{Tx: tx, Result: lane.Done}))
	r.released(t.Context(), 0, refs)
	require.Equal(t, score.Accepted, store.of(refs[0]).Stage)
}
