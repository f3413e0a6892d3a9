package model

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Logs calls fn block by block with logs verified by receipts roots.
func (c *Client) Logs(_ context.Context, contract common.Address, topics []common.Hash, from, to uint64,
	fn func(through evidence.Block, logs []types.Log) error,
) error {
	for n := from; n <= to; n++ {
		block, err := c.block(n)
		if err != nil {
			return err
		}
		logs, err := c.events(block, contract, topics)
		if err != nil {
			return err
		}
		if err := fn(block, logs); err != nil {
			return err
		}
	}
	return nil
}

// Events verifies logs like Logs. paid is nil.
func (c *Client) Events(_ context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) (logs []types.Log, paid map[common.Hash]evidence.Paid, err error) {
	for i := range blocks {
		some, err := c.events(blocks[i], contract, topics)
		if err != nil {
			return nil, nil, err
		}
		logs = append(logs, some...)
	}
	return logs, nil, nil
}

// BlockByNumber returns the block at a height, on which all answering nodes must agree.
func (c *Client) BlockByNumber(_ context.Context, number uint64) (evidence.Block, error) {
	return c.block(number)
}

func (c *Client) block(number uint64) (block evidence.Block, err error) {
	c.before("block")
	for _, l := range c.usable() {
		b := l.Node.block(number)
		if b == nil || !l.asks("block", []byte{byte(number), byte(number >> 8)}) {
			continue
		}
		if block.Hash != (common.Hash{}) && block.Hash != b.Hash {
			return evidence.Block{}, fmt.Errorf("nodes differ about block %d", number)
		}
		block = l.Node.tell(b)
	}
	if block.Hash == (common.Hash{}) {
		return block, fmt.Errorf("block %d: %w", number, errNoAnswer)
	}
	return block, nil
}

func (c *Client) events(block evidence.Block, contract common.Address, topics []common.Hash) (logs []types.Log, err error) {
	receipts := map[common.Hash]*evidence.Receipt{}
	all := evidence.Wanted{Block: block}
	if b := c.chain.Block(block.Hash); b != nil {
		all.Block, all.Txs = b.Block, b.Block.Txs
	}
	for _, l := range c.usable() {
		c.receipts(l, &all, receipts)
	}
	for _, tx := range all.Txs {
		if receipts[tx] == nil {
			return nil, fmt.Errorf("receipts of block %d: %w", block.Number, errNoAnswer)
		}
		for _, l := range receipts[tx].Logs {
			if l.Address == contract && slices.Contains(topics, l.Topics[0]) {
				logs = append(logs, *l)
			}
		}
	}
	return logs, nil
}
