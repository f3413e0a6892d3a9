package event_test

import (
	"context"
	"log/slog"
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

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/lent"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// The accounts of devnet that act here.
const (
	relayerKey = iota
	ownerKey
	updaterKey
)

const (
	confirmations = 3
	soon          = 3 * time.Minute
)

// world is a deployment: a real chain with the real contract behind an endpoint that can fail, and real streams. Tests play the relayer, also that which writes the ledger.
type world struct {
	t          *testing.T
	node       *devnet.Chain
	proxy      *rpcproxy.Proxy
	deployment score.Deployment
	js         jetstream.JetStream
	stream     *stream.Stream
	ledger     *stream.Ledger
	writer     *ledger.Writer
	next       uint16 // of the next fresh id

	metrics *prometheus.Registry
	stalled *event.Stalled

	mu      sync.Mutex
	records map[score.ProjectID]*score.Record // the directory
}

func newWorld(t *testing.T, projects ...*score.Project) *world {
	t.Helper()
	return newWorldOn(t, lent.Chain(t), projects...)
}

// newWorldOn is newWorld on a chain of its own, whose clock is not ahead by the blocks of other tests.
func newWorldOn(t *testing.T, node *devnet.Chain, projects ...*score.Project) *world {
	t.Helper()
	w := &world{t: t, metrics: prometheus.NewRegistry(), node: node, records: map[score.ProjectID]*score.Record{}}
	w.stalled = event.NewStalled(w.metrics)
	var err error
	w.proxy, err = rpcproxy.Start(w.node.URL, 1)
	require.NoError(t, err)
	t.Cleanup(w.proxy.Close)
	relayer := devnet.Address(relayerKey)
	receipt := fresh.Transact(t, w.node, relayerKey, nil, registry.DeployData(0, relayer, []common.Address{relayer}))
	w.deployment = score.Deployment{Lanes: 1, ChainID: devnet.ChainID, Contract: receipt.ContractAddress, DeployBlock: receipt.BlockNumber.Uint64()}
	w.js = lent.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), w.js, stream.Config{Deployment: w.deployment}))
	w.stream, err = stream.Open(t.Context(), w.js)
	require.NoError(t, err)
	w.ledger, err = w.stream.Ledger(t.Context(), nil)
	require.NoError(t, err)
	w.writer = w.newWriter()
	for _, p := range projects {
		w.create(p)
	}
	return w
}

// create creates a project, and has the directory know it.
func (w *world) create(p *score.Project) {
	w.t.Helper()
	receipt, rec := w.call(relayerKey, registry.EncodeCreateProject(p)), score.RecordOf(p)
	rec.Created = receipt.BlockNumber.Uint64()
	w.record(rec)
}

func (w *world) newWriter() *ledger.Writer {
	client := w.dial(w.node.URL)
	return &ledger.Writer{
		Deployment: w.deployment, Heads: following{client}, Chain: client, Letters: w.stream, Ledger: w.ledger, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}
}

func (w *world) dial(url string) *chain.Client {
	w.t.Helper()
	client, err := chain.Dial(w.t.Context(), chain.Config{URLs: []string{url}, LogRange: 3, Proven: 4, Timeout: time.Minute}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.NoError(w.t, err)
	w.t.Cleanup(client.Close)
	return client
}

// following is a chain as the process follows it.
type following struct{ *chain.Client }

func (f following) Final() (evidence.Block, bool) {
	b, err := f.FinalBlock(context.Background(), confirmations)
	return b, err == nil
}

func (f following) Block(number uint64) (evidence.Block, bool) {
	b, err := f.BlockByNumber(context.Background(), number)
	return b, err == nil
}

func (following) Changed() <-chan struct{} { return nil }

// write has the ledger hold what is final.
func (w *world) write() {
	w.t.Helper()
	require.NoError(w.t, w.writer.CatchUp(w.t.Context()))
}

// finalize has all that was done be final, and in the ledger.
func (w *world) finalize() {
	w.t.Helper()
	w.blocks(confirmations)
	w.write()
}

// purge has the ledger begin at the newest final block: what came before it is read from the chain.
func (w *world) purge() {
	w.t.Helper()
	of, err := w.js.Stream(w.t.Context(), stream.LedgerName)
	require.NoError(w.t, err)
	require.NoError(w.t, of.Purge(w.t.Context()))
	w.writer = w.newWriter()
	w.writer.Deployment.DeployBlock = w.top() + 1 - confirmations
	w.write()
}

// open starts a reader as a process would that is new, which keeps so many bytes in memory.
func (w *world) open(budget int) *event.Reader {
	w.t.Helper()
	r := w.still(budget)
	w.run(r)
	return r
}

// still makes a reader whose source does not run yet.
func (w *world) still(budget int) *event.Reader {
	w.t.Helper()
	client := w.dial(w.proxy.URL)
	return &event.Reader{
		Source:  &ledger.Source{Ledger: w.ledger, Chain: client, Deployment: w.deployment, Budget: budget, Log: slog.New(slog.DiscardHandler)},
		Letters: w.stream, Chain: client, Deployment: w.deployment, Projects: w, Poll: 5 * time.Millisecond, Stalled: w.stalled, Log: slog.New(slog.DiscardHandler),
	}
}

func (w *world) run(r *event.Reader) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = r.Source.Run(ctx) })
	w.t.Cleanup(func() { cancel(); running.Wait() })
}

