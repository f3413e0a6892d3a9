// Package rig is a chain for tests of ledger readers, with blocks by the thousand.
package rig

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	// DeployBlock is the contract's block, in which all projects are created.
	DeployBlock = 3

	logRange = 7
)

// Chain is a model.Chain that emits MemberChanged events of Project where a test wants them. It implements
// ledger.Heads, ledger.Chain and event.Chain, and is safe for concurrent use.
type Chain struct {
	Deployment score.Deployment
	Project    score.ProjectID
	Keep       uint64 // blocks below the newest that Block has; default: all
	Single     bool   // endpoints lack a call for all receipts of a block

	mu      sync.Mutex
	chain   *model.Chain
	clock   *model.Clock
	final   uint64
	changed chan struct{}
	asked   int
}

// NewChain returns a few empty blocks, none final.
func NewChain(d score.Deployment, project score.ProjectID) *Chain {
	d.DeployBlock = DeployBlock
	c := &Chain{Deployment: d, Project: project, Keep: math.MaxUint64, clock: model.NewClock(), changed: make(chan struct{})}
	c.chain = model.NewChain(model.Config{ID: d.ChainID, Contract: d.Contract}, c.clock)
	for range DeployBlock + 1 {
		c.Mine(0)
	}
	return c
}

func (c *Chain) Mine(events int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.Advance(time.Second)
	c.chain.Adopt(c.chain.Emit(c.chain.Head(), c.Project, events))
}

// Cut drops this number of newest blocks. If they were final, it is a reorg deeper than finality once the chain is as
// long again.
func (c *Chain) Cut(blocks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chain.Adopt(c.chain.At(c.chain.Head().Number - uint64(blocks)))
}

func (c *Chain) Finalize() { c.FinalizeBut(0) }

// FinalizeBut makes all blocks final except this number of newest ones.
func (c *Chain) FinalizeBut(newest uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.final = c.chain.Head().Number - min(newest, c.chain.Head().Number)
	close(c.changed)
	c.changed = make(chan struct{})
}

type Event struct {
	Block common.Hash
	Log   uint
}

// Held returns all events up to the final block.
func (c *Chain) Held() (events []Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := range c.final + 1 {
		b := c.chain.At(n)
		for _, l := range b.Logs(c.Deployment.Contract) {
			events = append(events, Event{b.Hash, l.Index})
		}
	}
	return events
}

func (c *Chain) EventIDs() (ids []string) {
	for _, e := range c.Held() {
		ids = append(ids, fmt.Sprintf("%s-%d-0", e.Block, e.Log))
	}
	return ids
}

func (c *Chain) Length() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.chain.Head().Number) + 1
}

// Asked counts calls of Paid.
func (c *Chain) Asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

func (c *Chain) Final() (evidence.Block, bool) {
	c.mu.Lock()
	final := c.final
	c.mu.Unlock()
	b, err := c.BlockByNumber(context.Background(), final)
	return b, final > 0 && err == nil
}

func (c *Chain) Block(number uint64) (evidence.Block, bool) {
	b, err := c.BlockByNumber(context.Background(), number)
	return b, err == nil && uint64(c.Length())-1-number <= c.Keep
}

func (c *Chain) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

func (c *Chain) BlockByNumber(_ context.Context, number uint64) (evidence.Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return found(c.chain.At(number))
}

func (c *Chain) BlockByHash(_ context.Context, hash common.Hash) (evidence.Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return found(c.chain.Block(hash))
}

func found(b *model.Block) (evidence.Block, error) {
	if b == nil {
		return evidence.Block{}, ethereum.NotFound
	}
	return b.Block, nil
}

func (c *Chain) Events(_ context.Context, blocks []evidence.Block, contract common.Address, _ []common.Hash) (logs []types.Log, paid map[common.Hash]evidence.Paid, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range blocks {
		logs = append(logs, c.chain.Block(blocks[i].Hash).Logs(contract)...)
	}
	if c.Single {
		return logs, nil, nil
	}
	return logs, c.paid(logs), nil
}

func (c *Chain) Logs(_ context.Context, contract common.Address, _ []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
	for ; from <= to; from += logRange {
		through, logs := evidence.Block{}, []types.Log(nil)
		c.mu.Lock()
		for n := from; n < min(to+1, from+logRange); n++ {
			b := c.chain.At(n)
			if b == nil {
				c.mu.Unlock()
				return errors.New("the chain is not as long")
			}
			through, logs = b.Block, append(logs, b.Logs(contract)...)
		}
		c.mu.Unlock()
		if err := fn(through, logs); err != nil {
			return err
		}
	}
	return nil
}

func (c *Chain) Paid(_ context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return c.paid(logs), nil
}

func (c *Chain) paid(logs []types.Log) map[common.Hash]evidence.Paid {
	paid := map[common.Hash]evidence.Paid{}
	for i := range logs {
		r := c.chain.Block(logs[i].BlockHash).Receipts[logs[i].TxIndex]
		// gas costs 1 wei
		paid[r.TxHash] = evidence.Paid{Time: logs[i].BlockTimestamp, Gas: r.GasUsed, Fee: new(big.Int).SetUint64(r.GasUsed)}
	}
	return paid
}

// Call returns a project's record: two actions and two score types.
func (c *Chain) Call(ctx context.Context, _ evidence.Call, at common.Hash) (answer []byte, err error) {
	if _, err := c.BlockByHash(ctx, at); err != nil {
		return nil, err
	}
	for _, word := range []int64{DeployBlock, 1, 0, 2, 2, 0} {
		answer = append(answer, common.BigToHash(big.NewInt(word)).Bytes()...)
	}
	return answer, nil
}

type NoLetters struct{}

func (NoLetters) LastDeadLetter(context.Context) (uint64, error) { return 0, nil }

func (NoLetters) DeadLettersAfter(context.Context, uint64, *score.ProjectID, func(uint64, score.DeadLetter) error) error {
	return nil
}
