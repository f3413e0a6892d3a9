package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// jump is by how many blocks an endpoint's head may be above every other's without a look at what is below it.
const jump = 3

// Latest is the newest block of every endpoint that answers. It returns soon after the first has; an error when none
// does. Claims are checked against themselves only: see Client.Head for one that is ahead of all others. An endpoint with
// a websocket answers from its subscription.
func (c *Client) Latest(ctx context.Context) ([]evidence.Claim, error) {
	replies, errs := each(ctx, c, "head", c.candidates(0), func(ctx context.Context, e *endpoint) (evidence.Block, error) {
		if b, ok := e.pushed.latest(); ok {
			return b, nil
		}
		return c.block(ctx, e, "eth_getBlockByNumber", "latest")
	})
	if len(replies) == 0 {
		return nil, c.failedRead(ctx, "head", errs)
	}
	return claims(replies), nil
}

func claims(replies []reply[evidence.Block]) []evidence.Claim {
	all := make([]evidence.Claim, len(replies))
	for i, r := range replies {
		r.from.newest.Store(max(r.value.Number, 1))
		all[i] = evidence.Claim{Endpoint: r.from.name, Block: r.value}
	}
	return all
}

func (c *Client) failedRead(ctx context.Context, op string, errs []error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("couldn't ask the chain (%s): %w", op, ctx.Err())
	}
	return c.joined(op, errs)
}

// Finalized is what every endpoint that answers calls finalized; no claims and no error while the chain has none.
func (c *Client) Finalized(ctx context.Context) ([]evidence.Claim, error) {
	type final struct {
		block evidence.Block
		none  bool
	}
	replies, errs := each(ctx, c, "finalized", c.candidates(0), func(ctx context.Context, e *endpoint) (final, error) {
		b, err := c.block(ctx, e, "eth_getBlockByNumber", "finalized")
		if errors.Is(err, ethereum.NotFound) || noFinality(err) {
			return final{none: true}, nil
		}
		return final{block: b}, err
	})
	if len(replies) == 0 {
		return nil, c.failedRead(ctx, "finalized", errs)
	}
	var all []evidence.Claim
	for _, r := range replies {
		if !r.value.none {
			all = append(all, evidence.Claim{Endpoint: r.from.name, Block: r.value.block})
		}
	}
	return all, nil
}

// noFinality tells whether an error is how geth and others say that no block is final.
func noFinality(err error) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && containsAny(strings.ToLower(coded.Error()), "finalized block not found", "unknown block", "not supported")
}

// Head is the highest block that any endpoint has as its latest: all are asked, so that a node that halts cannot hold the
// program up. One that is far above all others counts only if its endpoint has its parent, and the block of the
// next highest.
func (c *Client) Head(ctx context.Context) (evidence.Block, error) {
	all, err := c.Latest(ctx)
	if err != nil {
		return evidence.Block{}, err
	}
	slices.SortStableFunc(all, func(a, b evidence.Claim) int {
		switch {
		case a.Block.Number > b.Block.Number:
			return -1
		case a.Block.Number < b.Block.Number:
			return 1
		}
		return 0
	})
	for len(all) > 1 && all[0].Block.Number > all[1].Block.Number+jump {
		if err := c.grounded(ctx, all[0], all[1].Block); err != nil {
			c.log.Warn("an endpoint's newest block is far above all others' and does not lead to them; not using it",
				"endpoint", all[0].Endpoint, "block", all[0].Block.Number, "others", all[1].Block.Number, "err", err)
			all = all[1:]
			continue
		}
		break
	}
	return all[0].Block, nil
}

// grounded tells whether an endpoint that claims a block far above another also has what lies below.
func (c *Client) grounded(ctx context.Context, claim evidence.Claim, below evidence.Block) error {
	i := slices.IndexFunc(c.endpoints, func(e *endpoint) bool { return e.name == claim.Endpoint })
	return c.endpoints[i].do(ctx, "grounded", func(ctx context.Context, e *endpoint) error {
		parent, err := c.block(ctx, e, "eth_getBlockByHash", claim.Block.Parent)
		if err != nil {
			return behind(err, claim.Block.Parent)
		}
		if parent.Hash != claim.Block.Parent || parent.Number+1 != claim.Block.Number {
			return contradiction("block %d has parent %s, which is block %d", claim.Block.Number, claim.Block.Parent, parent.Number)
		}
		same, err := c.block(ctx, e, "eth_getBlockByNumber", hexutil.Uint64(below.Number))
		if err != nil {
			return aheadOf(err, below.Number)
		}
		if same.Hash != below.Hash {
			return fmt.Errorf("%w: its block %d is %s, another endpoint's %s", errNotLearnt, below.Number, same.Hash, below.Hash)
		}
		return nil
	})
}

// FinalBlock is the newest final block: with so many confirmations, its own included, or by the chain's finalized tag if
// that is 0 (the lowest block that an endpoint calls so). ethereum.NotFound while there is none: on a chain that is
// shorter than the confirmations, or calls no block finalized.
func (c *Client) FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error) {
	if confirmations == 0 {
		all, err := c.Finalized(ctx)
		if err != nil {
			return evidence.Block{}, err
		}
		if len(all) == 0 {
			return evidence.Block{}, fmt.Errorf("no block is finalized: %w", ethereum.NotFound)
		}
		return slices.MinFunc(all, func(a, b evidence.Claim) int {
			if a.Block.Number < b.Block.Number {
				return -1
			}
			return 1
		}).Block, nil
	}
	head, err := c.Head(ctx)
	switch {
	case err != nil || confirmations == 1:
		return head, err
	case head.Number+1 < confirmations:
		return evidence.Block{}, fmt.Errorf("the chain has %d blocks, and %d make one final: %w", head.Number+1, confirmations, ethereum.NotFound)
	}
	return c.BlockByNumber(ctx, head.Number+1-confirmations)
}
