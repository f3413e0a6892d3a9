package relay_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

var errSilent = errors.New("no answer")

// broken is a chain, and a key, of which parts do not work while a test says so.
type broken struct {
	relay.Chain
	relay.Signer
	*view
	calls, key atomic.Bool
}

// view is what trackers see of a chain, of which parts do not work.
type view struct {
	heads.Chain
	silent, logs atomic.Bool
}

func (v *view) Latest(ctx context.Context) ([]evidence.Claim, error) {
	if v.silent.Load() {
		return nil, errSilent
	}
	return v.Chain.Latest(ctx)
}

// Read leaves the logs out of receipts, as an endpoint may that is asked for single ones.
func (v *view) Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error) {
	answer, err := v.Chain.Read(ctx, ask)
	for _, r := range answer.Receipts {
		if v.logs.Load() {
			r.Logs = nil
		}
	}
	return answer, err
}

func (b *broken) CallEach(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) {
	if b.calls.Load() {
		return nil, errSilent
	}
	return b.Chain.CallEach(ctx, msg, at)
}

func (b *broken) Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error) {
	if b.key.Load() {
		return nil, errSilent
	}
	return b.Signer.Sign(ctx, tx)
}

// watched is a world of one lane, its first project final, with parts that can break.
type watched struct {
	*world
	*broken
	told    *statuses
	metrics *prometheus.Registry
	deps    relay.Deps
	config  relay.Config
}

func watch(t *testing.T) *watched {
	t.Helper()
	w := newWorld(t, 1)
	d := w.deps()
	out := &watched{
		world: w, broken: &broken{Chain: d.Chain, Signer: w.keys[0].For(devnet.ChainID), view: &view{Chain: w.client}}, told: newStatuses(), metrics: prometheus.NewRegistry(),
		config: w.config(),
	}
	d.Chain, d.Signer, d.Statuses, d.Metrics = out.broken, signers(out.broken), out.told, out.metrics
	out.deps, w.view = d, out.broken.view
	w.create(1)
	return out
}

// metric is the value of a counter, or of the gauge with a label of some value, such as a reason.
func (w *watched) metric(name, reason string) float64 {
	w.t.Helper()
	families, err := w.metrics.Gather()
	require.NoError(w.t, err)
	for _, f := range families {
		if f.GetName() != "scorelay_relay_"+name {
			continue
		}
		for _, m := range f.GetMetric() {
			if reason == "" {
				return m.GetCounter().GetValue()
			}
			for _, l := range m.GetLabel() {
				if l.GetValue() == reason {
					return m.GetGauge().GetValue()
				}
			}
		}
	}
	return -1
}

func (w *watched) waitsFor(reason lane.Wait) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		w.geth.Commit()
		return w.metric("waiting", string(reason)) == 1
	}, 2*time.Minute, 20*time.Millisecond, "the lane does not say that it waits for %s", reason)
}

func TestALaneWhoseStreamIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	w := watch(t)
	stop := w.start(w.config, w.deps)
	w.drain()
	require.NoError(t, w.js.DeleteStream(t.Context(), stream.Name))
	w.waitsFor(lane.WaitStream)
	stop() // and ends at once
}

func TestALaneWhoseJournalIsOfANewerProgramHalts(t *testing.T) {
	t.Parallel()
	w := watch(t)
	_, err := w.js.Publish(t.Context(), "journal.0", []byte(`{"v":99,"epoch":1,"open":{}}`))
	require.NoError(t, err)
	var log strings.Builder // read after stop
	w.config.PurgeInterval, w.deps.Log = 20*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil))
	stop := w.start(w.config, w.deps)
	w.waitsFor(lane.WaitJournal)
	require.Eventually(t, func() bool { return w.metric("purge_failures_total", "") > 0 }, 2*time.Minute, 10*time.Millisecond)
	stop()
	require.Contains(t, log.String(), "couldn't purge the stream")
	require.Contains(t, log.String(), "couldn't tell what lane 0 still needs")
	require.Contains(t, log.String(), "the lane halts until an operator looks")
}

// TestALaneWhoseStreamHoldsAMessageOfANewerProgramHalts, and does not send its operator to NATS.
func TestALaneWhoseStreamHoldsAMessageOfANewerProgramHalts(t *testing.T) {
	t.Parallel()
	w := watch(t)
	data, err := stream.EncodeEnvelope(some(1, 0, 1), nil)
	require.NoError(t, err)
	data[0] = stream.Version + 1
	_, err = w.js.Publish(t.Context(), "scorelay.updates", data)
	require.NoError(t, err)
	w.start(w.config, w.deps)
	w.waitsFor(lane.WaitJournal)
}

