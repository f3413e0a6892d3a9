package gas

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/evm"
	"github.com/scorelay/scorelay/pkg/registry"
	ownerCalls "github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// call is a figure of the report that is measured on a single call, or on skipped updates.
type call struct {
	key     string
	per     string                         // unit of the figure
	measure func(*machine) (uint64, error) // returns gas
}

func calls() []call {
	return []call{
		{"duplicates_100", "an update skipped", duplicates},
		{"direct_update_existing_consecutive", "a call", func(m *machine) (uint64, error) { return direct(m, consecutive) }},
		{"direct_update_existing_random", "a call", func(m *machine) (uint64, error) { return direct(m, random) }},
		{"create_project", "a call", func(m *machine) (uint64, error) { return m.fork().create(newProject(0)) }},
		{"create_largest_project", "a call", func(m *machine) (uint64, error) { return m.fork().create(largestProject()) }},
		{"deploy", "a call", func(m *machine) (uint64, error) { return m.deployGas, nil }},
		{"set_signed_only", "a call", setSignedOnly},
	}
}

func duplicates(base *machine) (uint64, error) {
	g := newGenerator(plain("duplicates", 0, 100, consecutive))
	l, err := newLab(base, g)
	if err != nil {
		return 0, err
	}
	sent, err := l.apply(unsigned(g.next()))
	if err != nil {
		return 0, err
	}
	receipt, err := l.sendBatch(sent[0].batch, score.Duplicate)
	if err != nil {
		return 0, err
	}
	return perUpdate(receipt.GasUsed, g.updates), nil
}

// direct returns the gas of an updater's own call, averaged over wordIDs calls.
func direct(base *machine, ids style) (gas uint64, err error) {
	g := newGenerator(plain("direct", 0, 1, ids))
	l, err := newLab(base, g)
	if err != nil {
		return 0, err
	}
	p := g.projects[0]
	for range wordIDs {
		u := g.next()[0]
		receipt, err := l.call(updaterKey(0, 0),
			ownerCalls.UpdateScore(u.Project, u.ID, p.Actions[u.Action].Name, p.ScoreTypes[u.ScoreType], u.Target))
		if err != nil {
			return 0, err
		}
		gas += receipt.GasUsed
	}
	return perUpdate(gas, wordIDs), nil
}

func (m *machine) create(p *score.Project) (uint64, error) {
	receipt, err := m.call(relayerKey, registry.EncodeCreateProject(p))
	if err != nil {
		return 0, err
	}
	return receipt.GasUsed, registry.Created(p.ID, m.contract, receipt)
}

func setSignedOnly(base *machine) (uint64, error) {
	l, err := newLab(base, newGenerator(plain("signed only", 0, 1, consecutive)))
	if err != nil {
		return 0, err
	}
	p := newProject(0)
	receipt, err := l.call(keyOf("owner 0"), ownerCalls.SetSignedOnly(p.ID, true))
	if err != nil {
		return 0, err
	}
	return receipt.GasUsed, nil
}

// Most has the largest numbers of updates in one transaction, under osaka.
type Most struct {
	Fresh              int `json:"fresh_consecutive"`    // wallets without a score
	Existing           int `json:"existing_consecutive"` // wallets with a score
	PlannedConsecutive int `json:"planned_consecutive"`  // by a relayer, to which wallets' scores are unknown
	PlannedRandom      int `json:"planned_random"`
}

func capacity(base *machine) (out Most, err error) {
	var errs [4]error
	out.Fresh, errs[0] = most(base, true)
	out.Existing, errs[1] = most(base, false)
	out.PlannedConsecutive, errs[2] = planned(base.rules, consecutive)
	out.PlannedRandom, errs[3] = planned(base.rules, random)
	return out, errors.Join(errs[:]...)
}

// mostThatMayApply is more updates than fit into a transaction.
const mostThatMayApply = 1 << 13

func (g *generator) inOrder() []score.Update {
	return slices.SortedFunc(slices.Values(g.next()), func(a, b score.Update) int { return bytes.Compare(a.ID[:], b.ID[:]) })
}

// most returns the largest number of updates with consecutive ids in one transaction.
func most(base *machine, fresh bool) (int, error) {
	r := plain("most", 0, mostThatMayApply, consecutive)
	r.fresh = fresh
	g := newGenerator(r)
	l, err := newLab(base, g)
	if err != nil {
		return 0, err
	}
	updates := g.inOrder()
	var failed error
	n := sort.Search(len(updates), func(n int) bool {
		fits, err := l.holds(updates[:n+1])
		failed = errors.Join(failed, err)
		return !fits
	})
	if n == len(updates) {
		failed = errors.Join(failed, fmt.Errorf("%w: a transaction holds more than %d", errPlan, n))
	}
	return n, failed
}

func (l *lab) holds(updates []score.Update) (bool, error) {
	builder, err := batch.NewBuilder(registry.Osaka().Batch, batch.Limits{
		MaxUpdates: math.MaxUint16, MaxGas: math.MaxUint64, MaxBytes: math.MaxInt,
	})
	if err != nil {
		return false, err
	}
	for _, u := range updates {
		builder.Add(u)
	}
	receipt, err := l.fork().try(relayerKey, &l.contract, registry.EncodeBatch(builder.Build()))
	if errors.Is(err, evm.ErrTooLong) {
		return false, nil
	}
	return err == nil && receipt.Status == types.ReceiptStatusSuccessful, err
}

// planned returns the number of updates, all on wallets without a score, that a relayer puts into one transaction.
func planned(rules Rules, ids style) (int, error) {
	batches, err := plan(rules.model.Batch, unsigned(newGenerator(plain("planned", 0, mostThatMayApply, ids).onFresh()).inOrder()))
	if err != nil {
		return 0, err
	}
	return batches[0].Len(), nil
}
