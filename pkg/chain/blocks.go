package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

func (c *Client) block(ctx context.Context, e *endpoint, method string, which any) (evidence.Block, error) {
	var raw json.RawMessage
	if err := e.call(ctx, &raw, method, which, false); err != nil {
		return evidence.Block{}, err
	}
	b, err := decodeBlock(raw)
	if err != nil {
		return evidence.Block{}, err
	}
	return b, c.accept(ctx, e, raw, &b)
}

func (c *Client) blockByHash(ctx context.Context, e *endpoint, hash common.Hash) (evidence.Block, error) {
	b, err := c.block(ctx, e, "eth_getBlockByHash", hash)
	if err == nil && b.Hash != hash {
		err = contradiction("block %s was asked for, %s came", hash, b.Hash)
	}
	return b, err
}

func (c *Client) blockAt(ctx context.Context, e *endpoint, number uint64) (evidence.Block, error) {
	b, err := c.block(ctx, e, "eth_getBlockByNumber", hexutil.Uint64(number))
	if err == nil && b.Number != number {
		err = contradiction("block %d was asked for, %d came", number, b.Number)
	}
	return b, err
}

// HashAt returns an endpoint's block hash at a height. The header stays unchecked, since callers compare the hash
// with a known one.
func (c *Client) HashAt(ctx context.Context, name string, number uint64) (hash common.Hash, err error) {
	e := c.named(name)
	if e == nil {
		return hash, fmt.Errorf("the chain has no endpoint %q", name)
	}
	err = e.do(ctx, "hash_at", func(ctx context.Context, e *endpoint) error {
		var h header
		if err := e.call(ctx, &h, "eth_getBlockByNumber", hexutil.Uint64(number), false); err != nil {
			return behind(err, number)
		}
		switch {
		case h.Number == nil || h.Hash == nil:
			return errPartialHeader
		case h.Number.ToInt().Cmp(new(big.Int).SetUint64(number)) != 0:
			return contradiction("block %d was asked for, %s came", number, h.Number)
		}
		hash = *h.Hash
		return nil
	})
	return hash, err
}

// BlockByNumber returns the canonical block at a height, or ethereum.NotFound above every head. Unchecked blocks must
// pass Agreed.
func (c *Client) BlockByNumber(ctx context.Context, number uint64) (block evidence.Block, err error) {
	var from *endpoint
	err = c.readFrom(ctx, c.candidates(number), "block_by_number", func(ctx context.Context, e *endpoint) (err error) {
		from = e
		block, err = c.blockAt(ctx, e, number)
		return err
	})
	if err == nil && !block.Checked {
		_, err = c.agreed(ctx, from, []evidence.Block{block})
	}
	return block, err
}

// BlockByHash returns a block of any branch, or ethereum.NotFound.
func (c *Client) BlockByHash(ctx context.Context, hash common.Hash) (block evidence.Block, err error) {
	err = c.readFrom(ctx, c.candidates(0), "block_by_hash", func(ctx context.Context, e *endpoint) (err error) {
		block, err = c.blockByHash(ctx, e, hash)
		return err
	})
	return block, err
}

// Agreed returns how many of an endpoint's ascending blocks are believed, from the first on, and an error if some are
// left out. Checked blocks are believed. If all headers of the chain are uncheckable, a majority decides. Above a
// hard fork with unknown fields, all endpoints must agree. evidence.ErrUnconfirmed means that the others lack a block
// so far.
func (c *Client) Agreed(ctx context.Context, endpoint string, blocks []evidence.Block) (int, error) {
	if e := c.named(endpoint); e != nil {
		return c.agreed(ctx, e, blocks)
	}
	return 0, fmt.Errorf("the chain has no endpoint %q", endpoint)
}

func (c *Client) agreed(ctx context.Context, from *endpoint, blocks []evidence.Block) (int, error) {
	first := slices.IndexFunc(blocks, func(b evidence.Block) bool { return !b.Checked })
	if first < 0 {
		return len(blocks), nil
	}
	c.headers.mu.Lock()
	forked, open := c.headers.checkable, c.headers.open
	c.headers.mu.Unlock()
	if !open {
		return first, fmt.Errorf("%w: that of block %d of %s", errUnknownHeader, blocks[first].Number, from.name)
	}
	if forked {
		n, err := c.unanimous(ctx, from, blocks[first:])
		return first + n, err
	}
	if err := c.majority(ctx, from, &blocks[len(blocks)-1]); err != nil {
		return len(blocks) - 1, err
	}
	return len(blocks), nil
}

