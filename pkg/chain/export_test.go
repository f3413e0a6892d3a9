package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// BlockByHash is the block of that hash, on any branch. ethereum.NotFound when no endpoint knows it.
func (c *Client) BlockByHash(ctx context.Context, hash common.Hash) (block evidence.Block, err error) {
	err = c.readFrom(ctx, c.candidates(0), "block_by_hash", func(ctx context.Context, e *endpoint) (err error) {
		block, err = c.blockByHash(ctx, e, hash)
		return err
	})
	return block, err
}
