package app

import (
	"context"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/lane"
)

// finality is the rule by which a block is final.
type finality struct {
	chain         *chain.Client
	confirmations uint64 // blocks, its own included; 0: the chain's finalized tag
}

func (f finality) block(ctx context.Context) (lane.Block, error) {
	return FinalBlock(ctx, f.chain, f.confirmations)
}

// FinalBlock is the newest final block: with so many confirmations, its own included, or by the chain's finalized tag
// if that is 0. ethereum.NotFound while there is none; a chain shorter than the confirmations has its first block.
func FinalBlock(ctx context.Context, c *chain.Client, confirmations uint64) (lane.Block, error) {
	if confirmations == 0 {
		return c.Finalized(ctx)
	}
	head, err := c.Head(ctx)
	if err != nil || confirmations == 1 {
		return head, err
	}
	number := uint64(0)
	if head.Number+1 > confirmations {
		number = head.Number + 1 - confirmations
	}
	return c.BlockByNumber(ctx, number)
}
