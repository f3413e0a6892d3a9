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
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// After an operator's Resume an account alone ends a slot, and what used its nonce is not known: it may be the slot's own
// transaction, whose outcomes only its event tells. The work is bound again and would be reported as a duplicate.
func TestASlotThatAnAccountEndsHasItsStatusesRestored(t *testing.T) {
	t.Parallel()
	contract, own := common.Address{1}, score.Update{Project: score.ProjectID{1}}
	for name, c := range map[string]struct {
		work    lane.WorkKind
		to      *common.Address // of the transaction that used the nonce; nil where it was not seen
		restore bool
	}{
		"work, by an account":                    {lane.Updates, nil, true},
		"nothing, by an account":                 {lane.NonceOnly, nil, false},
		"work, by a transfer":                    {lane.Updates, &common.Address{2}, false},
		"work, by a transaction to the contract": {lane.Updates, &contract, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := types.MustSignNewTx(simKeys()[0], types.HomesteadSigner{}, &types.LegacyTx{
				To: &contract, Data: registry.EncodeBatch(batch.Single(own)),
			}).MarshalBinary()
			require.NoError(t, err)
			state := &lane.State{Next: 1, Slots: []lane.Slot{{
				Work: lane.Work{Kind: c.work, Count: 1}, Attempts: []lane.Attempt{{Raw: raw, Hash: common.Hash{9}}},
			}}}
			found := &evidence.Found{}
			if c.to != nil {
				found.Tx = types.NewTx(&types.LegacyTx{To: c.to})
			}
			store, journaled := newSimStatuses(), 0
			require.NoError(t, store.final("event", common.Hash{9}, 7, []score.Ref{own.Ref()}, []score.Outcome{score.Applied}), "in a block that is gone")
			m, log := newMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)
			s := &settler{
				config: &Config{Contract: contract}, lane: lane.New(state, lane.Rules{}), deadLetter: func(context.Context, []score.DeadLetter) error { return nil }, metrics: m, log: log,
				append: func(_ context.Context, e lane.Entry) error {
					require.Equal(t, lane.Foreign, e.Settle.Result)
					if c.to == nil {
						require.Zero(t, e.Settle.Tx, "no transaction was seen")
					} else {
						require.Equal(t, found.Tx.Hash(), e.Settle.Tx)
					}
					journaled++
					return nil
				},
				reporter: newReporter(0, store, lane.New(state, lane.Rules{}), nil, m.statusFails, log),
			}
			require.NoError(t, s.settle(t.Context(), lane.SettleSlot{Foreign: found}))
			require.Equal(t, 1, journaled)
			require.Equal(t, c.restore, !store.complete)
			if c.work == lane.Updates {
				require.Equal(t, score.Status{Stage: score.Accepted}, store.of(own.Ref()))
			}
		})
	}
}
