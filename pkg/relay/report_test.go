package relay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

func newReporterOn(store Statuses, state *lane.State) *reporter {
	failures, config := newMetrics(prometheus.NewRegistry()).statusFails, Config{}.withDefaults()
	r := newReporter(0, &config, store, lane.New(state, lane.Rules{}), func(context.Context) error { return nil }, failures)
	r.generation = "restore1" // of a session that began some time ago
	return r
}

// newGeneration is a store that is complete.
func newGeneration(t *testing.T) *simStatuses {
	t.Helper()
	store := newSimStatuses()
	token, at, err := store.BeginRestore(t.Context())
	require.NoError(t, err)
	require.NoError(t, store.Fold(t.Context(), at, token+" 0", nil))
	require.NoError(t, store.EndRestore(t.Context(), token))
	return store
}

// carrying is a transaction with this calldata.
func carrying(t *testing.T, data []byte) []byte {
	t.Helper()
	raw, err := types.MustSignNewTx(simKeys()[0], types.HomesteadSigner{}, &types.LegacyTx{To: &common.Address{1}, Data: data}).MarshalBinary()
	require.NoError(t, err)
	return raw
}

// ofSlot is the update of a slot of open.
func ofSlot(nonce uint64) score.Ref {
	return score.UpdateRef(score.ProjectID{1}, score.UpdateID{byte(nonce), byte(nonce >> 8)})
}

func slotTx(nonce uint64) common.Hash { return common.Hash{1, byte(nonce), byte(nonce >> 8)} }

// open is a lane with so many open slots, of one update each.
func open(t *testing.T, slots uint64) *lane.State {
	t.Helper()
	state := &lane.State{Next: slots}
	for nonce := range slots {
		of := ofSlot(nonce)
		data := registry.EncodeBatch(batch.Single(score.Update{Project: of.Project, ID: of.Update}))
		state.Slots = append(state.Slots, lane.Slot{
			Nonce: nonce, Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{Raw: carrying(t, data), Hash: slotTx(nonce)}},
		})
	}
	return state
}

// edited is a slot that carries an edit.
func edited(t *testing.T, nonce uint64) (lane.Slot, score.Ref) {
	t.Helper()
	e := &score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: score.ProjectID{2}, Nonce: nonce}}
	return lane.Slot{
		Nonce: nonce, Work: lane.Work{Kind: lane.Edit, Count: 1, Project: &e.Project},
		Attempts: []lane.Attempt{{Raw: carrying(t, registry.EncodeEdit(e)), Hash: slotTx(nonce)}},
	}, e.Ref()
}

// TestReportsThatFailAreMadeLater, from the first slot on of which one failed, with what is so by then; those that the store took are not made
// again, and one that slots do not tell is dropped.
func TestReportsThatFailAreMadeLater(t *testing.T) {
	t.Parallel()
	for name, persists := range map[string]bool{"failed": false, "failed, but persisted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store := t.Context(), newGeneration(t)
			r := newReporterOn(store, open(t, 4))
			r.bound(ctx, 0)
			away, calls := true, 0
			store.fault = func(what string) (before, after error) {
				if what == "bound" {
					calls++
				}
				if away && persists {
					return nil, errSimAway
				} else if away {
					return errSimAway, nil
				}
				return nil, nil
			}
			r.bound(ctx, 1)
			r.bound(ctx, 2)
			r.stage(ctx, lane.Report{Nonce: 0, Stage: score.Submitted, Tx: slotTx(0)})
			r.bound(ctx, 3)
			r.released(ctx, 9, []score.Ref{ofSlot(9)})
			require.True(t, r.pending())
			require.NoError(t, r.replay(ctx))
			require.True(t, r.pending())
			require.LessOrEqual(t, calls, 2, "a store that is away is asked for one slot")
			away, calls = false, 0
			r.lane.State.Slots = r.lane.State.Slots[:3] // as if nonce 3 had been given up
			require.NoError(t, r.replay(ctx))
			require.False(t, r.pending())
			require.Equal(t, 3, calls)
			for nonce := range uint64(3) {
				require.GreaterOrEqual(t, store.of(ofSlot(nonce)).Stage, score.Batched)
			}
			calls = 0
			require.NoError(t, r.replay(ctx))
			require.Zero(t, calls)
		})
	}
}

// TestAllSlotsAreReportedAgain when a session begins, and when the store lost what it was told; so are edits that were made, which no other
// process tells of.
func TestAllSlotsAreReportedAgain(t *testing.T) {
	t.Parallel()
	ctx, store, state := t.Context(), newGeneration(t), open(t, 3)
	past, edit := edited(t, 7)
	state.Past = []lane.Past{{Slot: lane.Slot{Nonce: 6, Work: lane.Work{Kind: lane.NonceOnly}}}, {Slot: past, Tx: slotTx(7), Block: evidence.Ref{Number: 30}}}
	check := func() {
		t.Helper()
		for nonce := range uint64(3) {
			require.Equal(t, score.Batched, store.of(ofSlot(nonce)).Stage)
		}
		require.Equal(t, score.Status{Stage: score.Final, Tx: slotTx(7), Block: 30}, store.of(edit))
	}
	r := newReporterOn(store, state)
	r.resume()
	require.True(t, r.pending())
	r.bound(ctx, 2) // comes with the others
	require.Equal(t, score.Status{}, store.of(ofSlot(2)))
	require.NoError(t, r.replay(ctx))
	check()

	store.flush()
	require.NoError(t, r.replay(ctx))
	check()
	token, at, err := store.BeginRestore(ctx)
	require.NoError(t, err)
	store.records = map[score.Ref]simRecord{}
	require.NoError(t, store.Fold(ctx, at, token+" 1", nil))
	require.NoError(t, r.replay(ctx))
	require.Equal(t, score.Status{}, store.of(ofSlot(0)), "no other restore is complete yet")
	require.NoError(t, store.EndRestore(ctx, token))
	require.NoError(t, r.replay(ctx))
	check()
	require.False(t, r.pending())
}

