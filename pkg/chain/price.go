package chain

import (
	"errors"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

func (c *Client) legacy(at *evidence.Block) bool { return c.cfg.Legacy || at.BaseFee == nil }

// askPrice requests the price. It is uncheckable, so the first node's claim is used within bounds: Config's for the
// tip, half to twice that of block At for the base fee. A legacy price is unbounded and includes our transactions.
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
	suggests := len(elems) > 1
	asksL1 := !c.oracle.absent()
	if asksL1 {
		elems = append(elems, elem("eth_call", callObject{To: &oracleAddress, Input: oracleCall}, hexutil.Uint64(at.Number)))
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
		if asksL1 {
			c.oracle.take(elems[len(elems)-1])
		}
		if suggests {
			var suggested hexutil.Big // stays 0, hence MinTip, if the node's suggestion is missing
			_ = answer(elems[1], &suggested)
			tip := saturated((*big.Int)(&suggested))
			r.suggested = &tip
		}
		return nil
	}}
}

// makePrice sets the price. It runs after receipts are read, since they contain the tips in blocks with our
// transactions.
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

// headPrice returns the price if the endpoint's claim is doubtful: the maximum base fee of the next block and the
// last tip. It is nil for legacy prices and before the first tip.
func (c *Client) headPrice(at *evidence.Block) *evidence.Price {
	tip, known := c.market.last()
	if c.legacy(at) || !known {
		return nil
	}
	own := saturated(at.BaseFee)
	return c.priceOf(max(own, own+own/8+1), tip)
}

func (c *Client) priceOf(baseFee, tip uint64) *evidence.Price {
	return &evidence.Price{BaseFee: baseFee, Tip: max(1, min(max(tip, c.cfg.MinTip), c.cfg.MaxTip)), L1Byte: c.oracle.perByte.Load()}
}

// oracle caches the L1 fee per byte of OP Stack chains. The query is for one large transaction, since small ones cost
// as much per byte, plus the constant part of evidence.Price.L1.
type oracle struct {
	lacking atomic.Uint64 // answers in a row that the oracle is missing
	again   atomic.Int64  // next query while it is absent, Unix ns
	perByte atomic.Uint64 // wei
}

const (
	oracleDoubts = 8 // missing answers before queries slow down to every oraclePause
	oraclePause  = 10 * time.Minute
	oracleBytes  = 128 << 10
	maxL1Byte    = 10_000_000_000_000 // wei, since an endpoint may lie: 0.03 ether for a usual batch of 100
)

var (
	oracleAddress = common.HexToAddress("0x420000000000000000000000000000000000000F")
	// getL1FeeUpperBound(uint256)
	oracleCall = append(common.FromHex("0xf1c7a58b"), common.BigToHash(big.NewInt(oracleBytes)).Bytes()...)
)

func (o *oracle) absent() bool {
	return o.lacking.Load() >= oracleDoubts && time.Now().UnixNano() < o.again.Load()
}

func (o *oracle) take(el rpc.BatchElem) {
	var out hexutil.Bytes
	switch err := answer(el, &out); {
	case err == nil && len(out) == common.HashLength:
		o.lacking.Store(0)
		o.perByte.Store(min(saturated(new(big.Int).SetBytes(out))/oracleBytes+1, maxL1Byte))
	case err == nil || asRevert(err) != nil:
		if o.lacking.Add(1) >= oracleDoubts {
			o.perByte.Store(0)
			o.again.Store(time.Now().Add(oraclePause).UnixNano())
		}
	}
}
