package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/lane"
)

type logFilter struct {
	From    hexutil.Uint64  `json:"fromBlock"`
	To      hexutil.Uint64  `json:"toBlock"`
	Address common.Address  `json:"address"`
	Topics  [][]common.Hash `json:"topics,omitempty"`
}

// Logs hands the contract's logs of the blocks from … to (inclusive) to fn, in order, a range of blocks at a time:
// through is the last block of the range. topics filters by the first topic; none means all. The ranges shrink when an
// endpoint finds one too large, and grow again. Only an endpoint that has block `to` is believed, since one that lags
// would leave out what it has not seen. An error of fn ends it.
func (c *Client) Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64,
	fn func(through lane.Block, logs []types.Log) error,
) error {
	size := c.cfg.LogRange
	for from <= to {
		last := to
		if to-from >= size {
			last = from + size - 1
		}
		filter := logFilter{From: hexutil.Uint64(from), To: hexutil.Uint64(last), Address: contract}
		if len(topics) > 0 {
			filter.Topics = [][]common.Hash{topics}
		}
		through, logs, err := c.logs(ctx, filter, to)
		if err != nil && last > from && ctx.Err() == nil && !errors.Is(err, errBehind) && !undelivered(err) {
			size = (last - from + 1) / 2 // whatever it was: a smaller question is easier
			continue
		}
		if err != nil {
			return fmt.Errorf("couldn't read the contract's logs of blocks %d to %d: %w", from, last, err)
		}
		if err := fn(through, logs); err != nil {
			return err
		}
		from = last + 1
		size = min(size*2, c.cfg.LogRange)
	}
	return nil
}

// logs reads one range from an endpoint that has block `to`.
func (c *Client) logs(ctx context.Context, filter logFilter, to uint64) (through lane.Block, logs []types.Log, err error) {
	err = c.read(ctx, "logs", func(ctx context.Context, e *endpoint) error {
		elems := []rpc.BatchElem{
			elem("eth_getBlockByNumber", hexutil.Uint64(to), false),
			elem("eth_getBlockByNumber", filter.To, false),
			elem("eth_getLogs", filter),
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		var known, last header
		if err := answer(elems[0], &known); err != nil {
			return aheadOf(err, to)
		}
		if err := answer(elems[1], &last); err != nil {
			return aheadOf(err, to)
		}
		if through, err = last.block(); err != nil {
			return err
		}
		logs = nil
		if err := answer(elems[2], &logs); err != nil && !errors.Is(err, ethereum.NotFound) {
			return err
		}
		return nil
	})
	return through, logs, err
}

func aheadOf(err error, number uint64) error {
	if errors.Is(err, ethereum.NotFound) {
		return fmt.Errorf("%w %d", errBehind, number)
	}
	return err
}
