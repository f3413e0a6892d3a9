package relay

import (
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
	l, failures := lane.New(&lane.State{Ends: ends}, lane.Rules{}), newMetrics(prometheus.NewRegistry()).statusFails
	r := newReporter(0, store, l, nil, failures, slog.New(slog.DiscardHandler))
	r.resume(t.Context(), 16)
	return store
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

// A restore read a final block that held one attempt of an open slot; then the chain lost that block, and another transaction
// ended the slot, in an earlier one.
func TestWhatALostBlockSaidOfASlotIsTakenBackWhenTheSlotEnds(t *testing.T) {
	t.Parallel()
	contract, own := common.Address{1}, score.Update{Project: score.ProjectID{1}}
	raw, err := types.MustSignNewTx(simKeys()[0], types.HomesteadSigner{}, &types.LegacyTx{
		To: &contract, Data: registry.EncodeBatch(batch.Single(own)),
	}).MarshalBinary()
	require.NoError(t, err)
	first, bump, another := common.Hash{1}, common.Hash{2}, common.Hash{3}
	slot := &lane.Slot{
		Work: lane.Work{Kind: lane.Updates, Count: 1}, Attempts: []lane.Attempt{{Raw: raw, Hash: first}, {Raw: raw, Hash: bump}},
	}
	refs := []score.Ref{own.Ref()}
	for name, c := range map[string]struct {
		used common.Hash // the slot's nonce
		then score.Status
	}{
		"by its first attempt":       {first, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: first, Block: 23}},
		"by the same attempt":        {bump, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: bump, Block: 23}},
		"by a transaction of others": {another, score.Status{Stage: score.Accepted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newSimStatuses()
			r := newReporter(0, store, lane.New(&lane.State{}, lane.Rules{}), nil, newMetrics(prometheus.NewRegistry()).statusFails, slog.New(slog.DiscardHandler))
			require.NoError(t, store.final("event", bump, 29, refs, []score.Outcome{score.Applied}))
			require.NoError(t, r.replaced(t.Context(), slot, c.used))
			if c.used == another {
				r.released(t.Context(), 0, refs)
			} else {
				r.final(t.Context(), c.used, 23, refs, []score.Outcome{score.Applied})
			}
			require.Equal(t, c.then, store.of(refs[0]))
		})
	}
}
