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
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/export"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// task is an export, for a process of its own too.
type task struct {
	URL           string
	Deployment    score.Deployment
	Confirmations uint64
	Project       score.ProjectID
	What, Format  string
	Path          string
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
	client, err := chain.Dial(ctx, chain.Config{URLs: []string{x.URL}, LogRange: 3, Proven: 2, Timeout: time.Minute},
		slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		return err
	}
	defer client.Close()
	return (&export.Export{
		Reader: &index.Reader{Deployment: x.Deployment, Confirmations: x.Confirmations, Chain: client, Project: x.Project},
		What:   x.What, Format: x.Format, Path: x.Path, Out: out, Say: tell,
	}).Run(ctx)
}

// The accounts of devnet that act here.
const (
	relayerKey = iota
	ownerKey
)

// world is a chain with the contract and a project on it.
type world struct {
	t          *testing.T
	node       *devnet.Chain
	deployment score.Deployment
	project    *score.Project
	next       uint32 // updateId
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, node: devnet.NewChain(t)}
	relayer := devnet.Address(relayerKey)
	receipt := w.node.Transact(t, relayerKey, nil, registry.DeployData(0, relayer, []common.Address{relayer}))
	w.deployment = score.Deployment{ChainID: devnet.ChainID, Contract: receipt.ContractAddress, DeployBlock: receipt.BlockNumber.Uint64()}
	w.project = &score.Project{
		ID: score.ProjectID{1}, Name: "Acme", ScoreTypes: []string{"reputation", "+karma, \"old\""},
		Actions: []score.Action{{Name: "=HYPERLINK(\"http://x\",\"y\")", Points: 5}, {Name: "burn <b>", Points: 1<<31 - 1, Direction: score.Subtract}},
		Owners:  []common.Address{devnet.Address(ownerKey)},
	}
	w.node.Transact(t, relayerKey, &w.deployment.Contract, registry.EncodeCreateProject(w.project))
	return w
}

const wallets = 7

// batches puts so many batches of ten updates into blocks of their own, of which one has an action that the project does not have.
func (w *world) batches(n int) {
	w.t.Helper()
	model := registry.GasModel()
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
		w.node.Transact(w.t, relayerKey, &w.deployment.Contract, registry.EncodeBatch(batch.Plan(&model, updates, nil)))
	}
}

func (w *world) task(what, format, path string) task {
	return task{w.node.URL, w.deployment, 1, w.project.ID, what, format, path}
}

// told are lines that an export said.
type told []string

func (t *told) say(text string) { *t = append(*t, text) }

func (w *world) view(ctx context.Context, data []byte) ([]byte, error) {
	return w.node.Client().CallContract(ctx, ethereum.CallMsg{To: &w.deployment.Contract, Data: data}, nil)
}
