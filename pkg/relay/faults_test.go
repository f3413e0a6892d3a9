package relay_test

import (
	"context"
	"maps"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
)

// quoting is a chain whose prices a test makes up.
type quoting struct {
	heads.Chain
	price atomic.Pointer[evidence.Price]
}

// Latest hides the base fee, which lanes would believe more than the price.
func (q *quoting) Latest(ctx context.Context) ([]evidence.Claim, error) {
	claims, err := q.Chain.Latest(ctx)
	for i := range claims {
		claims[i].Block.BaseFee = nil
	}
	return claims, err
}

func (q *quoting) Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error) {
	answer, err := q.Chain.Read(ctx, ask)
	if ask.Price {
		answer.Price = q.price.Load()
	}
	return answer, err
}

func TestTransactionsThatAreTooCheapAreBumpedIntoABlock(t *testing.T) {
	t.Parallel()
	for name, cheap := range map[string]*evidence.Price{
		"below the base fee":        {BaseFee: 1, Tip: 1_000_000},
		"below the pool's minimum":  {Legacy: true, Gas: 1},
		"legacy below the base fee": {Legacy: true, Gas: 1_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			deps := w.deps()
			view := &quoting{Chain: w.client}
			view.price.Store(cheap)
			w.view = view
			config := w.config()
			config.Rules.Fees.MinTip = 1
			w.create(1)
			w.accept(some(1, 0, 30)...)
			w.start(config, deps)
			require.Eventually(t, func() bool { return len(w.states()[0].Slots) == 3 }, 2*time.Minute, 10*time.Millisecond)
			for _, slot := range w.states()[0].Slots {
				var tx types.Transaction
				require.NoError(t, tx.UnmarshalBinary(slot.Last().Raw))
				require.Equal(t, cheap.Legacy, tx.Type() == types.LegacyTxType, "a chain without a base fee gets legacy transactions")
			}
			for range 3 {
				w.mine()
			}
			require.Equal(t, uint64(0), w.states()[0].FirstOpen(), "no node takes it at that price")
			honest := &evidence.Price{BaseFee: 2e9, Tip: 1e9}
			if cheap.Legacy {
				honest = &evidence.Price{Legacy: true, Gas: 5e9}
			}
			view.price.Store(honest)
			w.drain()
			require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit())
		})
	}
}

func admin(t *testing.T) relay.Signer { return key(t, adminAccount).For(devnet.ChainID) }

// foreign sends money with a key and makes its block.
func (w *world) foreign(key relay.Signer, to common.Address, value, price *big.Int) {
	w.t.Helper()
	ctx := w.t.Context()
	nonce, err := w.geth.Client().NonceAt(ctx, key.Address(), nil)
	require.NoError(w.t, err)
	tx, err := key.Sign(ctx, types.NewTx(&types.LegacyTx{Nonce: nonce, GasPrice: price, Gas: 21_000, To: &to, Value: value}))
	require.NoError(w.t, err)
	require.NoError(w.t, w.geth.Client().SendTransaction(ctx, tx))
	w.geth.Commit()
	receipt, err := w.geth.Client().TransactionReceipt(ctx, tx.Hash())
	require.NoError(w.t, err)
	require.Equal(w.t, uint64(1), receipt.Status)
}

func TestACreationTheContractRefusesIsADeadLetterAndItsUpdatesToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	p := w.project(1)
	p.Owners = nil // no API lets this through
	require.NoError(t, w.stream.PublishProject(t.Context(), "p1", p, 0))
	w.create(2)
	w.accept(some(1, 0, 3)...)
	w.accept(some(2, 0, 30)...)
	w.start(w.config(), w.deps())
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 30, score.UnknownProject: 3}, w.audit())
	letters := w.deadLetters()
	require.Len(t, letters, 4)
	creations := 0
	for _, d := range letters {
		if d.Project != nil {
			creations++
			require.Equal(t, score.Unprocessable, d.Outcome)
			require.Equal(t, p.ID, d.Project.ID)
		}
	}
	require.Equal(t, 1, creations)
}

// TestSlotsAreToldWhenTheStoreIsBack: the work does not wait for the store, and what is open by then is told.
func TestSlotsAreToldWhenTheStoreIsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	deps, store := w.deps(), newStatuses()
	plan := fault.NewPlan(func(write string, _ int) fault.Kind {
		if write == "bound" {
			return fault.Failed
		}
		return fault.None
	})
	deps.Statuses = faultyStatuses{store, plan}
	w.create(1)
	w.accept(some(1, 0, 20)...)
	w.start(w.config(), deps)
	w.drain()
	w.accept(some(1, 20, 30)...)
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) == 2 }, 2*time.Minute, 10*time.Millisecond)
	plan.Set(nil)
	w.geth.Commit()
	require.Eventually(t, func() bool {
		updates, _ := store.at(score.Batched)
		return updates == 30
	}, 2*time.Minute, 10*time.Millisecond)
}

func TestWhatIsFinalIsCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	registry := prometheus.NewRegistry()
	deps := w.deps()
	deps.Metrics = registry
	w.create(1)
	updates := some(1, 0, 30)
	updates[3].Action = 99
	w.accept(updates...)
	w.accept(updates[:2]...)
	w.start(w.config(), deps)
	w.drain()
	want := map[string]float64{"applied": 29, "duplicate": 2, "unknown_action": 1}
	require.Eventually(t, func() bool {
		return maps.Equal(want, counted(t, registry, "outcomes_total"))
	}, time.Minute, 10*time.Millisecond, "have %v", counted(t, registry, "outcomes_total"))
}

// counted reads what a counter of the relayer's counted, by its label.
func counted(t *testing.T, registry *prometheus.Registry, name string) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "scorelay_relay_"+name {
			for _, m := range f.GetMetric() {
				if n := m.GetCounter().GetValue(); n > 0 {
					out[m.GetLabel()[0].GetValue()] = n
				}
			}
		}
	}
	return out
}

// TestWhatAChainChargesMoreThanTheModelSaysIsLearnt: the first batch of one runs out of gas, goes again with all the gas
// there is and shows what it needs; those after it get that at once.
func TestWhatAChainChargesMoreThanTheModelSaysIsLearnt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	rules := registry.AllGasRules()
	registry := prometheus.NewRegistry()
	deps := w.deps()
	deps.Metrics = registry
	config := w.config()
	config.Limits.MaxUpdates = 1
	config.Gas = rules[:1]
	config.Gas[0].Batch.Fresh, config.Gas[0].Batch.Base = 3_500, rules[0].Batch.Base/2
	w.create(1)
	w.start(config, deps)
	for n := range 10 {
		w.accept(some(1, n<<8, 1)...) // in a word of its own
		w.drain()
	}
	require.Equal(t, map[score.Outcome]int{score.Applied: 10}, w.audit())
	want := map[string]float64{"done": 11, "reverted": 1}
	require.Eventually(t, func() bool {
		return maps.Equal(want, counted(t, registry, "slots_settled_total"))
	}, time.Minute, 10*time.Millisecond, "have %v", counted(t, registry, "slots_settled_total"))
}
