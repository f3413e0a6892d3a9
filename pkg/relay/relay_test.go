package relay_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

func (w *world) deadLetters() (out []score.DeadLetter) {
	w.t.Helper()
	require.NoError(w.t, w.stream.DeadLetters(w.t.Context(), func(d score.DeadLetter) error {
		out = append(out, d)
		return nil
	}))
	return out
}

func TestUpdatesFollowTheirProjectToTheChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	deps := w.deps()
	for n := byte(1); n <= 4; n++ {
		w.create(n)
		w.accept(some(int(n), 0, 50)...)
	}
	w.accept(some(1, 0, 10)...) // again: duplicates
	w.start(w.config(), deps)
	w.drain()
	counts := w.audit()
	require.Equal(t, map[score.Outcome]int{score.Applied: 200, score.Duplicate: 10}, counts)
	told := deps.Statuses.(*statuses)
	updates, projects := told.at(score.Batched)
	require.Equal(t, 4, projects)
	require.Equal(t, 50, updates, "ids are the same in every project")
	require.Empty(t, w.deadLetters())
}

func TestWhatTheContractRejectsBecomesADeadLetterAndItsNeighboursApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	updates := some(1, 0, 12)
	updates[2].Signer = common.Address{0xde, 0xad}
	updates[5].Action = 9
	updates[7].ScoreType = 9
	w.accept(updates...)
	w.accept(some(9, 100, 1)...) // of no project
	w.start(w.config(), w.deps())
	w.drain()
	counts := w.audit()
	require.Equal(t, map[score.Outcome]int{
		score.Applied: 9, score.NotMember: 1, score.UnknownAction: 1, score.UnknownScoreType: 1, score.UnknownProject: 1,
	}, counts)
	letters := w.deadLetters()
	require.Len(t, letters, 4)
	for _, d := range letters {
		require.NotEmpty(t, d.Reason)
		require.NotZero(t, d.Tx)
	}
}

func TestAWholeBatchOfRejectionsHasALetterEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	updates := some(1, 0, 1100)
	for i := range updates {
		updates[i].Signer = common.Address{1} // who was removed
	}
	w.accept(updates[:600]...)
	w.accept(updates[600:]...)
	config, deps := w.config(), w.deps()
	config.Limits.MaxUpdates = len(updates)
	counts := prometheus.NewRegistry()
	deps.Metrics = counts
	w.start(config, deps)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.NotMember: len(updates)}, w.audit())
	require.Len(t, w.deadLetters(), len(updates))
	require.Equal(t, map[string]float64{"not_member": 1100}, counted(t, counts, "dead_letters_total"))
}

func TestATakenProjectIsADeadLetterAndItsLaneContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	taken := w.project(1)
	taken.Owners[0][5]++
	admin := devnet.Address(adminAccount)
	w.transact(&w.contract, registry.EncodeGrantRelayer(admin))
	w.transact(&w.contract, registry.EncodeCreateProject(taken))
	w.create(1)
	w.accept(some(1, 0, 30)...)
	w.start(w.config(), w.deps())
	w.drain()
	require.Equal(t, 30, w.audit()[score.Applied])
	letters := w.deadLetters()
	require.Len(t, letters, 1)
	require.Equal(t, score.ProjectExists, letters[0].Outcome)
	require.Equal(t, taken.ID, letters[0].Project.ID)
}

// TestACreationThatWasCarriedOutBeforeIsNoDeadLetter: by a transaction that the journal forgot, or of a lane that was cut. Its owner may
// have edited the project since.
func TestACreationThatWasCarriedOutBeforeIsNoDeadLetter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.transact(&w.contract, registry.EncodeGrantRelayer(devnet.Address(adminAccount)))
	edited := w.project(2)
	edited.Owners = []common.Address{devnet.Address(adminAccount)}
	for _, p := range []*score.Project{w.project(1), edited} {
		w.transact(&w.contract, registry.EncodeCreateProject(p))
		require.NoError(t, w.stream.PublishProject(t.Context(), p.Name, p, 0))
	}
	for _, edit := range [][]byte{
		calls.AddAction(edited.ID, score.Action{Name: "more", Points: 7}), calls.AddScoreType(edited.ID, "luck"),
		calls.RemoveUpdater(edited.ID, edited.Updaters[1]), calls.AddOwner(edited.ID, common.Address{1}),
	} {
		w.transact(&w.contract, edit)
	}
	w.accept(some(1, 0, 30)...)
	w.accept(some(2, 0, 30)...)
	w.start(w.config(), w.deps())
	w.drain()
	require.Equal(t, 60, w.audit()[score.Applied])
	require.Empty(t, w.deadLetters())
}

func TestAnUnreadableMessageIsADeadLetterAndTheLaneContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	w.accept(some(1, 0, 5)...)
	_, err := w.js.Publish(t.Context(), "scorelay.updates", []byte("nonsense"))
	require.NoError(t, err)
	w.accept(some(1, 5, 5)...)
	w.start(w.config(), w.deps())
	w.drain()
	require.Equal(t, 10, w.audit()[score.Applied])
	letters := w.deadLetters()
	require.Len(t, letters, 1)
	require.Equal(t, []byte("nonsense"), letters[0].Raw)
}

