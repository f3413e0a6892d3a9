package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// jump is how many blocks a head may lead all others before its ancestors are checked.
const jump = 3

// Latest returns the newest block of every endpoint that answers, soon after the first answer, or an error if all
// fail. A slower endpoint's block is in the result of a later call (standing.go). Unlike Head, Latest accepts blocks
// far above the others. An endpoint with an uncheckable header is included, but distrusted; Agreed decides whether
// its block may be followed. One caller at a time.
func (c *Client) Latest(ctx context.Context) ([]evidence.Claim, error) {
	replies, errs := c.latest.round(ctx, c, c.cfg.Grace, "head", c.witnesses(), c.newest)
	return c.newestOf(ctx, replies, errs)
}

func (c *Client) newest(ctx context.Context, e *endpoint) (evidence.Block, error) {
	b, err := c.claimed(ctx, e, "latest")
	if err == nil && b.Checked {
		e.forked.Store(false)
	}
	return b, err
}

// claimed returns an endpoint's block for a tag, even after errUnknownHeader, when it distrusts the endpoint.
func (c *Client) claimed(ctx context.Context, e *endpoint, tag string) (evidence.Block, error) {
	b, err := c.block(ctx, e, "eth_getBlockByNumber", tag)
	if errors.Is(err, errUnknownHeader) {
		e.forked.Store(true)
		e.distrust(err)
		err = nil
	}
	return b, err
}

// witnesses returns the candidates, and endpoints set aside for an uncheckable header.
func (c *Client) witnesses() []*endpoint {
	all := c.candidates(0)
	for _, e := range c.endpoints {
		if _, _, resting := e.breaker.rest(time.Now()); e.forked.Load() && !resting && !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

func (c *Client) newestOf(ctx context.Context, replies []reply[evidence.Block], errs []error) ([]evidence.Claim, error) {
	if len(replies) == 0 {
		return nil, c.failed(ctx, "head", errs)
	}
	all := make([]evidence.Claim, len(replies))
	for i, r := range replies {
		r.from.newest.Store(max(r.value.Number, 1))
		all[i] = evidence.Claim{Endpoint: r.from.name, Block: r.value}
	}
	return all, nil
}

// Finalized is Latest for the tag Config.FinalTag; endpoints without such a block are left out. Since it is called
// rarely, it can wait longer for slow endpoints: callGrace instead of Config.Grace.
func (c *Client) Finalized(ctx context.Context) ([]evidence.Claim, error) {
	replies, errs := c.finalized.round(ctx, c, callGrace, "finalized", c.witnesses(), c.tagged)
	return c.taggedOf(ctx, replies, errs)
}

func (c *Client) tagged(ctx context.Context, e *endpoint) (*evidence.Block, error) {
	b, err := c.claimed(ctx, e, c.cfg.FinalTag)
	if errors.Is(err, ethereum.NotFound) || noFinality(err) {
		return nil, nil //nolint:nilnil // it has none, which is an answer
	}
	return &b, err
}

func (c *Client) taggedOf(ctx context.Context, replies []reply[*evidence.Block], errs []error) ([]evidence.Claim, error) {
	if len(replies) == 0 {
		return nil, c.failed(ctx, "finalized", errs)
	}
	var all []evidence.Claim
	for _, r := range replies {
		if r.value != nil {
			all = append(all, evidence.Claim{Endpoint: r.from.name, Block: *r.value})
		}
	}
	return all, nil
}

// Head returns the highest latest block of all endpoints, so that the program survives a halted node. A block far
// above the others counts only if its endpoint also has its parent and the next highest block.
func (c *Client) Head(ctx context.Context) (evidence.Block, error) {
	replies, errs := each(ctx, c, "head", c.candidates(0), c.newest)
	all, err := c.newestOf(ctx, replies, errs)
	if err != nil {
		return evidence.Block{}, err
	}
	slices.SortStableFunc(all, func(a, b evidence.Claim) int { return cmp.Compare(b.Block.Number, a.Block.Number) })
	for len(all) > 1 && all[0].Block.Number > all[1].Block.Number+jump {
		if err := c.grounded(ctx, all[0], all[1].Block); err != nil {
			c.log.Warn("an endpoint's newest block is far above all others' and does not lead to them; not using it",
				"endpoint", all[0].Endpoint, "block", all[0].Block.Number, "others", all[1].Block.Number, "err", err)
			all = all[1:]
			continue
		}
		break
	}
	for {
		_, err := c.Agreed(ctx, all[0].Endpoint, []evidence.Block{all[0].Block})
		if err == nil || len(all) == 1 {
			return all[0].Block, err
		}
		all = all[1:]
	}
}

// grounded returns nil if the claim's endpoint has the claim's parent, and block below, the next highest claim.
func (c *Client) grounded(ctx context.Context, claim evidence.Claim, below evidence.Block) error {
	return c.named(claim.Endpoint).do(ctx, "grounded", func(ctx context.Context, e *endpoint) error {
		parent, err := c.blockByHash(ctx, e, claim.Block.Parent)
		if err != nil {
			return behind(err, claim.Block.Parent)
		}
		if parent.Number+1 != claim.Block.Number {
			return contradiction("block %d has parent %s, which is block %d", claim.Block.Number, claim.Block.Parent, parent.Number)
		}
		same, err := c.blockAt(ctx, e, below.Number)
		if err != nil {
			return behind(err, below.Number)
		}
		if same.Hash != below.Hash {
			return fmt.Errorf("%w: its block %d is %s, another endpoint's %s", errNotLearnt, below.Number, same.Hash, below.Hash)
		}
		return nil
	})
}

// FinalBlock returns the newest block with that many confirmations, its own included, or, for 0, the lowest block
// that an endpoint has for Config.FinalTag. ethereum.NotFound means that the chain is too short, or lacks the tag.
func (c *Client) FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error) {
	if confirmations == 0 {
		replies, errs := eachWithin(ctx, c, callGrace, "finalized", c.candidates(0), c.tagged)
		all, err := c.taggedOf(ctx, replies, errs)
		if err != nil {
			return evidence.Block{}, err
		}
		if len(all) == 0 {
			return evidence.Block{}, fmt.Errorf("no block is %s: %w", c.cfg.FinalTag, ethereum.NotFound)
		}
		slices.SortStableFunc(all, func(a, b evidence.Claim) int { return cmp.Compare(a.Block.Number, b.Block.Number) })
		for {
			_, err := c.Agreed(ctx, all[0].Endpoint, []evidence.Block{all[0].Block})
			if !errors.Is(err, errUnknownHeader) || len(all) == 1 {
				return all[0].Block, err
			}
			all = all[1:]
		}
	}
	head, err := c.Head(ctx)
	if err != nil {
		return head, err
	}
	height, ok := evidence.FinalHeight(head.Number, confirmations)
	switch {
	case !ok:
		return evidence.Block{}, fmt.Errorf("the chain has %d blocks, and %d make one final: %w", head.Number+1, confirmations, ethereum.NotFound)
	case height == head.Number:
		return head, nil
	}
	return c.BlockByNumber(ctx, height)
}