func TestALaneThatHearsOfNoHeadBindsNothing(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.config.StaleAfter = time.Second
	w.start(w.config, w.deps)
	w.drain()
	w.silent.Store(true)
	w.waitsFor(lane.WaitHead)
	next := w.states()[0].Next
	w.accept(some(1, 0, 30)...)
	require.Eventually(t, func() bool { return w.relayer.Driven()[0].Waiting == 30 }, 2*time.Minute, 10*time.Millisecond, "they do not wait")
	for range 5 {
		w.mine()
	}
	require.Equal(t, next, w.states()[0].Next)
	w.silent.Store(false)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit())
}

func TestALaneWhoseKeyDoesNotSignSaysSo(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.key.Store(true)
	w.start(w.config, w.deps)
	w.waitsFor(lane.WaitSigner)
	require.Empty(t, w.states()[0].Slots)
	w.key.Store(false)
	w.drain()
}

func TestNothingIsBoundWhileOutcomesCannotBeRead(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.start(w.config, w.deps)
	w.drain()
	w.logs.Store(true)
	w.accept(some(1, 0, 10)...)
	w.waitsFor(lane.WaitOutcomes)
	next := w.states()[0].Next
	w.accept(some(1, 10, 30)...)
	require.Eventually(t, func() bool { return w.relayer.Driven()[0].Waiting == 30 }, 2*time.Minute, 10*time.Millisecond, "they do not wait")
	for range 5 {
		w.mine()
	}
	require.Equal(t, next, w.states()[0].Next)
	w.logs.Store(false)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 40}, w.audit())
}

func TestWhatLostItsSlotIsAcceptedAgainUntilANodeTellsOfIt(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.start(w.config, w.deps)
	w.drain()
	next := w.takeNonces(2)
	w.calls.Store(true)
	w.create(2)
	w.accept(some(2, 0, 10)...)
	require.Eventually(t, func() bool { return w.states()[0].Next == next+2 }, 2*time.Minute, 10*time.Millisecond)
	w.waitsFor(lane.WaitNode)
	require.Eventually(t, func() bool {
		w.geth.Commit()
		updates, projects := w.told.at(score.Accepted)
		return updates == 10 && projects == 1
	}, 2*time.Minute, 20*time.Millisecond)
	w.calls.Store(false)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 10}, w.audit())
	updates, projects := w.told.at(score.Batched)
	require.Equal(t, []int{10, 2}, []int{updates, projects})
}

// liar is a chain with an endpoint whose calls say that the contract refuses all work, in front of some that do not lie.
type liar struct {
	relay.Chain
	others bool
}

func (l *liar) CallEach(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) {
	lie := evidence.Called{Endpoint: "liar"}
	switch p, err := registry.DecodeCreateProject(msg.Data); {
	case err == nil:
		lie.Refusal = &evidence.RevertError{Data: append(crypto.Keccak256([]byte("ProjectExists(bytes32)"))[:4:4], p.ID[:]...)}
	case !bytes.Equal(msg.Data, registry.EncodeBatch(batch.Single(score.Update{}))):
		lie.Refusal = &evidence.RevertError{OutOfGas: true}
	}
	if !l.others {
		return []evidence.Called{lie}, nil
	}
	said, err := l.Chain.CallEach(ctx, msg, at)
	return append([]evidence.Called{lie}, said...), err
}

// TestWhatLostItsSlotIsNotEndedByCalls: an endpoint says that the contract refuses it, alone or beside another.
func TestWhatLostItsSlotIsNotEndedByCalls(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]bool{"the only endpoint": false, "one of two": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t)
			w.deps.Chain = &liar{w.broken, others}
			w.start(w.config, w.deps)
			w.drain()
			w.takeNonces(2)
			w.create(2)
			w.accept(some(2, 0, 10)...)
			w.drain()
			require.Equal(t, map[score.Outcome]int{score.Applied: 10}, w.audit())
			require.Empty(t, w.deadLetters())
		})
	}
}

// useKey is another holder of the first lane's key, who uses a nonce.
func (w *world) useKey(nonce, gas uint64, tip int64, to common.Address, data []byte) error {
	w.t.Helper()
	tx, err := w.keys[0].For(devnet.ChainID).Sign(w.t.Context(), types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(10 * tip), Gas: gas, To: &to, Data: data,
	}))
	require.NoError(w.t, err)
	return w.geth.Client().SendTransaction(w.t.Context(), tx)
}