// TestALaneThatIsLostReportsNothingLate: that would undo what its successor reported.
func TestALaneThatIsLostReportsNothingLate(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), newGeneration(t)
	r := newReporterOn(store, open(t, 1))
	r.resume()
	for _, fenced := range []error{lane.ErrFenced, errSimAway, nil} {
		r.fenced = func(context.Context) error { return fenced }
		if err := r.replay(ctx); errors.Is(fenced, lane.ErrFenced) {
			require.ErrorIs(t, err, lane.ErrFenced)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, fenced == nil, store.of(ofSlot(0)).Stage == score.Batched)
	}
}

// TestSlotsThatAreOpenAgainAreReportedAtEachHead, since the ledger may take back later what their transactions did; what edits came to the lane
// itself takes back.
func TestSlotsThatAreOpenAgainAreReportedAtEachHead(t *testing.T) {
	t.Parallel()
	ctx, store, state := t.Context(), newGeneration(t), open(t, 2)
	slot, edit := edited(t, 2)
	state.Slots, state.Next = append(state.Slots, slot), 3
	for i := range state.Slots {
		state.Slots[i].Reopened = true
	}
	fact := score.Fact{Refs: []score.Ref{ofSlot(0), ofSlot(1)}, Outcomes: []score.Outcome{score.Applied, score.NotMember}, Tx: slotTx(0), Block: 9, Letter: true}
	store.fact(&fact)
	require.NoError(t, store.Final(ctx, slotTx(2), 9, []score.Ref{edit}, []score.Outcome{score.Applied}))
	r := newReporterOn(store, state)
	require.NoError(t, r.replay(ctx))
	require.Equal(t, score.Final, store.of(ofSlot(0)).Stage, "the ledger tells")
	require.Equal(t, score.Batched, store.of(edit).Stage)
	store.fact(&score.Fact{Refs: fact.Refs, Tx: slotTx(0), Gone: true})
	require.NoError(t, r.replay(ctx))
	require.Equal(t, score.Batched, store.of(ofSlot(0)).Stage)
	require.Equal(t, score.Batched, store.of(ofSlot(1)).Stage)
	require.False(t, r.pending())
}

// TestWhatALaterSlotRejectedIsNoEarlierTrys, though its block is not above the newest final one of when the slot was bound: that one was replaced.
func TestWhatALaterSlotRejectedIsNoEarlierTrys(t *testing.T) {
	t.Parallel()
	store, state := newGeneration(t), open(t, 2)
	state.Slots[0].Final, state.Slots[1].Final = 16, 16
	store.fact(&score.Fact{Refs: []score.Ref{ofSlot(0)}, Outcomes: []score.Outcome{score.UnknownAction}, Tx: slotTx(1), Block: 16, Letter: true})
	r := newReporterOn(store, state)
	r.resume()
	require.NoError(t, r.replay(t.Context()))
	require.Equal(t, score.Status{Stage: score.Final, Outcome: score.UnknownAction, Tx: slotTx(1), Block: 16}, store.of(ofSlot(0)))
	require.Equal(t, score.Batched, store.of(ofSlot(1)).Stage)
}

// distant is a status store each of whose answers takes a while, as one in another data centre, or one that many lanes ask at once.
type distant struct {
	*simStatuses
	takes time.Duration
	bound int
}

func (d *distant) Bound(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.takes):
	}
	d.bound++
	return d.simStatuses.Bound(ctx, id, nonce, refs, final, txs)
}

// TestLateReportsToADistantStoreComeToAnEnd, a part at each head, none twice. The clock is the bubble's.
func TestLateReportsToADistantStoreComeToAnEnd(t *testing.T) {
	t.Parallel()
	const slots, takes = 1024, 2500 * time.Microsecond
	synctest.Test(t, func(t *testing.T) {
		store := &distant{simStatuses: newGeneration(t), takes: takes}
		r := newReporterOn(store, open(t, slots))
		r.resume()
		heads := 0
		for ; r.pending(); heads++ {
			require.Less(t, heads, 8)
			began, before := time.Now(), store.bound
			require.NoError(t, r.replay(t.Context()))
			require.LessOrEqual(t, time.Since(began), reportHold+takes, "a head is not held for long")
			require.Greater(t, store.bound, before, "each head gets some further")
		}
		require.Greater(t, heads, 1)
		require.Equal(t, slots, store.bound)
	})
}
