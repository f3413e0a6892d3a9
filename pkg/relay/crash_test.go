package relay_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// crash kills a relayer at its n-th write of a kind, in either way in which a write fails. From then on the relayer reaches
// nothing, as if its process were gone.
type crash struct {
	*fault.Plan
	happened atomic.Bool
}

func newCrash(kind string, n int, how fault.Kind) *crash {
	c := &crash{}
	c.Plan = fault.NewPlan(func(write string, _ int) fault.Kind {
		if c.happened.Load() {
			return fault.Failed
		}
		if write == kind {
			n--
		}
		if n > 0 {
			return fault.None
		}
		c.happened.Store(true)
		return how
	})
	return c
}

// around puts a plan between a relayer and everything it writes to.
func around(plan *fault.Plan, d relay.Deps) relay.Deps {
	d.Journal = faultyJournal{d.Journal, plan}
	d.Chain = faultyChain{d.Chain, plan}
	d.Source = faultySource{d.Source, plan}
	d.Statuses = faultyStatuses{d.Statuses, plan}
	signer := d.Signer
	d.Signer = func(address common.Address) (relay.Signer, bool) {
		s, has := signer(address)
		return faultySigner{s, plan}, has
	}
	return d
}

type faultyJournal struct {
	relay.Journal
	*fault.Plan
}

func (j faultyJournal) Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error) {
	seq, err := fault.Value(j.Plan, "append", func() (uint64, error) {
		return j.Journal.Append(context.WithoutCancel(ctx), id, last, e)
	})
	if errors.Is(err, fault.Err) {
		err = fmt.Errorf("%w: %w", lane.ErrAmbiguous, err)
	}
	return seq, err
}

func (j faultyJournal) Purge(ctx context.Context, id score.Lane, below uint64) error {
	return j.Write("purge", func() error { return j.Journal.Purge(context.WithoutCancel(ctx), id, below) })
}

type faultyChain struct {
	relay.Chain
	*fault.Plan
}

func (c faultyChain) Send(ctx context.Context, raw [][]byte) []txpool.Result {
	results, err := fault.Value(c.Plan, "send", func() ([]txpool.Result, error) {
		return c.Chain.Send(context.WithoutCancel(ctx), raw), nil
	})
	if err != nil {
		results = slices.Repeat([]txpool.Result{{Class: txpool.Timeout, Err: err}}, len(raw))
	}
	return results
}

type faultySource struct {
	relay.Source
	*fault.Plan
}

// AddDeadLetters stores them one by one, so that a fault may come between any two.
func (s faultySource) AddDeadLetters(ctx context.Context, letters []score.DeadLetter) error {
	for i := range letters {
		if err := s.Write("dead letter", func() error {
			return s.Source.AddDeadLetters(context.WithoutCancel(ctx), letters[i:i+1])
		}); err != nil {
			return err
		}
	}
	return nil
}

type faultyStatuses struct {
	relay.Statuses
	*fault.Plan
}

func (s faultyStatuses) Bound(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error {
	return s.Write("bound", func() error { return s.Statuses.Bound(ctx, id, nonce, refs, final, txs) })
}

func (s faultyStatuses) Slot(ctx context.Context, id score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	return s.Write("slot", func() error { return s.Statuses.Slot(ctx, id, epoch, nonce, stage, tx, block) })
}

func (s faultyStatuses) Released(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	return s.Write("released", func() error { return s.Statuses.Released(ctx, id, nonce, refs) })
}

type faultySigner struct {
	relay.Signer
	*fault.Plan
}

func (s faultySigner) Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error) {
	return fault.Value(s.Plan, "sign", func() (*types.Transaction, error) { return s.Signer.Sign(ctx, tx) })
}

// TestARelayerKilledAtAnyWriteLosesAndDoublesNothing kills it at the first, second, third … write of each kind, before
// and after the write is done, until a kind has no more writes for the work given or the twelfth, and lets a successor go
// on each time. The gate kills it at the first and the fourth.
func TestARelayerKilledAtAnyWriteLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"append", "send", "dead letter", "bound", "slot", "sign", "purge"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.create(1)
			config := w.config()
			config.SnapshotEvery = 8
			kills, bad, first := map[fault.Kind]int{}, 0, 0
			for _, how := range []fault.Kind{fault.Failed, fault.Persisted} {
				for n := 1; n <= long.Size(4, 12); n += long.Size(3, 1) {
					updates := some(1, first, 45) // three slots
					for i := range 3 {
						updates[7+i].Action = 99 // which become dead letters, of a signed group
					}
					first, bad = first+len(updates), bad+3
					c := newCrash(kind, n, how)
					stop := w.start(config, around(c.Plan, w.deps()))
					w.acceptEnvelope(w.mixed(updates))
					for !c.happened.Load() && !w.drained() {
						w.mine()
					}
					stop()
					stop = w.start(config, w.deps())
					w.drain()
					stop()
					if !c.happened.Load() {
						break
					}
					kills[how]++
				}
			}
			require.Positive(t, kills[fault.Failed], "no relayer was killed before a write")
			require.Positive(t, kills[fault.Persisted], "no relayer was killed after a write")
			require.Equal(t, map[score.Outcome]int{score.Applied: first - bad, score.UnknownAction: bad}, w.audit(), "not even a duplicate")
			require.Len(t, w.deadLetters(), bad)
			require.Equal(t, bad, w.wholeGroups(), "three in each round, too")
			t.Logf("kills by how the write failed: %v, %d updates", kills, first)
		})
	}
}
