package chain

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/lane"
)

const (
	feeBlocks     = 8  // how many blocks Quote looks back
	tipPercentile = 60 // of the gas of each, by tip
)

type feeHistory struct {
	BaseFees  []*hexutil.Big   `json:"baseFeePerGas"` // one more than blocks: the last is the next block's
	Rewards   [][]*hexutil.Big `json:"reward"`
	GasRatios []float64        `json:"gasUsedRatio"`
}

// Quote is the market price of gas after the latest block. On a chain with base fees: the next block's base fee, and
// the median of the tips that 60 % of the gas of the last blocks went for (the node's own suggestion when those blocks
// are empty), within Config's MinTip and MaxTip. Else the node's gas price.
func (c *Client) Quote(ctx context.Context) (quote lane.Quote, err error) {
	err = c.read(ctx, "quote", func(ctx context.Context, e *endpoint) error {
		elems := []rpc.BatchElem{
			elem("eth_getBlockByNumber", "latest", false),
			elem("eth_gasPrice"),
			elem("eth_feeHistory", hexutil.Uint(feeBlocks), "latest", []float64{tipPercentile}),
			elem("eth_maxPriorityFeePerGas"),
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		var head header
		if err := answer(elems[0], &head); err != nil {
			return err
		}
		if c.cfg.Legacy || head.BaseFee == nil {
			var price hexutil.Big
			if err := answer(elems[1], &price); err != nil {
				return err
			}
			quote = lane.Quote{Legacy: true, Price: max(saturated((*big.Int)(&price)), 1)}
			return nil
		}
		var history feeHistory
		if err := answer(elems[2], &history); err != nil {
			return err
		}
		if len(history.BaseFees) == 0 {
			return errors.New("the node's fee history is empty")
		}
		tip, ok := history.tip()
		if !ok {
			var suggested hexutil.Big
			err := answer(elems[3], &suggested)
			if err != nil && !errors.Is(err, ethereum.NotFound) && failed(err) {
				return err
			}
			tip = saturated((*big.Int)(&suggested)) // 0, so MinTip, where the node has no suggestion
		}
		quote = lane.Quote{
			BaseFee: saturated((*big.Int)(history.BaseFees[len(history.BaseFees)-1])),
			Tip:     min(max(tip, c.cfg.MinTip), c.cfg.MaxTip),
		}
		return nil
	})
	return quote, err
}

// tip is the median of the blocks that held any gas; ok is false when none did.
func (h feeHistory) tip() (tip uint64, ok bool) {
	var tips []uint64
	for i, reward := range h.Rewards {
		if len(reward) == 0 || reward[0] == nil || i < len(h.GasRatios) && h.GasRatios[i] == 0 {
			continue
		}
		tips = append(tips, saturated((*big.Int)(reward[0])))
	}
	if len(tips) == 0 {
		return 0, false
	}
	slices.Sort(tips)
	return tips[len(tips)/2], true
}

// saturated is n as uint64; what does not fit becomes the nearest end.
func saturated(n *big.Int) uint64 {
	switch {
	case n == nil || n.Sign() < 0:
		return 0
	case n.IsUint64():
		return n.Uint64()
	}
	return math.MaxUint64
}
