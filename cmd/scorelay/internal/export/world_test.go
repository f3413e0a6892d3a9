package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/export"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// task is an export, for a process of its own too.
type task struct {
	URL, NATS    string
	Deployment   score.Deployment
	ID           score.ProjectID
	Project      score.DatedRecord
	What, Format string
	Path, After  string
}

// variable has a task for a process that is to do just that.
const variable = "SCORELAY_TEST_EXPORT"

func TestMain(m *testing.M) {
	raw := os.Getenv(variable)
	if raw == "" {
		os.Exit(m.Run())
	}
	var x task
	if err := json.Unmarshal([]byte(raw), &x); err != nil {
		panic(err)
	}
	if err := x.run(context.Background(), os.Stdout, func(text string) { fmt.Fprintln(os.Stderr, text) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run exports, in ranges of few blocks.
func (x task) run(ctx context.Context, out io.Writer, tell func(string)) error {
	client, err := dial(ctx, x.URL)
	if err != nil {
		return err
	}
	defer client.Close()
	conn, err := nats.Connect(x.NATS)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	opened, err := stream.Open(ctx, js)
	if err != nil {
		return err
	}
	facts, err := opened.FindLedger(ctx)
	if err != nil {
		return err
	}
	return (&export.Export{
		Deployment: x.Deployment, ID: x.ID, Project: x.Project, Chain: client, Ledger: facts, Log: discard,
		What: x.What, Format: x.Format, After: x.After, Path: x.Path, Out: out, Say: tell,
	}).Run(ctx)
}

var discard = slog.New(slog.DiscardHandler)

func dial(ctx context.Context, url string) (*chain.Client, error) {
	config := chain.Config{URLs: []string{url}, LogRange: 3, Proven: 2, Timeout: time.Minute}
	return chain.Dial(ctx, config, discard, prometheus.NewRegistry())
}

// The accounts of devnet that act here.
const (
	relayerKey = iota
	ownerKey
)

// world is a chain with the contract and a project on it, and a ledger, in which all of its blocks are final.
type world struct {
	t          *testing.T
	node       *devnet.Chain
	client     *chain.Client
	deployment score.Deployment
	project    *score.Project
	record     score.DatedRecord // as the directory has it
	next       uint32            // updateId

	nats   string // URL
	js     jetstream.JetStream
	stream *stream.Stream
	writer *ledger.Writer
}

// Final, Block and Changed are the world as a ledger.Heads, to which every block is final.

func (w *world) Final() (evidence.Block, bool) {
	b, err := w.client.Head(context.Background())
	return b, err == nil
}

func (w *world) Block(number uint64) (evidence.Block, bool) {
	b, err := w.client.BlockByNumber(context.Background(), number)
	return b, err == nil
}

func (w *world) Changed() <-chan struct{} { return nil }

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, node: fresh.NewChain(t)}
	relayer := devnet.Address(relayerKey)
	receipt := fresh.Transact(t, w.node, relayerKey, nil, registry.DeployData(0, relayer, []common.Address{relayer}))
	w.deployment = score.Deployment{
		Lanes: 1, ChainID: devnet.ChainID, Contract: receipt.ContractAddress, DeployBlock: receipt.BlockNumber.Uint64(),
	}
	w.project = &score.Project{
		ID: score.ProjectID{1}, Name: "Acme", ScoreTypes: []string{"reputation", "+karma, \"old\""},
		Actions: []score.Action{
			{Name: "=HYPERLINK(\"http://x\",\"y\")", Points: 5},
			{Name: "burn\n<b>", Points: 1<<31 - 1, Direction: score.Subtract},
		},
		Owners: []common.Address{devnet.Address(ownerKey)},
	}
	var err error
	w.client, err = dial(t.Context(), w.node.URL)
	require.NoError(t, err)
	t.Cleanup(w.client.Close)
	server := fresh.NATS(t)
	w.nats = server.URL
	w.js = fresh.JetStreamAt(t, w.nats)
	require.NoError(t, stream.Setup(t.Context(), w.js, stream.Config{Deployment: w.deployment}))
	opened, err := stream.Open(t.Context(), w.js)
	require.NoError(t, err)
	w.stream = opened
	w.again()
	w.create()
	return w
}

// again has another writer write the ledger, which it begins if there is none.
func (w *world) again() {
	w.t.Helper()
	facts, err := w.stream.Ledger(w.t.Context(), nil)
	require.NoError(w.t, err)
	w.writer = &ledger.Writer{
		Deployment: w.deployment, Heads: w, Chain: w.client, Letters: w.stream, Ledger: facts, Log: discard,
	}
	w.written()
}

// block is the hash of the chain's block of a height.
func (w *world) block(number uint64) common.Hash {
	b, ok := w.Block(number)
	require.True(w.t, ok)
	return b.Hash
}

func (w *world) create() {
	w.t.Helper()
	receipt := fresh.Transact(w.t, w.node, relayerKey, &w.deployment.Contract, registry.EncodeCreateProject(w.project))
	w.record = score.DatedRecord{Record: score.RecordOf(w.project), Created: receipt.BlockNumber.Uint64()}
	w.written()
}

// written has the ledger hold all blocks.
func (w *world) written() {
	w.t.Helper()
	require.NoError(w.t, w.writer.CatchUp(w.t.Context()))
}

// forget purges all but the newest messages of the ledger: blocks before them are read from the chain.
func (w *world) forget(but uint64) {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream.LedgerName)
	require.NoError(w.t, err)
	require.NoError(w.t, s.Purge(w.t.Context(), jetstream.WithPurgeKeep(but)))
}

// reorg puts other blocks in the place of those above one: what happens and then empty ones, until the chain is
// longer than it was.
func (w *world) reorg(above common.Hash, what func()) {
	w.t.Helper()
	was, ok := w.Final()
	require.True(w.t, ok)
	require.NoError(w.t, w.node.Fork(above))
	w.node.Rollback()
	what()
	for {
		if is, _ := w.Final(); is.Number > was.Number {
			break
		}
		w.node.Commit()
	}
	w.written()
}

const wallets = 7

// batches puts so many batches of ten updates into blocks of their own, of which one has an action that the project
// does not have.
func (w *world) batches(n int) {
	w.t.Helper()
	model := registry.Osaka().Batch
	for range n {
		updates := make([]score.Update, 10)
		for i := range updates {
			w.next++
			updates[i] = score.Update{
				Project: w.project.ID, ID: score.UpdateID{0: byte(w.next % 3), 30: byte(w.next >> 8), 31: byte(w.next)},
				Signer: devnet.Address(ownerKey), Target: common.Address{19: byte(w.next % wallets)},
				Action: uint8(w.next % 2), ScoreType: uint8(w.next / 2 % 2),
			}
		}
		updates[3].Action = 77
		fresh.Transact(w.t, w.node, relayerKey, &w.deployment.Contract, registry.EncodeBatch(batch.Plan(&model, updates, nil)))
	}
	w.written()
}

func (w *world) task(what, format, path string) task {
	return task{w.node.URL, w.nats, w.deployment, w.project.ID, w.record, what, format, path, ""}
}

// told are lines that an export said.
type told []string

func (t *told) say(text string) { *t = append(*t, text) }

func (w *world) view(ctx context.Context, data []byte) ([]byte, error) {
	return w.node.Client().CallContract(ctx, ethereum.CallMsg{To: &w.deployment.Contract, Data: data}, nil)
}
