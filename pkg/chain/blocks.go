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

// blockByHash asks an endpoint for the block of a hash, on any branch.
func (c *Client) blockByHash(ctx context.Context, e *endpoint, hash common.Hash) (evidence.Block, error) {
	b, err := c.block(ctx, e, "eth_getBlockByHash", hash)
	if err == nil && b.Hash != hash {
		err = contradiction("block %s was asked for, %s came", hash, b.Hash)
	}
	return b, err
}

// blockAt asks an endpoint for its block of a height.
func (c *Client) blockAt(ctx context.Context, e *endpoint, number uint64) (evidence.Block, error) {
	b, err := c.block(ctx, e, "eth_getBlockByNumber", hexutil.Uint64(number))
	if err == nil && b.Number != number {
		err = contradiction("block %d was asked for, %d came", number, b.Number)
	}
	return b, err
}

// BlockByNumber is the canonical block of that height. ethereum.NotFound above every endpoint's head. Where headers cannot
// be checked, most endpoints that have a block of that height have to agree.
func (c *Client) BlockByNumber(ctx context.Context, number uint64) (block evidence.Block, err error) {
	var from *endpoint
	err = c.readFrom(ctx, c.candidates(number), "block_by_number", func(ctx context.Context, e *endpoint) (err error) {
		from = e
		block, err = c.blockAt(ctx, e, number)
		return err
	})
	if err == nil && !block.Checked {
		err = c.agreed(ctx, from, &block)
	}
	return block, err
}

// BlockByHash is the block of that hash, on any branch. ethereum.NotFound when no endpoint knows it.
func (c *Client) BlockByHash(ctx context.Context, hash common.Hash) (block evidence.Block, err error) {
	err = c.readFrom(ctx, c.candidates(0), "block_by_hash", func(ctx context.Context, e *endpoint) (err error) {
		block, err = c.blockByHash(ctx, e, hash)
		return err
	})
	return block, err
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
			other, err = c.blockAt(ctx, e, b.Number)
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
	if e := c.named(endpoint); e != nil {
		return c.blocks(ctx, e, from, to)
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
		b, err := c.takeHeader(ctx, el, from+uint64(i))
		if err != nil {
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
		now, err := c.blockAt(ctx, e, was.Number)
		if err != nil && !errors.Is(err, ethereum.NotFound) {
			return err
		}
		if err != nil || now.Hash != was.Hash {
			return fmt.Errorf("%w: block %d changed while the blocks after it were read", errNotLearnt, was.Number)
		}
	}
	return contradiction("its block %d has parent %s, its block %d is %s", above.Number, above.Parent, below.Number, below.Hash)
}