// majority returns nil if more endpoints have b than have other blocks at its height.
func (c *Client) majority(ctx context.Context, from *endpoint, b *evidence.Block) error {
	with := 1
	var against []string
	for _, e := range c.candidates(b.Number) {
		if e == from {
			continue
		}
		switch theirs, _ := c.chain(ctx, e, b.Number, b.Number); {
		case len(theirs) == 0:
		case theirs[0].Hash == b.Hash:
			with++
		default:
			against = append(against, e.name)
		}
	}
	if len(against) >= with {
		return fmt.Errorf("%w: %s says that block %d is %s, and others differ: %v", errNotLearnt, from.name, b.Number, b.Hash, against)
	}
	return nil
}

// unanimous is Agreed above a hard fork with unknown fields. Endpoints that have a block must return it identically.
// If another endpoint answers, or did in the last 30 s, one of the others must have the block, since a single source
// could alter its contents unnoticed.
func (c *Client) unanimous(ctx context.Context, from *endpoint, blocks []evidence.Block) (int, error) {
	var asked []string
	most := 0
	for _, e := range c.endpoints {
		if e == from {
			continue
		}
		theirs, err := c.chain(ctx, e, blocks[0].Number, blocks[len(blocks)-1].Number)
		same := 0
		for same < len(theirs) && reflect.DeepEqual(theirs[same], blocks[same]) {
			same++
		}
		away := failed(err) && time.Since(time.Unix(0, e.answered.Load())) >= distrustFirst
		switch {
		case same < len(theirs):
			return 0, fmt.Errorf("%w: %s and %s differ about block %d", errNotLearnt, from.name, e.name, theirs[same].Number)
		case same > 0 || !away && !errors.Is(err, evidence.ErrContradiction):
			asked, most = append(asked, e.name), max(most, same)
		}
	}
	if len(asked) > 0 && most < len(blocks) {
		return most, fmt.Errorf("%w: block %d of %s, asked of %v", evidence.ErrUnconfirmed, blocks[most].Number, from.name, asked)
	}
	return len(blocks), nil
}

// Blocks returns the blocks from…to (inclusive, ascending) of one endpoint's chain, each the parent of the next. An
// error comes with the blocks read before it, contiguous from `from` on. Unchecked blocks are a claim; see Agreed.
func (c *Client) Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error) {
	if e := c.named(endpoint); e != nil {
		return c.chain(ctx, e, from, to)
	}
	return nil, fmt.Errorf("the chain has no endpoint %q", endpoint)
}

// blocks is chain, cut before the first block on which endpoints disagree.
func (c *Client) blocks(ctx context.Context, e *endpoint, from, to uint64) ([]evidence.Block, error) {
	blocks, err := c.chain(ctx, e, from, to)
	n, differ := c.agreed(ctx, e, blocks)
	return blocks[:n], cmp.Or(differ, err)
}

func (c *Client) chain(ctx context.Context, e *endpoint, from, to uint64) (blocks []evidence.Block, err error) {
	for next := from; next <= to && err == nil; next = from + uint64(len(blocks)) {
		last := min(to, next+uint64(max(e.batch.size(time.Now()), 1))-1)
		err = e.do(ctx, "blocks", func(ctx context.Context, e *endpoint) (err error) {
			blocks, err = c.extend(ctx, e, blocks, next, last)
			return err
		})
	}
	return blocks, err
}

// extend reads the blocks from…to and appends them, up to the first fault.
func (c *Client) extend(ctx context.Context, e *endpoint, blocks []evidence.Block, from, to uint64) ([]evidence.Block, error) {
	elems := make([]rpc.BatchElem, 0, to-from+1)
	for n := from; n <= to; n++ {
		elems = append(elems, elem("eth_getBlockByNumber", hexutil.Uint64(n), false))
	}
	if err := e.calls(ctx, elems); err != nil {
		return blocks, err
	}
	for i, el := range elems {
		b, err := c.takeHeader(ctx, e, el, from+uint64(i))
		if err != nil {
			return blocks, err
		}
		// a hard fork stays in force: an unchecked block's child is unchecked
		if n := len(blocks); n > 0 && (blocks[n-1].Hash != b.Parent || b.Checked && !blocks[n-1].Checked) {
			return blocks, c.torn(ctx, e, blocks[n-1], b)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// torn returns the error for two unlinked blocks, or a checked block above an unchecked one: a contradiction if the
// endpoint still has both. Otherwise a reorg between the reads explains them.
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
