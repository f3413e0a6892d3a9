package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// block asks an endpoint for one block and checks it.
func (c *Client) block(ctx context.Context, e *endpoint, method string, which any) (evidence.Block, error) {
	var raw json.RawMessage
	if err := e.call(ctx, &raw, method, which, false); err != nil {
		return evidence.Block{}, err
	}
	b, err := decodeBlock(raw)
	if err != nil {
		return evidence.Block{}, err
	}
	return b, c.accept(ctx, &b)
}

// BlockByHash is the block of that hash, on any branch. ethereum.NotFound when no endpoint knows it.
func (c *Client) BlockByHash(ctx context.Context, hash common.Hash) (block evidence.Block, err error) {
	err = c.readChecked(ctx, "block_by_hash", 0, func(ctx context.Context, e *endpoint) (err error) {
		block, err = c.block(ctx, e, "eth_getBlockByHash", hash)
		if err == nil && block.Hash != hash {
			return contradiction("block %s was asked for, %s came", hash, block.Hash)
		}
		return err
	})
	return block, err
}

// BlockByNumber is the canonical block of that height. ethereum.NotFound above every endpoint's head. Where headers cannot
// be checked, most endpoints that have a block of that height have to agree.
func (c *Client) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	b, from, err := c.blockByNumber(ctx, number)
	if err == nil && !b.Checked {
		err = c.agreed(ctx, from, &b)
	}
	return b, err
}

func (c *Client) blockByNumber(ctx context.Context, number uint64) (block evidence.Block, from *endpoint, err error) {
	err = c.readChecked(ctx, "block_by_number", number, func(ctx context.Context, e *endpoint) (err error) {
		block, err = c.block(ctx, e, "eth_getBlockByNumber", hexutil.Uint64(number))
		if err == nil && block.Number != number {
			return contradiction("block %d was asked for, %d came", number, block.Number)
		}
		from = e
		return err
	})
	return block, from, err
}

// agreed compares an endpoint's block, whose header cannot be checked, with the other endpoints: more than half of those
// that have a block of that height have to have this one.
func (c *Client) agreed(ctx context.Context, from *endpoint, b *evidence.Block) error {
	with, against := 1, []string{}
	for _, e := range c.candidates(b.Number) {
		if e == from {
			continue
		}
		var other evidence.Block
		err := e.do(ctx, "compare", func(ctx context.Context, e *endpoint) (err error) {
			other, err = c.block(ctx, e, "eth_getBlockByNumber", hexutil.Uint64(b.Number))
			return err
		})
		switch {
		case err != nil:
		case other.Hash == b.Hash:
			with++
		default:
			against = append(against, fmt.Sprintf("%s (%s)", e.name, other.Hash))
		}
	}
	if with > len(against) {
		return nil
	}
	return fmt.Errorf("%w: %s says that block %d is %s, and others differ: %v", errNotLearnt, from.name, b.Number, b.Hash, against)
}

// Blocks are the blocks from…to (inclusive, ascending) of one endpoint's chain, in as few exchanges as it allows. Each
// is checked and has the one before it as its parent. With an error come those that were read before it, from `from` on
// without a gap.
func (c *Client) Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error) {
	for _, e := range c.endpoints {
		if e.name == endpoint {
			return c.blocks(ctx, e, from, to)
		}
	}
	return nil, fmt.Errorf("the chain has no endpoint %q", endpoint)
}

func (c *Client) blocks(ctx context.Context, e *endpoint, from, to uint64) (blocks []evidence.Block, err error) {
	for next := from; next <= to && err == nil; next = from + uint64(len(blocks)) {
		last := min(to, next+uint64(max(e.batch.size(time.Now()), 1))-1)
		err = e.do(ctx, "blocks", func(ctx context.Context, e *endpoint) (err error) {
			blocks, err = c.extend(ctx, e, blocks, next, last)
			return err
		})
	}
	if n := len(blocks); n > 0 && !blocks[n-1].Checked {
		if err := c.agreed(ctx, e, &blocks[n-1]); err != nil {
			return nil, err
		}
	}
	return blocks, err
}

// extend reads the blocks from…to in one exchange and appends those that check out.
func (c *Client) extend(ctx context.Context, e *endpoint, blocks []evidence.Block, from, to uint64) ([]evidence.Block, error) {
	elems := make([]rpc.BatchElem, 0, to-from+1)
	for n := from; n <= to; n++ {
		elems = append(elems, elem("eth_getBlockByNumber", hexutil.Uint64(n), false))
	}
	if err := e.calls(ctx, elems); err != nil {
		return blocks, err
	}
	for i, el := range elems {
		number := from + uint64(i)
		var raw json.RawMessage
		if err := answer(el, &raw); err != nil {
			return blocks, aheadOf(err, number)
		}
		b, err := decodeBlock(raw)
		if err != nil {
			return blocks, err
		}
		if b.Number != number {
			return blocks, contradiction("block %d was asked for, %d came", number, b.Number)
		}
		if err := c.accept(ctx, &b); err != nil {
			return blocks, err
		}
		if len(blocks) > 0 && blocks[len(blocks)-1].Hash != b.Parent {
			return blocks, c.torn(ctx, e, blocks[len(blocks)-1], b)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// torn judges two blocks that do not link. A reorg while they were read explains that; if they are still the endpoint's
// blocks of their heights, it is a contradiction.
func (c *Client) torn(ctx context.Context, e *endpoint, below, above evidence.Block) error {
	for _, was := range []evidence.Block{below, above} {
		now, err := c.block(ctx, e, "eth_getBlockByNumber", hexutil.Uint64(was.Number))
		if err != nil && !errors.Is(err, ethereum.NotFound) {
			return err
		}
		if err != nil || now.Hash != was.Hash {
			return fmt.Errorf("%w: block %d changed while the blocks after it were read", errNotLearnt, was.Number)
		}
	}
	return contradiction("its block %d has parent %s, its block %d is %s", above.Number, above.Parent, below.Number, below.Hash)
}
