package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
)

const emptyAgain = 3 * time.Second

// Events returns the contract's logs in the blocks, in order, if their first topic is one of topics (empty: all), or
// an error if some are unknown. Blocks with a checked bloom that excludes the logs are skipped. The others' receipts
// are checked against the receipts root. If all endpoints lack checkable receipts, every endpoint is asked for each
// block's logs. All that answer must agree, and an empty result must repeat after emptyAgain.
//
// paid holds gas (proved) and fee (at the price that the endpoint claims) by transaction, for blocks with receipts
// that were read.
func (c *Client) Events(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) (
	logs []types.Log, paid map[common.Hash]evidence.Paid, err error,
) {
	maybe := slices.DeleteFunc(slices.Clone(blocks), func(b evidence.Block) bool { return !b.MayHold(contract, topics) })
	if len(maybe) == 0 {
		return nil, nil, nil
	}
	receipts, err := c.receipts(ctx, maybe)
	byBlock := map[common.Hash][]types.Log{}
	paid = map[common.Hash]evidence.Paid{}
	var unread []evidence.Block
	for _, b := range maybe {
		all, ok := receipts[b.Hash]
		if !ok {
			unread = append(unread, b)
			continue
		}
		for _, r := range all {
			for _, l := range r.Logs {
				if wanted(l, contract, topics) {
					byBlock[b.Hash] = append(byBlock[b.Hash], *l)
					c.quiet.logged(contract, b.Ref())
					paid[r.TxHash] = evidence.Paid{Time: b.Time, Gas: r.GasUsed, Fee: r.Fee()}
				}
			}
		}
	}
	if len(unread) > 0 {
		if !c.unreadable(err) {
			return nil, nil, err
		}
		compared, err := c.comparedLogs(ctx, unread, contract, topics)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(byBlock, compared)
	}
	for _, b := range blocks {
		logs = append(logs, byBlock[b.Hash]...)
	}
	return logs, paid, nil
}

// unreadable reports whether all endpoints lack checkable receipts. It is false if they only failed to answer.
func (c *Client) unreadable(err error) bool {
	endpoints := c.candidates(0)
	return len(endpoints) > 0 && (errors.Is(err, errUncheckable) ||
		!slices.ContainsFunc(endpoints, func(e *endpoint) bool { return e.whole.offered(time.Now()) }))
}

func wanted(l *types.Log, contract common.Address, topics []common.Hash) bool {
	return l.Address == contract && (len(topics) == 0 || len(l.Topics) > 0 && slices.Contains(topics, l.Topics[0]))
}

func (c *Client) comparedLogs(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) (map[common.Hash][]types.Log, error) {
	learnt, err := c.askLogs(ctx, blocks, contract, topics)
	if err != nil {
		return nil, err
	}
	empty := slices.DeleteFunc(slices.Clone(blocks), func(b evidence.Block) bool { return len(learnt[b.Hash]) > 0 })
	if len(empty) == 0 {
		return learnt, nil
	}
	if err := retry.Sleep(ctx, emptyAgain); err != nil {
		return nil, fmt.Errorf("%w: no logs in %d blocks so far: %w", errNotLearnt, len(empty), err)
	}
	again, err := c.askLogs(ctx, empty, contract, topics)
	maps.Copy(learnt, again)
	return learnt, err
}

func (c *Client) askLogs(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) (map[common.Hash][]types.Log, error) {
	endpoints, err := c.believable(ctx, "block_logs", 0)
	if err != nil {
		return nil, err
	}
	learnt := map[common.Hash][]types.Log{}
	by := map[common.Hash]string{}
	var errs []error
	for _, e := range endpoints {
		for some := range slices.Chunk(blocks, blocksAtOnce) {
			var answers [][]types.Log
			err := e.do(ctx, "block_logs", func(ctx context.Context, e *endpoint) (err error) {
				answers, err = e.blockLogs(ctx, some, contract, topics)
				return err
			})
			if err != nil {
				errs = append(errs, err)
				break
			}
			for i, b := range some {
				before, known := learnt[b.Hash]
				if known && !slices.EqualFunc(before, answers[i], sameLog) {
					return nil, fmt.Errorf("%w: %s has %d logs of block %d, %s has %d or others", errNotLearnt,
						by[b.Hash], len(before), b.Number, e.name, len(answers[i]))
				}
				learnt[b.Hash], by[b.Hash] = answers[i], e.name
			}
		}
	}
	if len(learnt) < len(blocks) {
		return nil, c.failed(ctx, "block_logs", errs)
	}
	return learnt, nil
}

func sameLog(a, b types.Log) bool {
	return a.BlockHash == b.BlockHash && a.Index == b.Index && a.TxHash == b.TxHash && a.Address == b.Address &&
		slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Data, b.Data)
}

func (e *endpoint) blockLogs(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) ([][]types.Log, error) {
	elems := make([]rpc.BatchElem, len(blocks))
	for i, b := range blocks {
		filter := filterOf(contract, topics)
		filter.Block = &b.Hash
		elems[i] = elem("eth_getLogs", filter)
	}
	if err := e.calls(ctx, elems); err != nil {
		return nil, err
	}
	answers := make([][]types.Log, len(blocks))
	for i := range blocks {
		b := &blocks[i]
		if err := answer(elems[i], &answers[i]); err != nil && !errors.Is(err, ethereum.NotFound) {
			return nil, behind(err, b.Hash)
		}
		for j := range answers[i] {
			if err := fits(&answers[i][j], b, contract, topics); err != nil {
				return nil, err
			}
		}
	}
	return answers, nil
}

func fits(l *types.Log, b *evidence.Block, contract common.Address, topics []common.Hash) error {
	switch {
	case l.BlockHash != b.Hash || l.BlockNumber != b.Number || l.Removed:
		return contradiction("logs of block %s were asked for, one of %s came", b.Hash, l.BlockHash)
	case !wanted(l, contract, topics):
		return contradiction("logs of %s were asked for, one of %s came that was not", contract, l.Address)
	}
	return evidence.CheckBloom(b, l)
}
