package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

// Of the chain whose standings are rebuilt.
const (
	rebuildBatch = 500 // updates of one transaction
	rebuildBlock = 4   // transactions of one block
	rebuildRange = 64  // blocks of one question for logs

	rebuildProjects = 8 // whose updates come in turn

	rebuildTime = 1_780_000_000 // unix seconds of the first block, 12 before the next
)

const rebuildEvents = `[
	{"type":"event","name":"BatchApplied","inputs":[{"name":"data","type":"bytes"},{"name":"outcomes","type":"bytes"}]},
	{"type":"event","name":"ProjectCreated","inputs":[{"name":"projectId","type":"bytes32","indexed":true},{"name":"name","type":"string"},
		{"name":"actions","type":"tuple[]","components":[{"name":"name","type":"string"},{"name":"points","type":"uint32"},{"name":"direction","type":"uint8"}]},
		{"name":"owners","type":"address[]"},{"name":"updaters","type":"address[]"},{"name":"scoreTypes","type":"string[]"},{"name":"signedOnly","type":"bool"}]}
]`

// rebuildChain is a chain in memory: the contract's events as it emits them, byte for byte. It answers at once, so what is measured is the
// projector and Redis.
type rebuildChain struct{ logs [][]types.Log } // by block

// newRebuildChain makes the chain of so many updates, on wallets at random, of the projects in turn.
func newRebuildChain(updates, wallets, projects int) (*rebuildChain, error) {
	events, err := abi.JSON(strings.NewReader(rebuildEvents))
	if err != nil {
		return nil, err
	}
	emit := func(block, tx int, topics []common.Hash, event string, args ...any) (types.Log, error) {
		data, err := events.Events[event].Inputs.NonIndexed().Pack(args...)
		return types.Log{
			Topics: append([]common.Hash{events.Events[event].ID}, topics...), Data: data, BlockNumber: uint64(block), BlockHash: rebuildHash(uint64(block)),
			TxHash: common.BigToHash(big.NewInt(int64(block*rebuildBlock + tx + 1))), TxIndex: uint(tx), Index: uint(tx),
		}, err
	}
	c := &rebuildChain{logs: make([][]types.Log, 1)}
	for p := range projects {
		l, err := emit(0, p, []common.Hash{{byte(p + 1)}}, "ProjectCreated", "Benchmark", []struct {
			Name      string
			Points    uint32
			Direction uint8
		}{{"purchase", 50, 0}, {"refund", 20, 1}}, []common.Address{{1}}, []common.Address{{2}}, []string{"reputation"}, false)
		if err != nil {
			return nil, err
		}
		c.logs[0] = append(c.logs[0], l)
	}
	random, model := rand.New(rand.NewPCG(1, 2)), registry.GasModel()
	for n, tx := 0, 0; n < updates; tx++ {
		some := make([]score.Update, min(rebuildBatch, updates-n))
		for i := range some {
			some[i] = score.Update{
				Project: score.ProjectID{byte(tx%projects + 1)}, Signer: common.Address{2}, Target: readsWallet(random.IntN(wallets)), Action: uint8(random.IntN(2)),
			}
			big.NewInt(int64(n + i)).FillBytes(some[i].ID[:])
		}
		block, at := 1+tx/rebuildBlock, tx%rebuildBlock
		l, err := emit(block, at, nil, "BatchApplied", registry.EncodeBatchData(batch.Plan(&model, some, nil)), []byte{})
		if err != nil {
			return nil, err
		}
		if at == 0 {
			c.logs = append(c.logs, nil)
		}
		c.logs[block], n = append(c.logs[block], l), n+len(some)
	}
	return c, nil
}

func rebuildHash(block uint64) common.Hash {
	return common.BigToHash(new(big.Int).SetUint64(block + 1))
}

func (c *rebuildChain) block(number uint64) evidence.Block {
	return evidence.Block{Number: number, Hash: rebuildHash(number), Time: rebuildTime + 12*number}
}

// Final, Block and Changed are the chain as an index.Heads.

func (c *rebuildChain) Final() (evidence.Block, bool) { return c.block(uint64(len(c.logs) - 1)), true }

func (c *rebuildChain) Block(uint64) (evidence.Block, bool) { return evidence.Block{}, false }

func (c *rebuildChain) Changed() <-chan struct{} { return nil }

// Head, FinalBlock, BlockByNumber, Logs, Call and Paid are the chain as an index.Chain and index.Payments.

func (c *rebuildChain) Head(context.Context) (evidence.Block, error) {
	return c.block(uint64(len(c.logs) - 1)), nil
}

func (c *rebuildChain) FinalBlock(ctx context.Context, _ uint64) (evidence.Block, error) {
	return c.Head(ctx)
}

func (c *rebuildChain) BlockByNumber(_ context.Context, number uint64) (evidence.Block, error) {
	return c.block(number), nil
}

func (c *rebuildChain) Logs(_ context.Context, _ common.Address, _ []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
	for ; from <= to; from += rebuildRange {
		through := min(to, from+rebuildRange-1)
		var logs []types.Log
		for _, some := range c.logs[from : through+1] {
			logs = append(logs, some...)
		}
		if err := fn(c.block(through), logs); err != nil {
			return err
		}
	}
	return nil
}

func (c *rebuildChain) Call(context.Context, evidence.Call, common.Hash) ([]byte, error) {
	return nil, errors.New("this chain has no state")
}

func (c *rebuildChain) Paid(_ context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	paid := map[common.Hash]evidence.Paid{}
	for i := range logs {
		paid[logs[i].TxHash] = evidence.Paid{Time: c.block(logs[i].BlockNumber).Time, Gas: 3_000_000, Fee: big.NewInt(3e15)}
	}
	return paid, nil
}

// Beyond tells of no projects, which the chain creates in its first block, so that none can be missing.
func (c *rebuildChain) Beyond(context.Context, uint64) ([]score.ProjectID, error) { return nil, nil }

// rebuild has the projector rebuild the standings of so many updates in an empty Redis, and tells how many a second it read and wrote.
func (b *bench) rebuild(ctx context.Context, updates, wallets int) (perS float64, err error) {
	server, err := devnet.StartRedis(filepath.Join(b.dir, "rebuild"), devnet.RedisOptions{})
	if err != nil {
		return 0, err
	}
	defer server.Close()
	client, err := redisdb.Open(server.URL)
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }()
	client.Timeout = redisTimeout
	chain, err := newRebuildChain(updates, wallets, rebuildProjects)
	if err != nil {
		return 0, err
	}
	progress(fmt.Sprintf("a rebuild of %d updates", updates))
	store := standings.New(client, standings.Config{})
	projector := &index.Projector{
		Chain: chain, Payments: chain, Heads: chain, Projects: chain, Standings: store, Replica: "bench", Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}
	begun := time.Now()
	if err := projector.CatchUp(ctx); err != nil {
		return 0, err
	}
	took := time.Since(begun)
	at, err := store.Checkpoint(ctx)
	if err == nil && at.Rebuilding() {
		err = fmt.Errorf("the rebuild ended at block %d of %d", at.Block, at.Target)
	}
	return float64(updates) / took.Seconds(), err
}
