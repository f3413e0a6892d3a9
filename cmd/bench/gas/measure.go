package gas

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

var (
	errPlan    = errors.New("an empty batch takes no update")
	errOutcome = errors.New("outcome is not the expected one")
)

type sentBatch struct {
	batch batch.Batch
	gas   uint64
	floor uint64 // lower bound under osaka, see least
	fresh batch.Fresh
	bytes int // upper bound of the transaction's size
}

func perUpdate(gas uint64, updates int) uint64 { return (gas + uint64(updates) - 1) / uint64(updates) }

type lab struct {
	*machine
	used used
}

func newLab(base *machine, g *generator) (*lab, error) {
	l := &lab{machine: base.fork(), used: used{}}
	for _, p := range g.projects {
		if _, err := l.create(p); err != nil {
			return nil, fmt.Errorf("couldn't create a project: %w", err)
		}
	}
	if g.fresh {
		return l, nil
	}
	for part := range slices.Chunk(g.existing(), 100) {
		if _, err := l.apply(unsigned(part)); err != nil {
			return nil, fmt.Errorf("couldn't make scores: %w", err)
		}
	}
	return l, nil
}

func (r row) measure(base *machine) (out []sentBatch, err error) {
	g := newGenerator(r)
	l, err := newLab(base, g)
	if err != nil {
		return nil, err
	}
	domain := sdk.NewDomain(l.rules.config.ChainID.Uint64(), l.contract)
	for range r.batches() {
		updates := g.next()
		units := unsigned(updates)
		if r.signed {
			if units, err = signed(domain, updaterKey(0, 0), updates); err != nil {
				return nil, err
			}
		}
		sent, err := l.apply(units)
		if err != nil {
			return nil, err
		}
		out = append(out, sent...)
	}
	return out, nil
}

func unsigned(updates []score.Update) []score.Unit { return slices.Collect(score.Units(updates, nil)) }

// signed signs the updates, all of one project, in the SDK's groups.
func signed(domain sdk.Domain, key *ecdsa.PrivateKey, updates []score.Update) (out []score.Unit, err error) {
	list, byID := make([]sdk.Update, len(updates)), map[score.UpdateID]score.Update{}
	for i, u := range updates {
		list[i] = sdk.Update{UpdateID: u.ID, TargetWallet: u.Target, Action: u.Action, ScoreType: u.ScoreType}
		byID[u.ID] = u
	}
	groups, err := sdk.BuildGroups(updates[0].Project, list)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		group, err := g.Sign(context.Background(), domain, sdk.KeySigner(key))
		if err != nil {
			return nil, err
		}
		unit := score.Unit{Kind: g.Kind, Signature: (*score.GroupSignature)(group.Signature)}
		for _, u := range g.Updates {
			unit.Updates = append(unit.Updates, byID[u.UpdateID])
		}
		out = append(out, unit)
	}
	return out, nil
}

// plan packs units in order into batches, as a relayer does.
func plan(model batch.Model, units []score.Unit) (out []batch.Batch, err error) {
	builder, err := batch.NewBuilder(model, batch.DefaultLimits())
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		if builder.AddUnit(u) {
			continue
		}
		out = append(out, builder.Build())
		builder.Reset()
		if !builder.AddUnit(u) {
			return nil, errPlan
		}
	}
	return append(out, builder.Build()), nil
}

// apply plans and sends the units, which must all be applied.
func (l *lab) apply(units []score.Unit) (out []sentBatch, err error) {
	planned, err := plan(l.rules.model.Batch, units)
	if err != nil {
		return nil, err
	}
	for _, b := range planned {
		receipt, err := l.sendBatch(b, score.Applied)
		if err != nil {
			return nil, err
		}
		floor, fresh := l.used.least(b)
		out = append(out, sentBatch{b, receipt.GasUsed, floor, fresh, registry.EnvelopeBytes + len(registry.EncodeBatch(b))})
	}
	return out, nil
}

// sendBatch sends a batch, and returns errOutcome if an update's outcome is other than want.
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
