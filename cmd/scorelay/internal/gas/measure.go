package gas

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// bill is what a row's batches cost.
type bill struct {
	updates int
	gas     uint64
	floor   uint64 // lower bound by the prices of opcodes, under osaka
	sent    []sentBatch
}

// sentBatch is one transaction of a row.
type sentBatch struct {
	batch batch.Batch
	gas   uint64
	floor uint64
	fresh batch.Fresh
}

// perUpdate is rounded up.
func perUpdate(gas uint64, updates int) uint64 { return (gas + uint64(updates) - 1) / uint64(updates) }

// lab is a machine with projects, and what their updates have used so far.
type lab struct {
	*machine
	used used
}

// newLab makes the generator's projects, and scores for its wallets unless they are to be fresh.
func newLab(base *machine, g *generator) (*lab, error) {
	l := &lab{machine: base.fork(), used: newUsed()}
	for _, p := range g.projects {
		if err := l.create(p); err != nil {
			return nil, err
		}
	}
	if g.fresh {
		return l, nil
	}
	existing := g.existing()
	for part := range slices.Chunk(existing, 100) {
		if _, err := l.apply(unsigned(part)); err != nil {
			return nil, fmt.Errorf("couldn't make scores: %w", err)
		}
	}
	return l, nil
}

func (l *lab) create(p *score.Project) error {
	receipt, err := l.call(relayerKey, registry.EncodeCreateProject(p))
	if err != nil {
		return fmt.Errorf("couldn't create a project: %w", err)
	}
	return registry.Created(p.ID, l.contract, receipt)
}

// measure plays the row's batches. profile, which may be nil, sees them.
func (r row) measure(base *machine, profile *profiler) (out bill, err error) {
	g := newGenerator(r)
	l, err := newLab(base, g)
	if err != nil {
		return out, err
	}
	if profile != nil {
		l.hooks = profile.hooks()
	}
	domain := wallet.NewDomain(l.rules.config.ChainID.Uint64(), l.contract)
	for range r.batches() {
		updates := g.next()
		units := unsigned(updates)
		if r.signed {
			if units, err = signed(domain, updaterKey(0, 0), updates); err != nil {
				return out, err
			}
		}
		some, err := l.apply(units)
		if err != nil {
			return out, err
		}
		out.updates += len(updates)
		for _, sent := range some {
			out.gas += sent.gas
			out.floor += sent.floor
			if profile == nil {
				continue
			}
			if err := profile.add(l.rules, registry.EncodeBatch(sent.batch)); err != nil {
				return out, err
			}
		}
		out.sent = append(out.sent, some...)
	}
	return out, nil
}

var errOutcome = errors.New("outcome is not the expected one")

// apply plans, sends, and wants all applied.
func (l *lab) apply(units []score.Unit) (out []sentBatch, err error) {
	planned, err := plan(units)
	if err != nil {
		return nil, err
	}
	for _, b := range planned {
		receipt, err := l.sendBatch(b, score.Applied)
		if err != nil {
			return nil, err
		}
		floor, fresh := l.used.least(b)
		out = append(out, sentBatch{b, receipt.GasUsed, floor, fresh})
	}
	return out, nil
}

// sendBatch sends the batch and wants the outcome of all its updates.
func (l *lab) sendBatch(b batch.Batch, want score.Outcome) (*types.Receipt, error) {
	receipt, err := l.call(relayerKey, registry.EncodeBatch(b))
	if err != nil {
		return nil, err
	}
	outcomes, err := registry.Outcomes(b, l.contract, receipt)
	if err != nil {
		return nil, err
	}
	for i, outcome := range outcomes {
		if outcome != want {
			return nil, fmt.Errorf("%w: %s of update %d of %d, not %s", errOutcome, outcome, i, b.Len(), want)
		}
	}
	return receipt, nil
}
