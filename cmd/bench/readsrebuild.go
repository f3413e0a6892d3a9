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
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	rebuildBatch = 500 // updates per transaction
	rebuildBlock = 4   // transactions per block
	rebuildRange = 64  // blocks per query for logs

	rebuildProjects = 8

	rebuildTime = 1_780_000_000 // Unix seconds of block 0; 12 between blocks
)

const rebuildEvents = `[
	{"type":"event","name":"BatchApplied","inputs":[{"name":"data","type":"bytes"},{"name":"outcomes","type":"bytes"}]},
	{"type":"event","name":"ProjectCreated","inputs":[{"name":"projectId","type":"bytes32","indexed":true},{"name":"name","type":"string"},
		{"name":"actions","type":"tuple[]","components":[{"name":"name","type":"string"},{"name":"points","type":"uint32"},{"name":"direction","type":"uint8"}]},
		{"name":"owners","type":"address[]"},{"name":"updaters","type":"address[]"},{"name":"scoreTypes","type":"string[]"},{"name":"signedOnly","type":"bool"}]}
]`

// rebuildChain is a chain in memory. Its logs are the contract's events, byte for byte.
type rebuildChain struct{ logs [][]types.Log } // by block

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
	c := &rebuildChain{logs: make([][]types.Log, 2)}
	for p := range projects {
		l, err := emit(1, p, []common.Hash{{byte(p + 1)}}, "ProjectCreated", "Benchmark", []struct {
			Name      string
			Points    uint32
			Direction uint8
		}{{"purchase", 50, 0}, {"refund", 20, 1}}, []common.Address{{1}}, []common.Address{{2}}, []string{"reputation"}, false)
		if err != nil {
			return nil, err
		}
		c.logs[1] = append(c.logs[1], l)
	}
	random, model := rand.New(rand.NewPCG(1, 2)), registry.Osaka().Batch
	for n, tx := 0, 0; n < updates; tx++ {
		some := make([]score.Update, min(rebuildBatch, updates-n))
		for i := range some {
			some[i] = score.Update{
				Project: score.ProjectID{byte(tx%projects + 1)}, Signer: common.Address{2}, Target: readsWallet(random.IntN(wallets)), Action: uint8(random.IntN(2)),
			}
			big.NewInt(int64(n + i)).FillBytes(some[i].ID[:])
		}
		block, at := 2+tx/rebuildBlock, tx%rebuildBlock
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

// Final, Block and Changed implement ledger.Heads.

func (c *rebuildChain) Final() (evidence.Block, bool) { return c.block(uint64(len(c.logs) - 1)), true }

func (c *rebuildChain) Block(uint64) (evidence.Block, bool) { return evidence.Block{}, false }

func (c *rebuildChain) Changed() <-chan struct{} { return nil }

// BlockByNumber, Events, Logs, Paid and Call implement ledger.Chain and index.Caller.

func (c *rebuildChain) BlockByNumber(_ context.Context, number uint64) (evidence.Block, error) {
	return c.block(number), nil
}

func (c *rebuildChain) Events(context.Context, []evidence.Block, common.Address, []common.Hash) ([]types.Log, map[common.Hash]evidence.Paid, error) {
	return nil, nil, errors.New("this chain remembers no blocks")
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

// Beyond and Project return nil: the chain creates all projects in block 1, so none can be missing.

func (c *rebuildChain) Beyond(context.Context, uint64) ([]score.ProjectID, error) { return nil, nil }

func (c *rebuildChain) Project(context.Context, score.ProjectID) (*score.Record, error) {
	return nil, nil
}

func (c *rebuildChain) LastDeadLetter(context.Context) (uint64, error) { return 0, nil }

func (c *rebuildChain) DeadLettersAfter(context.Context, uint64, *score.ProjectID, func(uint64, score.DeadLetter) error) error {
	return nil
}

// facts writes the chain's events to a ledger; source reads it until stop is called.
func (c *rebuildChain) facts(ctx context.Context, dir string) (source *ledger.Source, stop func(), err error) {
	server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
	if err != nil {
		return nil, nil, err
	}
	conn, err := nats.Connect(server.URL)
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	stop = func() {
		cancel()
		reading.Wait()
		conn.Close()
		server.Close()
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	d, log := score.Deployment{Lanes: 1, ChainID: devnet.ChainID, Contract: common.Address{1}, DeployBlock: 1}, slog.New(slog.DiscardHandler)
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, nil, err
	}
	if err := stream.Setup(ctx, js, stream.Config{Deployment: d}); err != nil {
		return nil, nil, err
	}
	opened, err := stream.Open(ctx, js)
	if err != nil {
		return nil, nil, err
	}
	store, err := opened.Ledger(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	writer := ledger.Writer{Deployment: d, Heads: c, Chain: c, Letters: c, Ledger: store, Log: log, Metrics: prometheus.NewRegistry()}
	if err := writer.CatchUp(ctx); err != nil {
		return nil, nil, err
	}
	source = &ledger.Source{Ledger: store, Chain: c, Deployment: d, Log: log}
	reading.Go(func() { _ = source.Run(ctx) })
	_, err = source.End(ctx)
	return source, stop, err
}

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
	progress(fmt.Sprintf("a ledger of %d updates", updates))
	source, stop, err := chain.facts(ctx, filepath.Join(b.dir, "ledger"))
	if err != nil {
		return 0, err
	}
	defer stop()
	progress("a rebuild of them")
	store := standings.New(client, standings.Config{})
	fold := &index.StandingsFold{Chain: chain, Source: source, Projects: chain, Standings: store, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	go func() { _ = ledger.RunFold(ctx, source, fold, "the standings", slog.Default()) }()
	for {
		at, err := store.Checkpoint(ctx)
		if err != nil || !at.Rebuilding() {
			return float64(updates) / time.Since(begun).Seconds(), err
		}
		if err := retry.Sleep(ctx, 10*time.Millisecond); err != nil {
			return 0, err
		}
	}
}
