package chain

import (
	"context"
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

const blocksAtOnce = 32 // per exchange

// errUncheckable means that the header is a claim or has roots of earlier blocks, or a receipt or transaction has an
// unknown type.
var errUncheckable = errors.New("the block cannot be held against its header")

// askReceipts requests all receipts of a block, since only together they are checkable. Single ones prove less, as a
// bloom covers only a log's address and topics. They are requested if the endpoint lacks eth_getBlockReceipts, or its
// result was unusable.
func (c *Client) askReceipts(ctx context.Context, r *reading, e *endpoint, w *evidence.Wanted) []part {
	missing := slices.DeleteFunc(slices.Clone(w.Txs), func(tx common.Hash) bool { return r.answer.Receipts[tx] != nil })
	if len(missing) == 0 {
		return nil
	}
	if e.whole.offered(time.Now()) && r.once("block "+w.Block.Hash.Hex()) {
		return []part{c.askBlock(ctx, r, &w.Block)}
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

func (c *Client) askBlock(ctx context.Context, r *reading, b *evidence.Block) part {
	return part{
		elems: []rpc.BatchElem{elem("eth_getBlockReceipts", b.Hash)},
		take: func(e *endpoint, elems []rpc.BatchElem) error {
			receipts, err := c.takeBlock(ctx, e, b, elems[0])
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

// wholeBlock decodes a response of eth_getBlockReceipts. Some endpoints permanently return an empty list for a block
// with transactions. If the block is too old for receipts that are only late, they are requested singly, and the
// caller checks them against the root.
func (e *endpoint) wholeBlock(ctx context.Context, b *evidence.Block, el rpc.BatchElem) (receipts evidence.Receipts, err error) {
	err = answer(el, &receipts)
	if len(receipts) > 0 || err != nil && !errors.Is(err, ethereum.NotFound) || !b.Checked || time.Since(time.Unix(int64(b.Time), 0)) < lateTimes*e.timeout {
		return receipts, err
	}
	all, elems := make(evidence.Receipts, len(b.Txs)), make([]rpc.BatchElem, len(b.Txs))
	for i, tx := range b.Txs {
		elems[i] = elem("eth_getTransactionReceipt", tx)
	}
	singly := e.calls(ctx, elems)
	for i := 0; singly == nil && i < len(elems); i++ {
		if singly = answer(elems[i], &all[i]); singly == nil {
			singly = checkReceipt(b, b.Txs[i], all[i]) // the block may be on another branch by now
		}
	}
	if singly == nil {
		return all, nil
	}
	return receipts, err
}

func (c *Client) takeBlock(ctx context.Context, e *endpoint, b *evidence.Block, el rpc.BatchElem) (evidence.Receipts, error) {
	receipts, err := e.wholeBlock(ctx, b, el)
	switch {
	case errors.Is(err, ethereum.NotFound) || unknownBlock(err):
		return nil, behind(err, b.Hash)
	case err != nil:
		e.whole.refused(err, time.Now())
		return nil, err
	}
	if slices.Contains(receipts, nil) {
		return nil, contradiction("the receipts of block %d have a hole", b.Number)
	}
	err = evidence.CheckReceipts(b, receipts)
	if last := len(receipts) - 1; err != nil && last >= 0 && evidence.CheckReceipts(b, receipts[:last]) == nil {
		receipts, err = receipts[:last], nil // the root excludes the last: Polygon's state sync
	}
	switch {
	case err == nil:
	case !b.Checked || b.ReceiptsRoot == common.Hash{} || slices.ContainsFunc(receipts, unknownForm):
		return nil, fmt.Errorf("%w: %v", errUncheckable, err) //nolint:errorlint // it is no contradiction
	default:
		return nil, err
	}
	e.whole.worked()
	place(b, receipts)
	c.market.read(b, receipts)
	return receipts, nil
}

// unknownForm reports whether a receipt's type is outside Ethereum's, Arbitrum's (0x64 to 0x6A), the OP Stack's and
// Polygon's (0x7F).
func unknownForm(r *evidence.Receipt) bool {
	return r.Type > types.SetCodeTxType && r.Type < 0x64 || r.Type > 0x6a && r.Type < evidence.DepositTx || r.Type > 0x7f
}

// place sets the fields that follow from the receipts' order instead of the root.
func place(b *evidence.Block, receipts evidence.Receipts) {
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

func located(b *evidence.Block, r *evidence.Receipt, l *types.Log) {
	l.BlockNumber, l.BlockHash, l.BlockTimestamp = b.Number, b.Hash, b.Time
	l.TxHash, l.TxIndex, l.Removed = r.TxHash, r.TransactionIndex, false
}

func (r *reading) takeReceipt(b *evidence.Block, tx common.Hash, el rpc.BatchElem) error {
	var receipt *evidence.Receipt
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

func checkReceipt(b *evidence.Block, tx common.Hash, receipt *evidence.Receipt) error {
	if receipt.TxHash != tx {
		return contradiction("the receipt of %s was asked for, that of %s came", tx, receipt.TxHash)
	}
	if receipt.BlockHash != b.Hash && receipt.BlockNumber != nil {
		return fmt.Errorf("it has %s in block %s, on another branch", tx, receipt.BlockHash)
	}
	return evidence.CheckReceipt(b, receipt)
}

// believed returns a singly read receipt if all receipts of its block are unavailable or uncheckable and endpoints
// agree, else nil.
func (c *Client) believed(r *reading, tx common.Hash) *evidence.Receipt {
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

func sameReceipt(a, b *evidence.Receipt) bool {
	return a.Status == b.Status && a.GasUsed == b.GasUsed && slices.EqualFunc(a.Logs, b.Logs, func(x, y *types.Log) bool {
		return x.Address == y.Address && slices.Equal(x.Topics, y.Topics) && slices.Equal(x.Data, y.Data)
	})
}

// receipts reads all receipts of the blocks. An error comes with those that were read.
func (c *Client) receipts(ctx context.Context, blocks []evidence.Block) (map[common.Hash]evidence.Receipts, error) {
	learnt := map[common.Hash]evidence.Receipts{}
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

func (c *Client) receiptsOf(ctx context.Context, e *endpoint, blocks []evidence.Block, learnt map[common.Hash]evidence.Receipts) error {
	elems := make([]rpc.BatchElem, len(blocks))
	for i, b := range blocks {
		elems[i] = elem("eth_getBlockReceipts", b.Hash)
	}
	if err := e.calls(ctx, elems); err != nil {
		return err
	}
	var errs []error
	for i := range blocks {
		receipts, err := c.takeBlock(ctx, e, &blocks[i], elems[i])
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
