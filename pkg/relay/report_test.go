package relay

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

func resumed(t *testing.T, reported, ends uint64) *simStatuses {
	t.Helper()
	store := newSimStatuses()
	store.reported[0] = reported
	newReporterOn(store, &lane.State{Ends: ends}).resume(t.Context(), 16)
	return store
}

func newReporterOn(store Statuses, state *lane.State) *reporter {
	failures := newMetrics(prometheus.NewRegistry()).statusFails
	return newReporter(0, store, lane.New(state, lane.Rules{}), nil, failures, slog.New(slog.DiscardHandler))
}

func TestWhatNoSessionReportedIsRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reported, ends uint64
		complete       bool
	}{
		"all was reported":                {3, 3, true},
		"some was not":                    {2, 3, false},
		"one was reported, not journaled": {4, 3, true},
		"the first was":                   {1, 0, true},
		"nothing ended":                   {0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := resumed(t, c.reported, c.ends)
			require.Equal(t, c.complete, store.complete)
			require.Equal(t, c.ends, store.reported[0], "what is reported from here on counts")
		})
	}
}

// newReporterAfter has noted all the ends of a lane, of which the store remembers so many.
func newReporterAfter(store *simStatuses, on Statuses, state *lane.State, remembers uint64) *reporter {
	r := newReporterOn(on, state)
	r.fenced = func(context.Context) error { return nil }
	r.noted, store.reported[0], r.process = state.Ends, remembers, "0"
	return r
}

func TestAStoreThatForgotItsLastSecondIsRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		remembers uint64
		complete  bool
	}{
		"all is noted":                    {3, true},
		"the next end, not journaled yet": {4, true},
		"less than was":                   {2, false},
		"not even the first":              {0, false},
	} {
		for does, tell := range map[string]func(*reporter){
			"nothing": func(r *reporter) { require.NoError(t, r.replay(t.Context())) },
			"the next end": func(r *reporter) {
				r.ended(t.Context(), 1)
				r.lane.State.Ends++
			},
		} {
			t.Run(name+", and then "+does, func(t *testing.T) {
				t.Parallel()
				store := newSimStatuses()
				r := newReporterAfter(store, store, &lane.State{Ends: 3}, c.remembers)
				tell(r)
				require.NoError(t, r.replay(t.Context()))
				require.False(t, r.writer.Pending())
				require.Equal(t, c.complete, store.complete)
			})
		}
	}
}

// What was said of work that ended is forgotten where the store is killed before the note of it, which it then takes.
func TestWhatIsForgottenBeforeItsNoteIsRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ persists, killed bool }{
		"the note failed":                               {false, true},
		"the note failed but persisted":                 {true, true},
		"the note failed, of a store that is as it was": {false, false},
		"it persisted in a store that is as it was":     {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store, ref := t.Context(), newSimStatuses(), score.Ref{Project: score.ProjectID{1}, Update: score.UpdateID{9}}
			r := newReporterAfter(store, store, &lane.State{Ends: 3}, 3)
			store.sync()
			r.final(ctx, common.Hash{2}, 30, []score.Ref{ref}, []score.Outcome{score.Applied})
			r.requestRestore(ctx) // at the worst of moments
			store.complete = true
			if c.killed {
				store.forget()
			}
			store.fault = func(string) (before, after error) {
				if c.persists {
					return nil, errSimAway
				}
				return errSimAway, nil
			}
			r.ended(ctx, 1)
			store.fault = nil
			require.True(t, r.writer.Pending())
			r.lane.State.Ends++
			require.NoError(t, r.replay(ctx))
			require.False(t, r.writer.Pending())
			require.EqualValues(t, 4, store.reported[0])
			require.Equal(t, c.killed, !store.complete)
			require.Equal(t, !c.killed, store.of(ref).Stage == score.Final)
		})
	}
}

