package index_test

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/stream"
)

// facts is the ledger of a world, with a writer and a source.
type facts struct {
	*world

	store  *stream.Ledger
	source *ledger.Source
	writer *ledger.Writer
}

func (w *world) followed() *facts {
	w.t.Helper()
	store, err := w.stream.Ledger(w.t.Context(), nil)
	require.NoError(w.t, err)
	l := &facts{world: w, store: store, source: &ledger.Source{Ledger: store, Chain: heads{w}, Deployment: w.deployment, Log: discard()}}
	l.again()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = l.source.Run(ctx) })
	w.t.Cleanup(func() { cancel(); running.Wait() })
	return l
}

// again has another writer append from now on.
func (l *facts) again() {
	l.writer = &ledger.Writer{Deployment: l.deployment, Heads: heads{l.world}, Chain: heads{l.world}, Letters: l.stream, Ledger: l.store, Log: discard()}
}

// append appends what is final, and waits until the source has it.
func (l *facts) append() *ledger.Message {
	l.t.Helper()
	require.NoError(l.t, l.writer.CatchUp(l.t.Context()))
	_, last, err := l.store.Bounds(l.t.Context())
	require.NoError(l.t, err)
	var end *ledger.Message
	require.Eventually(l.t, func() bool {
		if last == 0 { // nothing is final yet
			return true
		}
		end, err = l.source.End(l.t.Context())
		return err == nil && end.Seq == last
	}, testPatience, time.Millisecond)
	return end
}

// purge has the ledger forget all but its newest messages.
func (l *facts) purge(keep uint64) {
	l.t.Helper()
	s, err := l.js.Stream(l.t.Context(), stream.LedgerName)
	require.NoError(l.t, err)
	require.NoError(l.t, s.Purge(l.t.Context(), jetstream.WithPurgeKeep(keep)))
}

// hand runs a fold by hand.
type hand struct {
	*facts

	fold  ledger.Fold
	at    ledger.Position
	begun bool
}

func (l *facts) hand(f ledger.Fold) *hand { return &hand{facts: l, fold: f} }

// catchUp appends what is final and has the fold follow it to the ledger's end, as ledger.RunFold does but that it stops at an error that may pass, and waits for no ledger that is behind.
func (h *hand) catchUp() (err error) {
	h.t.Helper()
	if h.append() == nil {
		return nil
	}
	for lost, n := false, 0; n < 10; n++ {
		err = retry.Contained(func() error { return h.through(lost) })
		h.begun, lost = err == nil, errors.Is(err, ledger.ErrReplaced) || errors.Is(err, ledger.ErrAhead)
		if err == nil || !lost && !errors.Is(err, ledger.ErrFoldMoved) {
			return err
		}
	}
	return err
}

func (h *hand) through(lost bool) (err error) {
	ctx := h.t.Context()
	if !h.begun {
		if h.at, err = h.fold.Begin(ctx, lost); err != nil {
			return err
		}
	}
	for {
		if err := h.fold.(ledger.Checker).Check(ctx); err != nil {
			return err
		}
		end, err := h.source.End(ctx)
		if err != nil {
			return err
		}
		if h.at.Block == end.Position.Block && h.at.Hash == end.Position.Hash && (h.at.Seq == 0 || h.at.Seq == end.Seq) {
			return nil
		}
		some, err := h.source.Next(ctx, h.at)
		if err != nil {
			return err
		}
		if err := h.fold.Apply(ctx, some); err != nil {
			return err
		}
		h.at = some[len(some)-1].Position
	}
}

// eventually catches up until that ends well, as RunFold does.
func (h *hand) eventually() {
	h.t.Helper()
	require.EventuallyWithT(h.t, func(t *assert.CollectT) { require.NoError(t, h.catchUp()) }, testPatience, time.Millisecond)
}

// over catches up over a crash: the same process tries again, or one begins whose fold is another.
func (h *hand) over(crash fault.Crash, another ledger.Fold) {
	h.t.Helper()
	err := h.catchUp()
	if err == nil {
		return
	}
	require.ErrorIs(h.t, err, fault.Err, crash)
	if crash.Another {
		*h = *h.hand(another)
	}
	h.eventually()
}

// run runs folds, and a writer, as a relayer does, until the function that it returns is called.
func (l *facts) run(folds ...ledger.Fold) (stop func()) {
	ctx, cancel := context.WithCancel(l.t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = l.writer.Run(ctx) })
	for _, f := range folds {
		running.Go(func() { _ = ledger.RunFold(ctx, l.source, f, "what is folded", discard()) })
	}
	stop = func() { cancel(); running.Wait() }
	l.t.Cleanup(stop)
	return stop
}

// Paid makes the world a ledger.Chain, with heads.
func (w *world) Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	return w.client.Paid(ctx, logs)
}

// events are the contract's in the blocks up to one, as the node itself tells them.
func (w *world) events(to uint64, topics []common.Hash, fn func(registry.Event, *types.Log)) {
	w.t.Helper()
	logs, err := w.node.Client().FilterLogs(w.t.Context(), ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(w.deployment.DeployBlock), ToBlock: new(big.Int).SetUint64(to), Addresses: []common.Address{w.deployment.Contract}, Topics: [][]common.Hash{topics},
	})
	require.NoError(w.t, err)
	for i := range logs {
		event, err := registry.ParseLog(&logs[i])
		require.NoError(w.t, err)
		fn(event, &logs[i])
	}
}

func counted(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("no metric " + name)
	return 0
}
