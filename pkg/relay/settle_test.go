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
// transaction, whose outcomes only its event tells. The work is bound again.
func TestASlotThatAnAccountEndsIsReleased(t *testing.T) {
	t.Parallel()
	contract, own := common.Address{1}, score.Update{Project: score.ProjectID{1}}
	work := registry.EncodeBatch(batch.Single(own))
	for name, c := range map[string]struct {
		work lane.WorkKind
		data []byte
		to   *common.Address // of the transaction that used the nonce; nil where it was not seen
	}{
		"work, by an account":                    {lane.Updates, work, nil},
		"nothing, by an account":                 {lane.NonceOnly, nil, nil},
		"what carried work once, by an account":  {lane.NonceOnly, work, nil},
		"work, by a transfer":                    {lane.Updates, work, &common.Address{2}},
		"work, by a transaction to the contract": {lane.Updates, work, &contract},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := types.MustSignNewTx(simKeys()[0], types.HomesteadSigner{}, &types.LegacyTx{
				To: &contract, Data: c.data,
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
			require.NoError(t, store.Bound(t.Context(), 0, 0, []score.Ref{own.Ref()}, 0, nil))
			m, log := newMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)
			s := &settler{
				config: &Config{Contract: contract}, lane: lane.New(state, lane.Rules{}), deadLetter: func(context.Context, []score.DeadLetter) error { return nil }, gas: &gas{}, ages: &ages{}, metrics: m, log: log,
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
				reporter: newReporter(0, nil, store, lane.New(state, lane.Rules{}), nil, m.statusFails),
			}
			require.NoError(t, s.settle(t.Context(), lane.SettleSlot{Foreign: found}))
			require.NoError(t, s.settle(t.Context(), lane.SettleSlot{Nonce: 1, Foreign: found}))
			require.Equal(t, 1, journaled, "there is no other slot")
			if c.work == lane.Updates {
				require.Equal(t, score.Status{Stage: score.Accepted}, store.of(own.Ref()))
			}
		})
	}
}

// TestWhatOvertookItsProject, of two updates of one that the contract did not know.
func TestWhatOvertookItsProject(t *testing.T) {
	t.Parallel()
	info := func(actions byte) evidence.Called {
		data := make([]byte, 6*32)
		data[4*32-1] = actions
		return evidence.Called{Data: data}
	}
	has, lacks, mute := info(1), info(0), evidence.Called{}
	project := score.ProjectID{1}
	for name, c := range map[string]struct {
		journaled bool
		forgotten uint64 // the head is 9
		endpoints []evidence.Called
		unknown   int
		again     bool
		want      int // Unknown of what goes again
		fails     bool
	}{
		"a journal creates it":                        {journaled: true, again: true},
		"and it went again often enough":              {journaled: true, unknown: unknownTries, again: true, want: unknownTries},
		"it does, and the head is old":                {journaled: true, forgotten: 10, again: true},
		"no endpoint has it":                          {endpoints: []evidence.Called{lacks, lacks}},
		"one has it":                                  {endpoints: []evidence.Called{lacks, has}, again: true, want: 1},
		"one has it, and it went again":               {endpoints: []evidence.Called{has}, unknown: unknownTries - 1, again: true, want: unknownTries},
		"one has it, and it went again often enough":  {endpoints: []evidence.Called{has}, unknown: unknownTries},
		"one does not tell, and another lacks it":     {endpoints: []evidence.Called{mute, lacks}},
		"none tells":                                  {endpoints: []evidence.Called{mute}, fails: true},
		"none answers":                                {fails: true},
		"the head is older than what journals forgot": {forgotten: 10, endpoints: []evidence.Called{lacks}, fails: true},
		"the head is as old":                          {forgotten: 9, endpoints: []evidence.Called{lacks}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, asked := Config{}.withDefaults(), 0
			l := lane.New(&lane.State{}, lane.Rules{})
			_, err := l.Step(lane.View{Head: evidence.Block{Number: 9}})
			require.NoError(t, err)
			s := &settler{
				config: &config, lane: l,
				creations: func(context.Context) (map[score.ProjectID]bool, uint64, error) {
					projects := map[score.ProjectID]bool{}
					if c.journaled {
						projects[project] = true
					}
					return projects, c.forgotten, nil
				},
				ask: func(context.Context, evidence.Call, common.Hash) ([]evidence.Called, error) {
					asked++
					if len(c.endpoints) == 0 {
						return nil, context.DeadlineExceeded
					}
					return c.endpoints, nil
				},
			}
			updates := make([]score.Update, 3)
			updates[0].Project, updates[2].Project = project, project
			overtook, unknown, err := s.overtook(t.Context(), evidence.Ref{}, &lane.Work{Unknown: c.unknown}, updates,
				[]score.Outcome{score.UnknownProject, score.Applied, score.UnknownProject})
			require.LessOrEqual(t, asked, 1)
			if c.fails {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []bool{c.again, false, c.again}, overtook)
			if c.again {
				require.Equal(t, c.want, unknown)
			}
		})
	}
}

// TestWhatEndpointsSaidOfProjectsIsKeptBetweenHeads: a batch may have many that no journal tells of.
func TestWhatEndpointsSaidOfProjectsIsKeptBetweenHeads(t *testing.T) {
	t.Parallel()
	config, asked := Config{}.withDefaults(), 0
	l := lane.New(&lane.State{}, lane.Rules{})
	_, err := l.Step(lane.View{Head: evidence.Block{Number: 9}})
	require.NoError(t, err)
	s := &settler{
		config: &config, lane: l,
		creations: func(context.Context) (map[score.ProjectID]bool, uint64, error) { return nil, 0, nil },
		ask: func(context.Context, evidence.Call, common.Hash) ([]evidence.Called, error) {
			if asked++; asked%2 == 0 {
				return nil, context.DeadlineExceeded
			}
			return []evidence.Called{{Data: make([]byte, 6*32)}}, nil
		},
	}
	updates := []score.Update{{Project: score.ProjectID{1}}, {Project: score.ProjectID{2}}}
	outcomes := []score.Outcome{score.UnknownProject, score.UnknownProject}
	_, _, err = s.overtook(t.Context(), evidence.Ref{}, &lane.Work{}, updates, outcomes)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	overtook, _, err := s.overtook(t.Context(), evidence.Ref{}, &lane.Work{}, updates, outcomes)
	require.NoError(t, err)
	require.Equal(t, []bool{false, false}, overtook)
	require.Equal(t, 3, asked)
}
