package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const blocksAtOnce = 32 // whose receipts or transactions are read in one exchange

// errUncheckable says that a block has transactions of types that this program does not know, so that their receipts
// cannot be held against its header.
var errUncheckable = errors.New("the block has transactions of types that this program does not know")

// askReceipts makes the parts for a block's wanted receipts that are missing. All receipts of the block are read, since only
// together they can be held against its header; single ones only of an endpoint that does not give those, or where they
// cannot be checked. A bloom covers who emitted a log and its topics, but not what it says.
func (c *Client) askReceipts(r *reading, e *endpoint, w *evidence.Wanted) []part {
	missing := slices.DeleteFunc(slices.Clone(w.Txs), func(tx common.Hash) bool { return r.answer.Receipts[tx] != nil })
	if len(missing) == 0 {
		return nil
	}
	if e.whole.offered(time.Now()) && r.once("block "+w.Block.Hash.Hex()) {
		return []part{c.askBlock(r, &w.Block)}
	}
	var parts []part
	for _, tx := range missing {
		if !r.strict && r.once("receipt "+tx.Hex()) {
			parts = append(parts, part{
				elems: []rpc.BatchElem{elem("eth_getTransactionReceipt", tx)},
				take:  func(_ *endpoint, elems []rpc.BatchElem) error { return r.takeReceipt(&w.Block, tx, elems[0]) },
			})
		}
	}
	return parts
}

// askBlock makes the part for all receipts of a block.
func (c *Client) askBlock(r *reading, b *evidence.Block) part {
	return part{
		elems: []rpc.BatchElem{elem("eth_getBlockReceipts", b.Hash)},
		take: func(e *endpoint, elems []rpc.BatchElem) error {
			receipts, err := c.takeBlock(e, b, elems[0])
			if errors.Is(err, errUncheckable) {
				r.unchecked[b.Hash] = true
			}
			for _, receipt := range receipts {
				if slices.ContainsFunc(r.ask.Receipts, func(w evidence.Wanted) bool { return slices.Contains(w.Txs, receipt.TxHash) }) {
					r.answer.Receipts[receipt.TxHash] = receipt
				}
			}
			return err
		},
	}
}

// takeBlock reads and checks all receipts of a block.
func (c *Client) takeBlock(e *endpoint, b *evidence.Block, el rpc.BatchElem) (types.Receipts, error) {
	var raw json.RawMessage
	switch err := answer(el, &raw); {
	case errors.Is(err, ethereum.NotFound) || unknownBlock(err):
		return nil, behind(err, b.Hash)
	case err != nil:
		e.whole.refused(err, time.Now())
		return nil, err
	}
	var receipts types.Receipts
	var to []struct {
		To *common.Address `json:"to"`
	}
	if err := errors.Join(decode(raw, &receipts), decode(raw, &to)); err != nil {
		return nil, err
	}
	if slices.Contains(receipts, nil) {
		return nil, contradiction("the receipts of block %d have a hole", b.Number)
	}
	if slices.ContainsFunc(receipts, func(r *types.Receipt) bool { return r.Type > types.SetCodeTxType }) {
		return nil, fmt.Errorf("%w: %d", errUncheckable, b.Number)
	}
	if err := evidence.CheckReceipts(b, receipts); err != nil {
		if !b.Checked { // the receipts root is a word, too
			return nil, fmt.Errorf("%w: %w", errUncheckable, err)
		}
		return nil, err
	}
	e.whole.worked()
	place(b, receipts)
	went := make([]*common.Address, len(to))
	for i := range to {
		went[i] = to[i].To
	}
	c.market.read(b, receipts, went)
	return receipts, nil
}

// place sets what the receipts root does not cover and the order tells: gas used, and where logs are.
func place(b *evidence.Block, receipts types.Receipts) {
	gas, index := uint64(0), uint(0)
	for i, r := range receipts {
		r.GasUsed = r.CumulativeGasUsed - gas
		gas = r.CumulativeGasUsed
		if i < len(b.Txs) {
			r.TxHash = b.Txs[i]
		}
		for _, l := range r.Logs {
			located(b, r, l)
			l.Index = index
			index++
		}
	}
}

func located(b *evidence.Block, r *types.Receipt, l *types.Log) {
	l.BlockNumber, l.BlockHash, l.BlockTimestamp = b.Number, b.Hash, b.Time
	l.TxHash, l.TxIndex, l.Removed = r.TxHash, r.TransactionIndex, false
}

