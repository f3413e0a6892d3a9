package index_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/lent"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// The accounts of devnet that act here.
const (
	relayerKey = iota
	ownerKey
	updaterKey
	strangerKey
)

const (
	lanes    = 2
	logRange = 3 // blocks of one question for logs
)

// world is a deployment: a real chain with the real contract, and real streams. Tests play the API and the relayer.
type world struct {
	t          *testing.T
	node       *devnet.Chain
	client     *chain.Client
	deployment score.Deployment
	js         jetstream.JetStream
	stream     *stream.Stream
	depth      atomic.Uint64 // blocks that are not final

	settled [score.Buckets]score.Position // by bucket
	next    byte                          // last byte of the next fresh id
	dead    score.Lane                    // this lane was declared dead, if it is not 0

	mu      sync.Mutex
	changed chan struct{}
	noLogs  atomic.Bool // logs are empty
	noProof atomic.Bool // blocks' receipts cannot be had
	poison  atomic.Bool // who reads events panics
	proofs  atomic.Int64
	lie     atomic.Pointer[evidence.Block] // what BlockByNumber says
	keep    atomic.Uint64                  // blocks that Heads remembers
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, changed: make(chan struct{})}
	w.keep.Store(3)
	w.startChain()
	w.js = lent.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), w.js, stream.Config{Deployment: w.deployment}))
	var err error
	w.stream, err = stream.Open(t.Context(), w.js)
	require.NoError(t, err)
	return w
}

func (w *world) startChain() {
	w.node = lent.Chain(w.t)
	client, err := chain.Dial(w.t.Context(), chain.Config{URLs: []string{w.node.URL}, LogRange: logRange, Timeout: time.Minute}, discard(), prometheus.NewRegistry())
	require.NoError(w.t, err)
	w.t.Cleanup(client.Close)
	w.client = client
	relayer := devnet.Address(relayerKey)
	receipt := w.transact(relayerKey, nil, registry.DeployData(0, relayer, []common.Address{relayer}))
	w.deployment = score.Deployment{
		Lanes: lanes, ChainID: devnet.ChainID, Contract: receipt.ContractAddress, DeployBlock: receipt.BlockNumber.Uint64(),
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// transact puts one transaction into a block of its own.
func (w *world) transact(key int, to *common.Address, data []byte) *types.Receipt {
	w.t.Helper()
	receipt := fresh.Transact(w.t, w.node, key, to, data)
	w.news()
	return receipt
}

// call sends calldata to the contract.
func (w *world) call(key int, data []byte) *types.Receipt {
	w.t.Helper()
	return w.transact(key, &w.deployment.Contract, data)
}

// Head, FinalBlock, BlockByNumber, Logs and Call are the world as an index.Chain.

func (w *world) Head(ctx context.Context) (evidence.Block, error) {
	return w.client.Head(ctx)
}

func (w *world) FinalBlock(ctx context.Context, _ uint64) (evidence.Block, error) {
	head, err := w.client.Head(ctx)
	if err != nil {
		return evidence.Block{}, err
	}
	return w.BlockByNumber(ctx, head.Number-min(head.Number, w.depth.Load()))
}

func (w *world) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	if lie := w.lie.Load(); lie != nil {
		return *lie, nil
	}
	return w.client.BlockByNumber(ctx, number)
}

func (w *world) Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64,
	fn func(evidence.Block, []types.Log) error,
) error {
	return w.client.Logs(ctx, contract, topics, from, to, func(through evidence.Block, logs []types.Log) error {
		if w.noLogs.Load() {
			logs = nil
		}
		if w.poison.Load() && len(logs) > 0 {
			panic("planted at an event")
		}
		return fn(through, logs)
	})
}

func (w *world) Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error) {
	return w.client.Call(ctx, msg, at)
}

// State is the world as an index.Journals.
func (w *world) State(_ context.Context, id score.Lane) (*lane.State, uint64, error) {
	state := &lane.State{Epoch: 1, Buckets: map[score.Bucket]lane.Holding{}, Abandoned: id > 0 && id == w.dead}
	for b := range score.Buckets {
		if bucket := score.Bucket(b); score.FirstOwner(bucket, lanes) == id {
			state.Buckets[bucket] = lane.Holding{Extent: lane.Extent{Floor: w.settled[b]}}
		}
	}
	return state, 1, nil
}

func (w *world) lanes(context.Context) (int, error) { return lanes, nil }

// settleAll says that every lane is done with all that the stream holds.
func (w *world) settleAll() {
	state, err := w.stream.State(w.t.Context())
	require.NoError(w.t, err)
	for i := range w.settled {
		w.settled[i] = score.Position{Seq: state.LastSeq + 1}
	}
}

func project(n byte) *score.Project {
	return &score.Project{
		ID: score.ProjectID{n}, Name: "Acme", ScoreTypes: []string{"reputation", "karma"},
		Actions: []score.Action{{Name: "buy", Points: 5}, {Name: "burn", Points: 7, Direction: score.Subtract}},
		Owners:  []common.Address{devnet.Address(ownerKey)}, Updaters: []common.Address{devnet.Address(updaterKey)},
	}
}

// accept does what the API does with updates.
func (w *world) accept(updates ...score.Update) {
	w.t.Helper()
	state, err := w.stream.State(w.t.Context())
	require.NoError(w.t, err)
	require.NoError(w.t, w.stream.PublishEnvelope(w.t.Context(), time.Unix(0, int64(state.LastSeq)).String(), updates, nil))
}

// publish accepts a creation, again if it replaces one.
func (w *world) publish(p *score.Project, replaces uint64) {
	w.t.Helper()
	require.NoError(w.t, w.stream.PublishProject(w.t.Context(), fmt.Sprintf("%s after %d", p.ID, replaces), p, replaces))
}

// create accepts a creation and has it final.
func (w *world) create(p *score.Project) {
	w.t.Helper()
	w.publish(p, 0)
	w.call(relayerKey, registry.EncodeCreateProject(p))
}

// relay does what the relayer does with updates.
func (w *world) relay(updates ...score.Update) *types.Receipt {
	w.t.Helper()
	model := registry.Osaka().Batch
	return w.call(relayerKey, registry.EncodeBatch(batch.Plan(&model, updates, nil)))
}

// fresh makes n updates with ids of their own.
func (w *world) fresh(p *score.Project, n int) []score.Update {
	updates := make([]score.Update, n)
	for i := range updates {
		w.next++
		updates[i] = score.Update{
			Project: p.ID, ID: score.UpdateID{0: w.next % 3, 31: w.next}, Signer: devnet.Address(updaterKey),
			Target: common.Address{19: w.next % 5}, Action: w.next % 2, ScoreType: w.next % 2,
		}
	}
	return updates
}

// direct applies an update without the relayer.
func (w *world) direct(u score.Update) *types.Receipt {
	w.t.Helper()
	p := project(0)
	return w.call(updaterKey, calls.UpdateScore(u.Project, u.ID, p.Actions[u.Action].Name, p.ScoreTypes[u.ScoreType], u.Target))
}

func (w *world) deadLetter(d score.DeadLetter) {
	w.t.Helper()
	d.Time, d.Reason, d.Work = time.Now(), "test", d.Seq
	require.NoError(w.t, w.stream.AddDeadLetters(w.t.Context(), []score.DeadLetter{d}))
}