func TestALaneWithoutTheRelayerRoleWaitsAndLosesNothing(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.start(w.config, w.deps)
	w.drain()
	w.transact(&w.contract, calls.RevokeRelayer(w.keys[0].Address()))
	w.accept(some(1, 0, 30)...)
	w.waitsFor(lane.WaitContract)
	for range 5 {
		w.mine()
	}
	require.Empty(t, w.deadLetters())
	require.False(t, w.drained())
	w.transact(&w.contract, registry.EncodeGrantRelayer(w.keys[0].Address()))
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit())
	require.Empty(t, w.deadLetters())
}

func TestARelayerThatIsStoppedAnywhereIsResumed(t *testing.T) {
	t.Parallel()
	random, rounds := testrand.New(t), long.Size(4, 12)
	w := newWorld(t, 2)
	w.create(1)
	w.create(2)
	for i := range rounds {
		stop := w.start(w.config(), w.deps())
		w.accept(some(1+i%2, 25*i, 25)...)
		for range random.IntN(4) {
			w.mine()
		}
		stop()
	}
	w.start(w.config(), w.deps())
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 25 * rounds}, w.audit())
}

// purges counts how often the relayer began to purge the stream.
type purges struct {
	relay.Source
	n atomic.Int32
}

func (p *purges) FirstSince(ctx context.Context, at time.Time) (uint64, error) {
	p.n.Add(1)
	return p.Source.FirstSince(ctx, at)
}

func TestTheStreamIsPurgedUpToWhatIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.create(1)
	w.accept(some(1, 0, 30)...)
	config := w.config()
	config.AuditHorizon, config.PurgeInterval, config.PassEvery = time.Nanosecond, 20*time.Millisecond, 20*time.Millisecond
	deps := w.deps()
	seen := &purges{Source: deps.Source}
	deps.Source = seen
	w.start(config, deps)
	require.Eventually(t, func() bool { return seen.n.Load() >= 5 }, 2*time.Minute, 10*time.Millisecond) // the fifth begins once four have ended
	state, err := w.stream.State(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, state.FirstSeq, "nothing is final yet")
	w.drain()
	require.Eventually(t, func() bool {
		state, err := w.stream.State(t.Context())
		return err == nil && state.Messages == 0
	}, 2*time.Minute, 20*time.Millisecond)
	w.accept(some(1, 30, 30)...)
	w.drain()
	require.Equal(t, 60, w.audit()[score.Applied])
}

// nearlyFull is a stream at its bound, all of whose messages are more than an hour old.
type nearlyFull struct {
	relay.Source
	bound uint64
}

func (s nearlyFull) State(ctx context.Context) (score.StreamState, error) {
	state, err := s.Source.State(ctx)
	state.MaxBytes = s.bound
	return state, err
}

func (s nearlyFull) FirstSince(ctx context.Context, at time.Time) (uint64, error) {
	return s.Source.FirstSince(ctx, at.Add(2*time.Hour))
}

// TestAStreamThatIsNearlyFullIsPurgedSooner: final updates go before the audit horizon, the oldest first, and none that is not final.
func TestAStreamThatIsNearlyFullIsPurgedSooner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	logged := w.logged()
	w.create(1)
	for i := range 40 {
		w.accept(some(1, i, 1)...)
	}
	full, err := w.stream.State(t.Context())
	require.NoError(t, err)
	config, deps := w.config(), w.deps()
	config.PurgeInterval, config.PassEvery = 20*time.Millisecond, 20*time.Millisecond
	deps.Source = nearlyFull{deps.Source, full.Bytes}
	w.start(config, deps)
	w.drain()
	var state score.StreamState
	require.Eventually(t, func() bool {
		state, err = w.stream.State(t.Context())
		return err == nil && float64(state.Bytes) <= 0.66*float64(full.Bytes)
	}, 2*time.Minute, 20*time.Millisecond)
	require.GreaterOrEqual(t, float64(state.Bytes), 0.5*float64(full.Bytes), "no more than it takes")
	require.Equal(t, full.LastSeq, state.LastSeq)
	require.Contains(t, logged(), "final updates leave it before SCORELAY_AUDIT_HORIZON")
}

func TestAJournalOfAnotherDeploymentIsNotDriven(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	stop := w.start(w.config(), w.deps())
	w.drain()
	stop()
	deps := w.deps()
	other, err := roster.First([]common.Address{key(t, 9).Address()})
	require.NoError(t, err)
	deps.Roster, deps.Signer = &liveRoster{roster.NewLive(other)}, signers(key(t, 9).For(devnet.ChainID))
	before := w.states()[0]
	w.accept(some(1, 0, 5)...)
	w.start(w.config(), deps)
	(&watched{world: w, metrics: deps.Metrics.(*prometheus.Registry)}).waitsFor(lane.WaitJournal)
	require.Equal(t, before.Epoch, w.states()[0].Epoch)
	require.False(t, w.drained())
}
