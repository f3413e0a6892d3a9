// Package rig is a chain in memory, for tests of what reads the ledger: its blocks are made, and replaced, by the thousand.
package rig

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	// DeployBlock is the contract's, in which all projects are created, too.
	DeployBlock = 3

	began    = 1_700_000_000 // unix seconds, of the first block; the others are a second apart
	logRange = 100           // blocks of one question for logs
)

// Chain has one of the contract's events, MemberChanged of Project, wherever a test wants it. It is a ledger.Heads, a ledger.Chain and an event.Chain.
type Chain struct {
	Deployment score.Deployment
	Project    score.ProjectID

	mu      sync.Mutex
	blocks  []evidence.Block // by number
	all     map[common.Hash]evidence.Block
	logs    map[common.Hash][]types.Log
	final   uint64
	salt    uint64
	changed chan struct{}
}

// NewChain makes one with a few empty blocks, none of them final.
func NewChain(d score.Deployment, project score.ProjectID) *Chain {
	d.DeployBlock = DeployBlock
	c := &Chain{Deployment: d, Project: project, all: map[common.Hash]evidence.Block{}, logs: map[common.Hash][]types.Log{}, changed: make(chan struct{})}
	for range DeployBlock + 2 {
		c.Mine(0)
	}
	return c
}

// Mine adds a block with so many events.
func (c *Chain) Mine(events int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.salt++
	b := evidence.Block{Number: uint64(len(c.blocks)), Time: began + uint64(len(c.blocks)), Checked: true}
	if b.Number > 0 {
		b.Parent = c.blocks[b.Number-1].Hash
	}
	b.Hash = crypto.Keccak256Hash(binary.BigEndian.AppendUint64(b.Parent[:], c.salt))
	for i := range events {
		c.logs[b.Hash] = append(c.logs[b.Hash], types.Log{
			Address: c.Deployment.Contract, BlockNumber: b.Number, BlockHash: b.Hash, TxHash: crypto.Keccak256Hash(b.Hash[:], []byte{byte(i / 2)}), Index: uint(3 * i),
			Topics: []common.Hash{registry.ProjectTopics()[3], common.Hash(c.Project), common.BigToHash(big.NewInt(int64(i))), {31: 1}},
			Data:   common.BigToHash(big.NewInt(1)).Bytes(),
		})
	}
	c.blocks, c.all[b.Hash] = append(c.blocks, b), b
}

// Cut drops the newest blocks, so many. Of a chain in which they were final, that is a reorg deeper than finality once it is as long again.
func (c *Chain) Cut(blocks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks = c.blocks[:len(c.blocks)-blocks]
}

// Finalize makes all blocks final.
func (c *Chain) Finalize() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.final = uint64(len(c.blocks) - 1)
	close(c.changed)
	c.changed = make(chan struct{})
}

// EventIDs are the ids of all events up to the final block, in order.
func (c *Chain) EventIDs() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.blocks[:c.final+1] {
		for _, l := range c.logs[b.Hash] {
			ids = append(ids, fmt.Sprintf("%s-%d-0", b.Hash, l.Index))
		}
	}
	return ids
}

// Length is the number of blocks.
func (c *Chain) Length() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.blocks)
}

// Final is of ledger.Heads.
func (c *Chain) Final() (evidence.Block, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.final == 0 || c.final >= uint64(len(c.blocks)) {
		return evidence.Block{}, false
	}
	return c.blocks[c.final], true
}

// Block is of ledger.Heads.
func (c *Chain) Block(number uint64) (evidence.Block, bool) {
	b, err := c.BlockByNumber(context.Background(), number)
	return b, err == nil
}

// Changed is of ledger.Heads.
func (c *Chain) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// BlockByNumber is of ledger.Chain.
func (c *Chain) BlockByNumber(_ context.Context, number uint64) (evidence.Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number >= uint64(len(c.blocks)) {
		return evidence.Block{}, ethereum.NotFound
	}
	return c.blocks[number], nil
}

// BlockByHash is of event.Chain.
func (c *Chain) BlockByHash(_ context.Context, hash common.Hash) (evidence.Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.all[hash]; ok {
		return b, nil
	}
	return evidence.Block{}, ethereum.NotFound
}

// Events is of ledger.Chain.
func (c *Chain) Events(_ context.Context, blocks []evidence.Block, _ common.Address, _ []common.Hash) (logs []types.Log, paid map[common.Hash]evidence.Paid, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range blocks {
		logs = append(logs, c.logs[blocks[i].Hash]...)
	}
	return logs, nil, nil
}

// Logs is of ledger.Chain.
func (c *Chain) Logs(_ context.Context, _ common.Address, _ []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
	for from <= to {
		last := min(to, from+logRange-1)
		c.mu.Lock()
		if last >= uint64(len(c.blocks)) {
			c.mu.Unlock()
			return errors.New("the chain is not as long")
		}
		var logs []types.Log
		for _, b := range c.blocks[from : last+1] {
			logs = append(logs, c.logs[b.Hash]...)
		}
		through := c.blocks[last]
		c.mu.Unlock()
		if err := fn(through, logs); err != nil {
			return err
		}
		from = last + 1
	}
	return nil
}

// Paid is of ledger.Chain.
func (c *Chain) Paid(_ context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	paid := map[common.Hash]evidence.Paid{}
	for i := range logs {
		paid[logs[i].TxHash] = evidence.Paid{Time: began + logs[i].BlockNumber, Gas: 50_000, Fee: big.NewInt(7)}
	}
	return paid, nil
}

// Call answers what the contract keeps of a project: it has two actions and two score types.
func (c *Chain) Call(_ context.Context, _ evidence.Call, at common.Hash) (answer []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.all[at]; !ok {
		return nil, ethereum.NotFound
	}
	for _, word := range []int64{DeployBlock, 1, 0, 2, 2, 0} {
		answer = append(answer, common.BigToHash(big.NewInt(word)).Bytes()...)
	}
	return answer, nil
}

// NoLetters is a ledger.Letters without any.
type NoLetters struct{}

// LastDeadLetter is of ledger.Letters.
func (NoLetters) LastDeadLetter(context.Context) (uint64, error) { return 0, nil }

// DeadLettersAfter is of ledger.Letters.
func (NoLetters) DeadLettersAfter(context.Context, uint64, *score.ProjectID, func(uint64, score.DeadLetter) error) error {
	return nil
}
