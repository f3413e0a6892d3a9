package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Transactions are all transactions of the blocks, checked against their headers; it may return fewer blocks, from the
// first on, with an error. Where blocks hold transactions of types that this program does not know, the known ones come
// back, in order, if every endpoint that has the block lists the same.
func (c *Client) Transactions(ctx context.Context, blocks []evidence.Block) ([]types.Transactions, error) {
	var all []types.Transactions
	for some := range slices.Chunk(blocks, blocksAtOnce) {
		learnt := map[common.Hash]types.Transactions{}
		listed := map[common.Hash][]types.Transactions{} // by endpoints, of blocks that cannot be checked
		var errs []error
		for _, e := range c.candidates(some[len(some)-1].Number) {
			missing := slices.DeleteFunc(slices.Clone(some), func(b evidence.Block) bool { _, ok := learnt[b.Hash]; return ok })
			if len(missing) == 0 {
				break
			}
			err := e.do(ctx, "transactions", func(ctx context.Context, e *endpoint) error {
				return e.transactions(ctx, missing, learnt, listed)
			})
			if err != nil {
				errs = append(errs, err)
			}
		}
		for _, b := range some {
			txs, ok := learnt[b.Hash]
			if !ok {
				txs, ok = unanimous(listed[b.Hash])
			}
			if !ok {
				return all, c.failed(ctx, "transactions", errs)
			}
			all = append(all, txs)
		}
	}
	return all, nil
}

// unanimous is the list that all endpoints gave.
func unanimous(lists []types.Transactions) (types.Transactions, bool) {
	same := func(a, b *types.Transaction) bool { return a.Hash() == b.Hash() }
	if len(lists) == 0 || slices.ContainsFunc(lists, func(l types.Transactions) bool { return !slices.EqualFunc(l, lists[0], same) }) {
		return nil, false
	}
	return lists[0], true
}

// transactions asks an endpoint for blocks' transactions. Lists with transactions of unknown types go to listed.
func (e *endpoint) transactions(ctx context.Context, blocks []evidence.Block, learnt map[common.Hash]types.Transactions,
	listed map[common.Hash][]types.Transactions,
) error {
	elems := make([]rpc.BatchElem, len(blocks))
	for i, b := range blocks {
		elems[i] = elem("eth_getBlockByHash", b.Hash, true)
	}
	if err := e.calls(ctx, elems); err != nil {
		return err
	}
	var errs []error
	for i := range blocks {
		b := &blocks[i]
		var body struct {
			Transactions []json.RawMessage `json:"transactions"`
		}
		if err := answer(elems[i], &body); err != nil {
			errs = append(errs, behind(err, b.Hash))
			continue
		}
		txs, unknown, err := decodeTransactions(body.Transactions)
		switch {
		case err != nil:
			errs = append(errs, err)
		case unknown || !b.Checked:
			listed[b.Hash] = append(listed[b.Hash], txs)
			errs = append(errs, fmt.Errorf("%w: %d", errUncheckable, b.Number))
		default:
			if err := evidence.CheckTransactions(b, txs); err != nil {
				return err
			}
			learnt[b.Hash] = txs
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", errNotLearnt, err)
	}
	return nil
}

// decodeTransactions reads transactions; unknown tells that some are of types that this program does not know, and left
// out.
func decodeTransactions(raw []json.RawMessage) (txs types.Transactions, unknown bool, err error) {
	for _, one := range raw {
		tx := new(types.Transaction)
		err := json.Unmarshal(one, tx)
		switch {
		case errors.Is(err, types.ErrTxTypeNotSupported):
			unknown = true
		case err != nil:
			return nil, false, fmt.Errorf("couldn't decode a block's transaction: %w", err)
		default:
			txs = append(txs, tx)
		}
	}
	return txs, unknown, nil
}

// Transaction is the one of a hash, which proves what an endpoint tells of it; nil of one of a type that this program does not know, as rollups
// have some. ethereum.NotFound says that no endpoint has it.
func (c *Client) Transaction(ctx context.Context, hash common.Hash) (tx *types.Transaction, err error) {
	err = c.readFrom(ctx, c.candidates(0), "transaction", func(ctx context.Context, e *endpoint) error {
		elems := []rpc.BatchElem{elem("eth_getTransactionByHash", hash)}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		var told json.RawMessage
		if err := answer(elems[0], &told); err != nil {
			return err
		}
		txs, _, err := decodeTransactions([]json.RawMessage{told})
		if err != nil || len(txs) == 0 {
			return err
		}
		if txs[0].Hash() != hash {
			return contradiction("transaction %s was asked for, %s came", hash, txs[0].Hash())
		}
		tx = txs[0]
		return nil
	})
	return tx, err
}

// Find asks endpoints in which block transactions are. An answer is a hint, its absence says nothing: transactions that
// are in no block, and those that no endpoint tells of, are missing in it.
func (c *Client) Find(ctx context.Context, txs []common.Hash) (map[common.Hash]evidence.Ref, error) {
	found := map[common.Hash]evidence.Ref{}
	var errs []error
	answered := false
	for _, e := range c.candidates(0) {
		missing := slices.DeleteFunc(slices.Clone(txs), func(tx common.Hash) bool { _, ok := found[tx]; return ok })
		if len(missing) == 0 {
			break
		}
		err := e.do(ctx, "find", func(ctx context.Context, e *endpoint) error { return e.find(ctx, missing, found) })
		if err != nil {
			errs = append(errs, err)
		} else {
			answered = true
		}
	}
	if !answered && len(found) < len(txs) {
		return found, c.failed(ctx, "find", errs)
	}
	return found, nil
}

func (e *endpoint) find(ctx context.Context, txs []common.Hash, found map[common.Hash]evidence.Ref) error {
	elems := make([]rpc.BatchElem, len(txs))
	for i, tx := range txs {
		elems[i] = elem("eth_getTransactionByHash", tx)
	}
	if err := e.calls(ctx, elems); err != nil {
		return err
	}
	for i, tx := range txs {
		var place struct {
			Hash   *common.Hash    `json:"blockHash"`
			Number *hexutil.Uint64 `json:"blockNumber"`
		}
		err := answer(elems[i], &place)
		switch {
		case errors.Is(err, ethereum.NotFound):
		case err != nil:
			return err
		case place.Hash != nil && place.Number != nil:
			found[tx] = evidence.Ref{Number: uint64(*place.Number), Hash: *place.Hash}
		}
	}
	return nil
}