// A session that gives its lane back makes what is pending while the lane is its own.
func TestASessionThatEndsMakesItsPendingReports(t *testing.T) {
	t.Parallel()
	for name, fenced := range map[string]error{"the lane is its own": nil, "another has the lane": lane.ErrFenced} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, end := context.WithCancel(t.Context())
			store, ref := newSimStatuses(), score.Ref{Project: score.ProjectID{1}, Update: score.UpdateID{9}}
			r := newReporterAfter(store, store, &lane.State{Ends: 3}, 3)
			r.fenced = func(context.Context) error { return fenced }
			store.fault = func(string) (before, after error) { return errSimAway, nil }
			r.final(ctx, common.Hash{2}, 30, []score.Ref{ref}, []score.Outcome{score.Applied})
			r.ended(ctx, 1)
			store.fault = nil
			end()
			r.finish(ctx)
			if fenced != nil {
				require.EqualValues(t, 3, store.reported[0])
				return
			}
			require.EqualValues(t, 4, store.reported[0])
			require.Equal(t, score.Final, store.of(ref).Stage)
		})
	}
}

// carrying is a transaction with this calldata.
func carrying(t *testing.T, data []byte) []byte {
	t.Helper()
	raw, err := types.MustSignNewTx(simKeys()[0], types.HomesteadSigner{}, &types.LegacyTx{To: &common.Address{1}, Data: data}).MarshalBinary()
	require.NoError(t, err)
	return raw
}

