package chain

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const paidAtOnce = 64

// Paid returns the inclusion time (of the header), gas used and fee of each of the logs' transactions. Gas and fee
// are one endpoint's claim, in a receipt that fits the block's list and bloom. That suffices for statistics; all
// receipts of all blocks would be too many.
func (c *Client) Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	var of []types.Log // one of each transaction
	for i := range logs {
		if i == 0 || logs[i].TxHash != logs[i-1].TxHash {
			of = append(of, logs[i])
		}
	}
	paid := make(map[common.Hash]evidence.Paid, len(of))
	for some := range slices.Chunk(of, paidAtOnce) {
		endpoints, err := c.believable(ctx, "paid", some[len(some)-1].BlockNumber)
		if err != nil {
			return nil, err
		}
		err = c.readFrom(ctx, endpoints, "paid", func(ctx context.Context, e *endpoint) error {
			return c.paidFor(ctx, e, some, paid)
		})
		if err != nil {
			return nil, fmt.Errorf("couldn't read what the transactions of blocks %d to %d paid: %w", some[0].BlockNumber, some[len(some)-1].BlockNumber, err)
		}
	}
	return paid, nil
}

func (c *Client) paidFor(ctx context.Context, e *endpoint, logs []types.Log, paid map[common.Hash]evidence.Paid) error {
	var elems []rpc.BatchElem
	for i := range logs {
		if i == 0 || logs[i].BlockHash != logs[i-1].BlockHash {
			elems = append(elems, elem("eth_getBlockByHash", logs[i].BlockHash, false))
		}
		elems = append(elems, elem("eth_getTransactionReceipt", logs[i].TxHash))
	}
	if err := e.calls(ctx, elems); err != nil {
		return err
	}
	var block evidence.Block
	for i := range logs {
		l := &logs[i]
		if i == 0 || l.BlockHash != logs[i-1].BlockHash {
			var err error
			if block, err = c.takeHeader(ctx, e, elems[0], l.BlockNumber); err != nil {
				return err
			}
			if block.Hash != l.BlockHash {
				return contradiction("block %s was asked for, %s came", l.BlockHash, block.Hash)
			}
			elems = elems[1:]
		}
		var receipt *evidence.Receipt
		if err := answer(elems[0], &receipt); err != nil {
			return behind(err, block.Number)
		}
		elems = elems[1:]
		if err := checkReceipt(&block, l.TxHash, receipt); err != nil {
			return err
		}
		paid[l.TxHash] = evidence.Paid{Time: block.Time, Gas: receipt.GasUsed, Fee: receipt.Fee()}
	}
	return nil
}
