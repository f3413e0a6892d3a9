package relay

import (
	"context"
	"log/slog"
	"testing"

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

func TestAStoreThatForgotItsLastSecondIsRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		noted    uint64
		complete bool
	}{
		"all is noted":                    {3, true},
		"the next end, not journaled yet": {4, true},
		"less than was":                   {2, false},
		"nothing, after a flush":          {0, true}, // the store knows that by itself
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newSimStatuses()
			r := newReporterOn(store, &lane.State{Ends: 3})
			store.reported[0] = c.noted
			require.NoError(t, r.replay(t.Context()))
			require.Equal(t, c.complete, store.complete)
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
			require.NoError(t, r.replaced(t.Context(), slot, &lane.Settle{Tx: c.used, Result: c.result}))
			if c.result != lane.Done {
				r.released(t.Context(), 0, refs)
			} else {
				r.final(t.Context(), c.used, 23, refs, []score.Outcome{score.Applied})
			}
			require.Equal(t, c.then, store.of(refs[0]))
		})
	}
}