// A restore writes a rejection only over what is merely accepted, and never takes anything back.
func TestBeforeARestoreWhatIsSaidOfSlotsIsMadeSo(t *testing.T) {
	t.Parallel()
	own := score.Update{Project: score.ProjectID{1}}
	project := &score.Project{ID: score.ProjectID{2}, Name: "p", Actions: []score.Action{{Name: "up", Points: 1}}, Owners: []common.Address{{1}}, ScoreTypes: []string{"s"}}
	tx := common.Hash{1}
	slot := func(kind lane.WorkKind, reopened bool) lane.Slot {
		raw := carrying(t, registry.EncodeBatch(batch.Single(own)))
		return lane.Slot{Nonce: 7, Work: lane.Work{Kind: kind}, Reopened: reopened, Attempts: []lane.Attempt{{Raw: raw, Hash: tx}}}
	}
	bound := func(s *simStatuses, ref score.Ref) { _ = s.Bound(t.Context(), 0, 7, []score.Ref{ref}) }
	applied := func(s *simStatuses, ref score.Ref) {
		_ = s.Final(t.Context(), tx, 20, []score.Ref{ref}, []score.Outcome{score.Applied})
	}
	elsewhere := func(s *simStatuses, ref score.Ref) { _ = s.Bound(t.Context(), 0, 8, []score.Ref{ref}) }
	final := score.Status{Stage: score.Final, Outcome: score.Applied, Tx: tx, Block: 20}
	for name, c := range map[string]struct {
		state lane.State
		said  func(*simStatuses, score.Ref)
		then  score.Status
	}{
		"in a slot that ended":                          {lane.State{Past: []lane.Past{{Slot: slot(lane.NonceOnly, false), Tx: tx}}}, bound, score.Status{Stage: score.Accepted}},
		"in a slot that ended, and now in another":      {lane.State{Past: []lane.Past{{Slot: slot(lane.NonceOnly, false), Tx: tx}}}, elsewhere, score.Status{Stage: score.Batched}},
		"in one reopened without it":                    {lane.State{Next: 8, Slots: []lane.Slot{slot(lane.NonceOnly, true)}}, bound, score.Status{Stage: score.Accepted}},
		"in one reopened with it":                       {lane.State{Next: 8, Slots: []lane.Slot{slot(lane.Updates, true)}}, bound, score.Status{Stage: score.Batched}},
		"in one that was abandoned":                     {lane.State{Lost: []lane.Slot{slot(lane.Updates, false)}}, bound, score.Status{Stage: score.Accepted}},
		"applied in one reopened with it":               {lane.State{Next: 8, Slots: []lane.Slot{slot(lane.Updates, true)}}, applied, score.Status{Stage: score.Batched}},
		"applied in one that was reopened and reverted": {lane.State{Past: []lane.Past{{Slot: slot(lane.NonceOnly, true), Tx: tx}}}, applied, score.Status{Stage: score.Accepted}},
		"applied by an attempt that another replaced":   {lane.State{Past: []lane.Past{{Slot: slot(lane.Updates, false), Tx: common.Hash{2}}}}, applied, score.Status{Stage: score.Accepted}},
		"applied": {lane.State{Past: []lane.Past{{Slot: slot(lane.Updates, false), Tx: tx}}}, applied, final},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newSimStatuses()
			c.said(store, own.Ref())
			c.state.Ends = 1
			newReporterOn(store, &c.state).resume(t.Context(), 16)
			require.False(t, store.complete)
			require.Equal(t, c.then, store.of(own.Ref()))
		})
	}
	t.Run("a creation", func(t *testing.T) {
		t.Parallel()
		store, past := newSimStatuses(), slot(lane.NonceOnly, false)
		past.Attempts[0].Raw = carrying(t, registry.EncodeCreateProject(project))
		bound(store, score.CreationRef(project.ID))
		newReporterOn(store, &lane.State{Past: []lane.Past{{Slot: past, Tx: tx}}, Ends: 1}).resume(t.Context(), 16)
		require.Equal(t, score.Accepted, store.of(score.CreationRef(project.ID)).Stage)
	})
	t.Run("it is done again until it is done", func(t *testing.T) {
		t.Parallel()
		store, state, fails := newSimStatuses(), &lane.State{Past: []lane.Past{{Slot: slot(lane.NonceOnly, false), Tx: tx}}, Ends: 3}, true
		bound(store, own.Ref())
		store.fault = func(what string) (before, after error) {
			if what == "released" && fails {
				return errSimAway, nil
			}
			return nil, nil
		}
		r := newReporterOn(store, state)
		r.fenced = func(context.Context) error { return nil }
		r.resume(t.Context(), 16)
		require.Less(t, store.reported[0], uint64(3), "or the next session would not do it, if this one ended")
		state.Ends = 5
		require.NoError(t, r.replay(t.Context()))
		require.True(t, store.complete)
		fails = false
		require.NoError(t, r.replay(t.Context()))
		require.False(t, store.complete)
		require.Equal(t, score.Accepted, store.of(own.Ref()).Stage)
		require.EqualValues(t, 3, store.reported[0])
	})
}

// A restore read a final block that held one attempt of an open slot; then the chain lost that block, and another transaction
// ended the slot, in an earlier one.
func TestWhatALostBlockSaidOfASlotIsTakenBackWhenTheSlotEnds(t *testing.T) {
	t.Parallel()
	own := score.Update{Project: score.ProjectID{1}}
	raw := carrying(t, registry.EncodeBatch(batch.Single(own)))
	first, bump, another := common.Hash{1}, common.Hash{2}, common.Hash{3}
	slot := &lane.Slot{
		Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{Raw: raw, Hash: first}, {Raw: raw, Hash: bump}},
	}
	refs := []score.Ref{own.Ref()}
	for name, c := range map[string]struct {
		used   common.Hash // the slot's nonce
		result lane.Result
		then   score.Status
	}{
		"by its first attempt":           {first, lane.Done, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: first, Block: 23}},
		"by the same attempt":            {bump, lane.Done, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: bump, Block: 23}},
		"by the same, which reverts now": {bump, lane.Reverted, score.Status{Stage: score.Accepted}},
		"by a transaction of others":     {another, lane.Foreign, score.Status{Stage: score.Accepted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newSimStatuses()
			r := newReporterOn(store, &lane.State{})
			require.NoError(t, store.final("event", bump, 29, refs, []score.Outcome{score.Applied}))
			require.NoError(t, r.takeBackSlot(t.Context(), slot))
			if c.result != lane.Done {
				r.released(t.Context(), 0, refs)
			} else {
				r.final(t.Context(), c.used, 23, refs, []score.Outcome{score.Applied})
			}
			require.Equal(t, c.then, store.of(refs[0]))
		})
	}
}

