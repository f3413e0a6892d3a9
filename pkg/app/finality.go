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

// block is the newest final block. ethereum.NotFound while there is none.
func (f finality) block(ctx context.Context) (lane.Block, error) {
	if f.confirmations == 0 {
		return f.chain.Finalized(ctx)
	}
	head, err := f.chain.Head(ctx)
	if err != nil || f.confirmations == 1 {
		return head, err
	}
	number := uint64(0)
	if head.Number+1 > f.confirmations {
		number = head.Number + 1 - f.confirmations
	}
	return f.chain.BlockByNumber(ctx, number)
}
