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
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/event"
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

// world is a deployment: a real chain with the real contract behind an endpoint that can fail, and real streams. Tests play the relayer.
type world struct {
	t          *testing.T
	node       *devnet.Chain
	proxy      *rpcproxy.Proxy
	deployment score.Deployment
	stream     *stream.Stream
	next       uint16 // of the next fresh id
	proven     uint64 // chain.Config.Proven

	metrics *prometheus.Registry
	stalled prometheus.Gauge

	mu      sync.Mutex
	records map[score.ProjectID]*score.Record // the directory
}

func newWorld(t *testing.T, projects ...*score.Project) *world {
	t.Helper()
	w := &world{t: t, proven: 4, metrics: prometheus.NewRegistry(), node: devnet.NewChain(t), records: map[score.ProjectID]*score.Record{}}
	w.stalled = event.NewStalled(w.metrics)
	var err error
	w.proxy, err = rpcproxy.Start(w.node.URL, 1)
	require.NoError(t, err)
	t.Cleanup(w.proxy.Close)
	relayer := devnet.Address(relayerKey)
	receipt := w.node.Transact(t, relayerKey, nil, registry.DeployData(0, relayer, []common.Address{relayer}))
	w.deployment = score.Deployment{Lanes: 1, ChainID: devnet.ChainID, Contract: receipt.ContractAddress, DeployBlock: receipt.BlockNumber.Uint64()}
	js := devnet.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: w.deployment}))
	w.stream, err = stream.Open(t.Context(), js)
	require.NoError(t, err)
	for _, p := range projects {
		w.call(relayerKey, registry.EncodeCreateProject(p))
		w.record(score.RecordOf(p))
	}
	return w
}

// open starts a log as a process would that is new.
func (w *world) open(budget int) *event.Log {
	w.t.Helper()
	log := w.still(budget)
	w.run(log)
	return log
}

func (w *world) run(log *event.Log) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = log.Run(ctx) })
	w.t.Cleanup(func() { cancel(); running.Wait() })
}

// still makes a log that looks at the chain's end only when it is asked where that is.
func (w *world) still(budget int) *event.Log {
	w.t.Helper()
	client, err := chain.Dial(w.t.Context(), chain.Config{URLs: []string{w.proxy.URL}, LogRange: 3, Proven: w.proven, Timeout: time.Minute}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.NoError(w.t, err)
	w.t.Cleanup(client.Close)
	return &event.Log{
		Deployment: w.deployment, Confirmations: confirmations, Chain: client, Projects: w, DeadLetters: w.stream,
		Poll: 5 * time.Millisecond, Budget: budget, Stalled: w.stalled, Logger: slog.New(slog.DiscardHandler),
	}
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

// shows waits until the gauge of readers that cannot be told is as wanted.
func (w *world) shows(stalled float64) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		families, err := w.metrics.Gather()
		require.NoError(w.t, err)
		return families[0].GetMetric()[0].GetGauge().GetValue() == stalled
	}, soon, time.Millisecond)
}

func (w *world) call(key int, data []byte) *types.Receipt {
	w.t.Helper()
	return w.node.Transact(w.t, key, &w.deployment.Contract, data)
}

// relay does what the relayer does with updates.
func (w *world) relay(updates ...score.Update) *types.Receipt {
	w.t.Helper()
	model := registry.GasModel()
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
		Addresses: []common.Address{w.deployment.Contract}, FromBlock: new(big.Int), ToBlock: new(big.Int).SetUint64(final),
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

// to reads from a cursor until it has come to the end.
func (w *world) to(log *event.Log, p *score.Project, from event.Cursor, limit int) (all []event.Event, at event.Cursor) {
	w.t.Helper()
	var end event.Cursor
	var err error
	require.Eventually(w.t, func() bool { // the chain may not have answered until now
		end, err = log.End(w.t.Context())
		return err == nil
	}, soon, time.Millisecond)
	for at = from; !at.Covers(end); {
		var some []event.Event
		some, at = w.read(log, p, at, limit)
		all = append(all, some...)
	}
	return all, at
}

// read is what the log tells after a cursor once it can: on a slow machine the chain may not have answered for many polls.
func (w *world) read(log *event.Log, p *score.Project, after event.Cursor, limit int) ([]event.Event, event.Cursor) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), soon)
	defer cancel()
	for {
		some, at, err := log.Next(ctx, p.ID, after, limit)
		if err == nil {
			return some, at
		}
		require.NotErrorIs(w.t, err, event.ErrReplaced)
		require.NoError(w.t, ctx.Err(), "the log told nothing: %v", err)
		time.Sleep(time.Millisecond)
	}
}