// A restore (of another relayer, or of one whose lane lags) read a final block in which the open slot's transaction applied the update; then
// the chain lost that block, and in the new one the very same transaction rejects it: its project, or its signer's role, is gone with the reorg.
func TestWhatALostBlockSaidOfTheSameTransactionIsTakenBack(t *testing.T) {
	t.Parallel()
	own := score.Update{Project: score.ProjectID{1}}
	raw, tx := carrying(t, registry.EncodeBatch(batch.Single(own))), common.Hash{1}
	slot := &lane.Slot{Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{Raw: raw, Hash: tx}}}
	refs := []score.Ref{own.Ref()}

	store := newSimStatuses()
	r := newReporterOn(store, &lane.State{})
	require.NoError(t, store.final("event", tx, 29, refs, []score.Outcome{score.Applied}))
	require.NoError(t, r.takeBackSlot(t.Context(), slot))
	r.final(t.Context(), tx, 31, refs, []score.Outcome{score.NotMember})
	require.Equal(t, score.NotMember, store.of(refs[0]).Outcome, "it never was applied, and its sender may send it again")

	store = newSimStatuses() // likewise, of one that overtook its project and goes again
	r = newReporterOn(store, &lane.State{})
	require.NoError(t, store.final("event", tx, 29, refs, []score.Outcome{score.Applied}))
	require.NoError(t, r.takeBackSlot(t.Context(), slot))
	r.released(t.Context(), 0, refs)
	require.Equal(t, score.Accepted, store.of(refs[0]).Stage)
}

// distant is a status store each of whose answers takes a while, as one in another data centre, or one that many lanes ask at once.
type distant struct {
	*simStatuses
	takes    time.Duration
	released int
}

func (d *distant) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.takes):
		return nil
	}
}

func (d *distant) Reopened(ctx context.Context, id score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	return d.simStatuses.Reopened(ctx, id, nonce, tx, refs)
}

func (d *distant) Released(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	d.released++
	return d.simStatuses.Released(ctx, id, nonce, refs)
}

// ofAnEnd is the update of a slot of ended.
func ofAnEnd(nonce uint64) score.Update {
	return score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{byte(nonce), byte(nonce >> 8)}}
}

// ended is a lane that settled so many slots, all of them in its journal still.
func ended(t *testing.T, slots uint64) *lane.State {
	t.Helper()
	state := &lane.State{Ends: slots, Next: slots}
	for nonce := range slots {
		tx := common.Hash{1, byte(nonce), byte(nonce >> 8)}
		slot := lane.Slot{Nonce: nonce, Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{
			Raw: carrying(t, registry.EncodeBatch(batch.Single(ofAnEnd(nonce)))), Hash: tx,
		}}}
		state.Past = append(state.Past, lane.Past{Slot: slot, Tx: tx})
	}
	return state
}

