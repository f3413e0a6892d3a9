package chain

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// legacy tells whether prices are legacy gas prices at a block.
func (c *Client) legacy(at *evidence.Block) bool { return c.cfg.Legacy || at.BaseFee == nil }

// askPrice makes the part. What a node says of prices cannot be checked, so it is the first one's word, within bounds:
// Config's for the tip, and half to twice the block's own for the base fee.
func (c *Client) askPrice(r *reading) part {
	at := &r.ask.At
	if c.legacy(at) {
		return part{
			elems: []rpc.BatchElem{elem("eth_gasPrice")},
			take: func(_ *endpoint, elems []rpc.BatchElem) error {
				var price hexutil.Big
				if err := answer(elems[0], &price); err != nil {
					return err
				}
				r.answer.Price = &evidence.Price{Legacy: true, Gas: max(saturated((*big.Int)(&price)), 1)}
				return nil
			},
		}
	}
	elems := []rpc.BatchElem{elem("eth_feeHistory", hexutil.Uint(feeBlocks), hexutil.Uint64(at.Number), []float64{tipPercentile})}
	if _, known := c.market.last(); !known {
		elems = append(elems, elem("eth_maxPriorityFeePerGas"))
	}
	return part{elems: elems, take: func(_ *endpoint, elems []rpc.BatchElem) error {
		var h feeHistory
		if err := answer(elems[0], &h); err != nil {
			return behind(err, at.Number)
		}
		if len(h.BaseFees) == 0 || len(h.Rewards) == 0 || uint64(h.Oldest)+uint64(len(h.Rewards))-1 != at.Number {
			return errors.New("the node's fee history does not end with the block that was asked for")
		}
		r.history = &h
		if len(elems) > 1 {
			var suggested hexutil.Big // 0, so Config's MinTip, where the node has no suggestion
			_ = answer(elems[1], &suggested)
			tip := saturated((*big.Int)(&suggested))
			r.suggested = &tip
		}
		return nil
	}}
}

// makePrice makes the price of what was read: after the receipts, since they say what the tips of our own blocks are.
func (c *Client) makePrice(r *reading) {
	if r.history == nil || r.answer.Price != nil {
		return
	}
	at := &r.ask.At
	tip := c.market.learn(at, *r.history, r.suggested)
	base := saturated((*big.Int)(r.history.BaseFees[len(r.history.BaseFees)-1]))
	own := saturated(at.BaseFee)
	r.answer.Price = c.priceOf(min(max(base, own/2), max(own, own*2)), tip)
}

// headPrice is the price where no word can be taken: the most that the base fee can be, and the last tip learnt.
func (c *Client) headPrice(at *evidence.Block) *evidence.Price {
	tip, known := c.market.last()
	if c.legacy(at) || !known {
		return nil
	}
	own := saturated(at.BaseFee)
	return c.priceOf(max(own, own+own/8+1), tip)
}

// priceOf is a price with the tip within Config's bounds.
func (c *Client) priceOf(baseFee, tip uint64) *evidence.Price {
	return &evidence.Price{BaseFee: baseFee, Tip: max(1, min(max(tip, c.cfg.MinTip), c.cfg.MaxTip))}
}