// takeNonces has another holder of the lane's key take its next nonces.
func (w *world) takeNonces(n uint64) (next uint64) {
	w.t.Helper()
	next = w.states()[0].Next
	for nonce := next; nonce < next+n; nonce++ {
		require.NoError(w.t, w.useKey(nonce, 21_000, 1e10, common.Address{1}, nil))
	}
	return next
}

// takeNonce has another holder of the lane's key take the nonce of what waits for a block, if the pool lets it.
func (w *world) takeNonce() {
	w.t.Helper()
	nonce, err := w.geth.Client().NonceAt(w.t.Context(), w.keys[0].Address(), nil)
	require.NoError(w.t, err)
	_ = w.useKey(nonce, 21_000, 1e11, common.Address{1}, nil)
}

func TestOpenSlotsAreToldAgainByTheNextSession(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.accept(some(1, 0, 30)...)
	stop := w.start(w.config, w.deps)
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) == 3 }, 2*time.Minute, 10*time.Millisecond)
	stop()
	d := w.world.deps()
	told := newStatuses() // which knows nothing
	d.Statuses = told
	w.start(w.config, d)
	require.Eventually(t, func() bool {
		updates, projects := told.at(score.Batched)
		return updates == 30 && projects == 1
	}, 2*time.Minute, 10*time.Millisecond)
	w.drain()
}

// TestAChainThatGoesBackBehindItsFinalBlockIsGivenTheVeryBytesAgain: blocks that were final vanish with the transactions in
// them. The same bytes are broadcast, and everything is final again, in other blocks.
func TestAChainThatGoesBackBehindItsFinalBlockIsGivenTheVeryBytesAgain(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.start(w.config, w.deps)
	w.drain()
	w.mine()
	parent, err := w.geth.Client().HeaderByNumber(t.Context(), nil)
	require.NoError(t, err)
	w.accept(some(1, 0, 60)...)
	w.drain()
	next := w.states()[0].Next
	w.geth.Rollback()
	require.NoError(t, w.geth.Fork(parent.Hash()))
	w.geth.Rollback() // what fell out of its block is in no pool
	require.Eventually(t, func() bool {
		w.mine()
		return w.metric("slots_reopened_total", "") == 3
	}, 2*time.Minute, time.Millisecond)
	w.drain()
	require.Equal(t, next, w.states()[0].Next, "no new nonce: the same bytes")
	require.Equal(t, map[score.Outcome]int{score.Applied: 60}, w.audit())
	require.InDelta(t, 3, w.metric("slots_reopened_total", ""), 0)
}

// TestATransactionThatTheJournalDoesNotKnowHaltsItsLaneUntilAnOperatorDecides: the journal is older than the chain, as after
// NATS was restored from a backup.
func TestATransactionThatTheJournalDoesNotKnowHaltsItsLaneUntilAnOperatorDecides(t *testing.T) {
	t.Parallel()
	w := watch(t)
	stop := w.start(w.config, w.deps)
	w.drain()
	stop()
	forgotten := registry.EncodeBatch(batch.Single(some(1, 0, 1)[0]))
	require.NoError(t, w.useKey(w.states()[0].Next, 500_000, 1e10, w.contract, forgotten))
	w.geth.Commit()
	w.accept(some(1, 0, 30)...)
	w.metrics = prometheus.NewRegistry()
	w.deps.Metrics = w.metrics
	w.start(w.config, w.deps)
	w.waitsFor(lane.WaitUnjournaled)
	require.Eventually(t, func() bool { return w.deps.Halt.(*halts).unjournaled.Load() > 0 }, 2*time.Minute, 10*time.Millisecond, "accepting halts too")
	for range 6 {
		w.mine()
	}
	require.False(t, w.drained())
	state := w.states()[0]
	last, err := w.journal.Load(t.Context(), 0, func(lane.Entry) {})
	require.NoError(t, err)
	for _, e := range []lane.Entry{
		{Open: &lane.Open{Replica: "operator", Identity: state.Identity}}, {Resume: &lane.Resume{Below: state.Next + 1}},
	} {
		e.Version, e.Epoch = lane.Version, state.Epoch+1
		last, err = w.journal.Append(t.Context(), 0, last, e)
		require.NoError(t, err)
	}
	w.drain()
	nonce, err := w.geth.Client().NonceAt(t.Context(), w.keys[0].Address(), nil)
	require.NoError(t, err)
	require.Equal(t, w.states()[0].Next, nonce)
}