// A lane that has settled as many slots as its journal keeps takes them all back, a part at each head. The clock is the bubble's.
func TestWhatIsTakenBackFromADistantStoreComesToAnEnd(t *testing.T) {
	t.Parallel()
	const slots, takes = 1024, 2500 * time.Microsecond
	synctest.Test(t, func(t *testing.T) {
		store := &distant{simStatuses: newSimStatuses(), takes: takes}
		r := newReporterAfter(store.simStatuses, store, ended(t, slots), slots-10)

		heads, later := 0, score.Ref{Project: score.ProjectID{1}, Update: score.UpdateID{9, 9}}
		for ; heads == 0 || r.writer.Pending(); heads++ {
			require.Less(t, heads, 8)
			began, before := time.Now(), store.released
			require.NoError(t, r.replay(t.Context()))
			require.LessOrEqual(t, time.Since(began), hold+takes, "a head is not held for long")
			require.Greater(t, store.released, before, "each head gets some further")
			if heads == 0 {
				r.final(t.Context(), common.Hash{2}, 30, []score.Ref{later}, []score.Outcome{score.Applied})
				require.NotEqual(t, score.Final, store.of(later).Stage)
			}
			require.Equal(t, !r.writer.Pending(), store.reported[0] == slots, "or the next session would not do it, if this one ended")
		}
		require.Equal(t, slots, store.released, "none twice")
		require.False(t, store.complete, "a restore was requested")
		require.Equal(t, score.Final, store.of(later).Stage, "statuses are written again")
	})
}

// One slot alone may take longer than a head is held for: it has as many attempts as its price was raised.
func TestWhatIsTakenBackOfOneSlotComesToAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state := ended(t, 2)
		slot := &state.Past[0].Slot
		for i := range byte(30) {
			slot.Attempts = append(slot.Attempts, lane.Attempt{Raw: slot.Attempts[0].Raw, Hash: common.Hash{2, i}})
		}
		store := &distant{simStatuses: newSimStatuses(), takes: 150 * time.Millisecond}
		r := newReporterAfter(store.simStatuses, store, state, 1)
		for range 6 {
			require.NoError(t, r.replay(t.Context()))
		}
		require.False(t, r.writer.Pending())
		require.Equal(t, 2, store.released)
		require.False(t, store.complete)
	})
}

// What was taken back counts no more if Redis was killed since and forgot that, nor for a slot that was opened again and ended elsewhere.
func TestWhatWasTakenBackAndIsNotAnyMoreIsTakenBackAgain(t *testing.T) {
	t.Parallel()
	const slots = 1024
	bind := func(t *testing.T, store *distant) {
		for nonce := range uint64(slots) {
			own := ofAnEnd(nonce)
			require.NoError(t, store.Bound(t.Context(), 0, nonce, []score.Ref{own.Ref()}))
		}
	}
	for name, between := range map[string]func(*testing.T, *distant, *reporter){
		"Redis forgot it": func(_ *testing.T, store *distant, _ *reporter) { store.forget() },
		"Redis is away for a head": func(t *testing.T, store *distant, r *reporter) {
			store.fault = func(string) (before, after error) { return errSimAway, nil }
			require.NoError(t, r.replay(t.Context()))
			store.fault = nil
		},
		"Redis goes in the middle, and forgets its last second": func(t *testing.T, store *distant, r *reporter) {
			store.sync()
			calls := 0
			store.fault = func(string) (before, after error) {
				if calls++; calls > 50 {
					return errSimAway, nil
				}
				return nil, nil
			}
			require.NoError(t, r.replay(t.Context()))
			store.fault = nil
			store.forget()
		},
		"a slot was opened again": func(t *testing.T, store *distant, r *reporter) {
			own := ofAnEnd(0)
			require.NoError(t, store.Bound(t.Context(), 0, 0, []score.Ref{own.Ref()}))
			r.takeBackAgain()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &distant{simStatuses: newSimStatuses(), takes: 2500 * time.Microsecond}
				r := newReporterAfter(store.simStatuses, store, ended(t, slots), slots-10)
				bind(t, store)
				store.sync()
				require.NoError(t, r.replay(t.Context()))
				require.True(t, r.writer.Pending())
				between(t, store, r)
				for range 8 {
					require.NoError(t, r.replay(t.Context()))
				}
				require.False(t, store.complete)
				require.EqualValues(t, slots, store.reported[0])
				for nonce := range uint64(slots) {
					own := ofAnEnd(nonce)
					require.Equal(t, score.Accepted, store.of(own.Ref()).Stage, "slot %d", nonce)
				}
			})
		})
	}
}