// Project is the world as event.Projects.
func (w *world) Project(id score.ProjectID) (*score.Record, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rec, ok := w.records[id]
	return rec, ok
}

func (w *world) record(rec *score.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records[rec.ID] = rec
}

// shows waits until the gauge of readers that wait is as wanted.
func (w *world) shows(stalled float64) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.shown() == stalled }, soon, time.Millisecond)
}

func (w *world) shown() (stalled float64) {
	families, err := w.metrics.Gather()
	require.NoError(w.t, err)
	return families[0].GetMetric()[0].GetGauge().GetValue()
}

func (w *world) call(key int, data []byte) *types.Receipt {
	w.t.Helper()
	return fresh.Transact(w.t, w.node, key, &w.deployment.Contract, data)
}

// relay does what the relayer does with updates.
func (w *world) relay(updates ...score.Update) *types.Receipt {
	w.t.Helper()
	model := registry.Osaka().Batch
	return w.call(relayerKey, registry.EncodeBatch(batch.Plan(&model, updates, nil)))
}

// blocks makes empty ones.
func (w *world) blocks(n int) {
	for range n {
		w.node.Commit()
	}
}

func (w *world) top() uint64 {
	w.t.Helper()
	n, err := w.node.Client().BlockNumber(w.t.Context())
	require.NoError(w.t, err)
	return n
}

func project(n byte) *score.Project {
	return &score.Project{
		ID: score.ProjectID{n}, Name: "Acme", ScoreTypes: []string{"reputation", "karma"},
		Actions: []score.Action{{Name: "buy", Points: 5}, {Name: "burn", Points: 7, Direction: score.Subtract}},
		Owners:  []common.Address{devnet.Address(ownerKey)}, Updaters: []common.Address{devnet.Address(updaterKey)},
	}
}

// fresh makes n updates with ids of their own.
func (w *world) fresh(p *score.Project, n int) []score.Update {
	updates := make([]score.Update, n)
	for i := range updates {
		w.next++
		updates[i] = score.Update{
			Project: p.ID, ID: score.UpdateID{0: byte(w.next % 3), 30: byte(w.next >> 8), 31: byte(w.next)}, Signer: devnet.Address(updaterKey),
			Target: common.Address{19: byte(w.next%5) + 1}, Action: uint8(w.next % 2), ScoreType: uint8(w.next % 2),
		}
	}
	return updates
}

// deadLetter stores one of an update that no transaction could carry.
func (w *world) deadLetter(u score.Update) {
	w.t.Helper()
	w.next++
	require.NoError(w.t, w.stream.AddDeadLetters(w.t.Context(), []score.DeadLetter{{Update: &u, Outcome: score.Unprocessable, Work: uint64(w.next), Reason: "test"}}))
}

// executed are the ids of what the contract's own logs say of a project, in order, up to the final block.
func (w *world) executed(p *score.Project) (ids []string) {
	w.t.Helper()
	final := w.top() + 1 - confirmations
	logs, err := w.node.Client().FilterLogs(w.t.Context(), ethereum.FilterQuery{
		Addresses: []common.Address{w.deployment.Contract}, FromBlock: new(big.Int).SetUint64(w.deployment.DeployBlock), ToBlock: new(big.Int).SetUint64(final),
		Topics: [][]common.Hash{registry.UpdateTopics()},
	})
	require.NoError(w.t, err)
	for i := range logs {
		parsed, err := registry.ParseLog(&logs[i])
		require.NoError(w.t, err)
		for index := range registry.ExecutedOf(parsed, p.ID) {
			ids = append(ids, idOf(&logs[i], index))
		}
	}
	return ids
}

// end is the newest position of the ledger, once a reader has it.
func (w *world) end(r *event.Reader) (end event.Cursor) {
	w.t.Helper()
	_, last, err := w.ledger.Bounds(w.t.Context())
	require.NoError(w.t, err)
	require.Eventually(w.t, func() bool {
		end, err = r.End(w.t.Context())
		return err == nil && end.Seq >= last
	}, soon, time.Millisecond)
	return end
}

// to writes the ledger, and reads from a cursor until it has come to the end.
func (w *world) to(r *event.Reader, p *score.Project, from event.Cursor, limit int) (all []event.Event, at event.Cursor) {
	w.t.Helper()
	w.write()
	end := w.end(r)
	for at = from; at != end; {
		var some []event.Event
		some, at = w.read(r, p, at, limit)
		all = append(all, some...)
	}
	return all, at
}

// read is what comes after a cursor once it can be read: on a slow machine the chain may not have answered for many polls.
func (w *world) read(r *event.Reader, p *score.Project, after event.Cursor, limit int) (some []event.Event, at event.Cursor) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), soon)
	defer cancel()
	require.EventuallyWithT(w.t, func(t *assert.CollectT) {
		var err error
		some, at, err = r.Next(ctx, p.ID, after, limit)
		assert.NotErrorIs(w.t, err, event.ErrReplaced)
		require.NoError(t, err)
	}, soon, time.Millisecond)
	return some, at
}