// takeReceipt reads and checks a single receipt.
func (r *reading) takeReceipt(b *evidence.Block, tx common.Hash, el rpc.BatchElem) error {
	var receipt *types.Receipt
	if err := answer(el, &receipt); err != nil {
		if errors.Is(err, ethereum.NotFound) {
			return fmt.Errorf("it has no receipt of %s, which is in block %d", tx, b.Number)
		}
		return err
	}
	if err := checkReceipt(b, tx, receipt); err != nil {
		return err
	}
	for _, l := range receipt.Logs {
		located(b, receipt, l)
	}
	r.held[tx] = append(r.held[tx], receipt)
	return nil
}

// checkReceipt holds a single receipt against what was asked for and its block.
func checkReceipt(b *evidence.Block, tx common.Hash, receipt *types.Receipt) error {
	if receipt.TxHash != tx {
		return contradiction("the receipt of %s was asked for, that of %s came", tx, receipt.TxHash)
	}
	if receipt.BlockHash != b.Hash && receipt.BlockNumber != nil {
		return fmt.Errorf("it has %s in block %s, on another branch", tx, receipt.BlockHash)
	}
	return evidence.CheckReceipt(b, receipt)
}

// believed is the receipt that endpoints gave one by one, if it is as good as can be had: no endpoint gives all receipts of
// the block, or they cannot be checked, and all that answered say the same.
func (c *Client) believed(r *reading, tx common.Hash) *types.Receipt {
	first := r.held[tx][0]
	now := time.Now()
	if !r.unchecked[first.BlockHash] && slices.ContainsFunc(c.endpoints, func(e *endpoint) bool { return e.whole.offered(now) }) {
		return nil
	}
	for _, other := range r.held[tx][1:] {
		if !sameReceipt(first, other) {
			c.log.Warn("the chain's endpoints differ about a receipt and none proves it; nothing is concluded, and it is read again", "tx", tx)
			return nil
		}
	}
	return first
}

func sameReceipt(a, b *types.Receipt) bool {
	return a.Status == b.Status && a.GasUsed == b.GasUsed && slices.EqualFunc(a.Logs, b.Logs, func(x, y *types.Log) bool {
		return x.Address == y.Address && slices.Equal(x.Topics, y.Topics) && slices.Equal(x.Data, y.Data)
	})
}

// receipts are all receipts of blocks, checked, of any endpoints that give them. What is missing was not learnt.
func (c *Client) receipts(ctx context.Context, blocks []evidence.Block) (map[common.Hash]types.Receipts, error) {
	learnt := map[common.Hash]types.Receipts{}
	var errs []error
	for _, e := range c.candidates(0) {
		missing := slices.DeleteFunc(slices.Clone(blocks), func(b evidence.Block) bool { _, ok := learnt[b.Hash]; return ok })
		for some := range slices.Chunk(missing, blocksAtOnce) {
			if !e.whole.offered(time.Now()) {
				errs = append(errs, fmt.Errorf("%s does not offer eth_getBlockReceipts", e.name))
				break
			}
			err := e.within(ctx, lateTimes*e.timeout, "block_receipts", func(ctx context.Context, e *endpoint) error {
				return c.receiptsOf(ctx, e, some, learnt)
			})
			if err != nil {
				errs = append(errs, err)
			}
			if err != nil && !errors.Is(err, errNotLearnt) {
				break
			}
		}
	}
	if len(learnt) == len(blocks) {
		return learnt, nil
	}
	return learnt, c.failed(ctx, "block_receipts", errs)
}

func (c *Client) receiptsOf(ctx context.Context, e *endpoint, blocks []evidence.Block, learnt map[common.Hash]types.Receipts) error {
	elems := make([]rpc.BatchElem, len(blocks))
	for i, b := range blocks {
		elems[i] = elem("eth_getBlockReceipts", b.Hash)
	}
	if err := e.calls(ctx, elems); err != nil {
		return err
	}
	var errs []error
	for i := range blocks {
		receipts, err := c.takeBlock(e, &blocks[i], elems[i])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		learnt[blocks[i].Hash] = receipts
	}
	if err := errors.Join(errs...); errors.Is(err, evidence.ErrContradiction) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: %w", errNotLearnt, err)
	}
	return nil
}
