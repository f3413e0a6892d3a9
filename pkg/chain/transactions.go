package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Transactions returns all transactions of the blocks, checked against their headers. With an error it may return
// fewer blocks, from the first on. Transactions of types unknown to go-ethereum are left out. If their bytes are
// unavailable, the others count if every endpoint that has the block lists the same.
func (c *Client) Transactions(ctx context.Context, blocks []evidence.Block) ([]evidence.Transactions, error) {
	var all []evidence.Transactions
	for some := range slices.Chunk(blocks, blocksAtOnce) {
		learnt := map[common.Hash]evidence.Transactions{}
		listed := map[common.Hash][]types.Transactions{} // of uncheckable blocks, a list per endpoint
		var errs []error
		for _, e := range c.candidates(some[len(some)-1].Number) {
			missing := slices.DeleteFunc(slices.Clone(some), func(b evidence.Block) bool { _, ok := learnt[b.Hash]; return ok })
			if len(missing) == 0 {
				break
			}
			err := e.do(ctx, "transactions", func(ctx context.Context, e *endpoint) error {
				return c.transactions(ctx, e, missing, learnt, listed)
			})
			if err != nil {
				errs = append(errs, err)
			}
		}
		for _, b := range some {
			txs, ok := learnt[b.Hash]
			if !ok {
				txs.Known, ok = unanimous(listed[b.Hash])
			}
			if !ok {
				return all, c.failed(ctx, "transactions", errs)
			}
			all = append(all, txs)
		}
	}
	return all, nil
}

func unanimous(lists []types.Transactions) (types.Transactions, bool) {
	same := func(a, b *types.Transaction) bool { return a.Hash() == b.Hash() }
	if len(lists) == 0 || slices.ContainsFunc(lists, func(l types.Transactions) bool { return !slices.EqualFunc(l, lists[0], same) }) {
		return nil, false
	}
	return lists[0], true
}

func (c *Client) transactions(ctx context.Context, e *endpoint, blocks []evidence.Block, learnt map[common.Hash]evidence.Transactions,
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
		leaves, err := decodeTransactions(body.Transactions)
		if err == nil && b.Checked {
			leaves, err = c.prove(ctx, e, b, leaves)
		}
		switch {
		case errors.Is(err, evidence.ErrContradiction):
			return err
		case errors.Is(err, errUncheckable) || err == nil && !b.Checked:
			listed[b.Hash] = append(listed[b.Hash], known(leaves))
			errs = append(errs, fmt.Errorf("%w: %d", errUncheckable, b.Number))
		case err != nil:
			errs = append(errs, err)
		default:
			txs := evidence.Transactions{Known: known(leaves), Hashes: make([]common.Hash, len(leaves))}
			for i, leaf := range leaves {
				txs.Hashes[i] = crypto.Keccak256Hash(leaf)
			}
			learnt[b.Hash] = txs
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", errNotLearnt, err)
	}
	return nil
}

// prove returns a block's transactions under its root: all, or all but the last, since Polygon's state sync was
// outside the root. Otherwise it requests the raw bytes of unknown encodings, and all must match the root. It also
// requests those of encodeTransaction's types until a block with these has matched, since other rollups use these
// types for other fields. errUncheckable means that some bytes are unavailable.
func (c *Client) prove(ctx context.Context, e *endpoint, b *evidence.Block, leaves evidence.Leaves) (evidence.Leaves, error) {
	missing := func(leaf []byte) bool { return len(leaf) == 0 }
	rollups := func(leaf []byte) bool {
		return !missing(leaf) && (leaf[0] == evidence.DepositTx || leaf[0] == internalTx)
	}
	for _, some := range []evidence.Leaves{leaves, leaves[:max(len(leaves)-1, 0)]} {
		if !slices.ContainsFunc(some, missing) && evidence.CheckTransactions(b, some) == nil {
			if slices.ContainsFunc(some, rollups) {
				c.encodes.Store(true)
			}
			return some, nil
		}
	}
	var elems []rpc.BatchElem
	var at []int
	for i, leaf := range leaves {
		if missing(leaf) || rollups(leaf) && !c.encodes.Load() {
			elems, at = append(elems, elem("eth_getRawTransactionByBlockHashAndIndex", b.Hash, hexutil.Uint(i))), append(at, i)
		}
	}
	if len(elems) > 0 {
		if !e.raw.offered(time.Now()) {
			return leaves, errUncheckable
		}
		if err := e.calls(ctx, elems); err != nil {
			return leaves, err
		}
	}
	for i, el := range elems {
		if err := answer(el, (*hexutil.Bytes)(&leaves[at[i]])); err != nil {
			e.raw.refused(err, time.Now())
			return leaves, fmt.Errorf("%w: %w", errUncheckable, err)
		}
		e.raw.worked()
	}
	return leaves, evidence.CheckTransactions(b, leaves)
}

func known(leaves evidence.Leaves) (txs types.Transactions) {
	for _, leaf := range leaves {
		if tx := new(types.Transaction); tx.UnmarshalBinary(leaf) == nil {
			txs = append(txs, tx)
		}
	}
	return txs
}

// decodeTransactions returns the transactions' encodings, nil for unknown types.
func decodeTransactions(raw []json.RawMessage) (evidence.Leaves, error) {
	leaves := make(evidence.Leaves, len(raw))
	for i, one := range raw {
		tx := new(types.Transaction)
		err := json.Unmarshal(one, tx)
		switch {
		case errors.Is(err, types.ErrTxTypeNotSupported):
			leaves[i], err = encodeTransaction(one)
		case err == nil:
			leaves[i], err = tx.MarshalBinary()
		}
		if err != nil {
			return nil, fmt.Errorf("couldn't decode a block's transaction: %w", err)
		}
	}
	return leaves, nil
}

// internalTx is the type of the first transaction in each block of Arbitrum.
const internalTx = 0x6a

// encodeTransaction encodes the first transaction of a rollup's block, with a type that go-ethereum lacks. It returns
// nil for any other type.
func encodeTransaction(raw json.RawMessage) ([]byte, error) {
	var tx struct {
		Type     hexutil.Uint64  `json:"type"`
		Chain    *hexutil.Big    `json:"chainId"`
		Source   common.Hash     `json:"sourceHash"`
		From     common.Address  `json:"from"`
		To       *common.Address `json:"to"`
		Mint     *hexutil.Big    `json:"mint"`
		Value    *hexutil.Big    `json:"value"`
		Gas      hexutil.Uint64  `json:"gas"`
		IsSystem bool            `json:"isSystemTx"`
		Input    hexutil.Bytes   `json:"input"`
	}
	if err := json.Unmarshal(raw, &tx); err != nil {
		return nil, err
	}
	var fields []any
	switch tx.Type {
	case evidence.DepositTx:
		fields = []any{tx.Source, tx.From, tx.To, (*big.Int)(tx.Mint), (*big.Int)(tx.Value), tx.Gas, tx.IsSystem, tx.Input}
	case internalTx:
		fields = []any{(*big.Int)(tx.Chain), tx.Input}
	default:
		return nil, nil
	}
	list, err := rlp.EncodeToBytes(fields)
	return append([]byte{byte(tx.Type)}, list...), err
}

// Transaction returns the transaction of a hash; the hash proves its contents. tx is nil if its type is unknown to
// this program, as on some rollups.
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
		leaves, err := decodeTransactions([]json.RawMessage{told})
		txs := known(leaves)
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

// Find returns, by transaction, the block that contains it according to an endpoint: a hint. Absence is inconclusive.
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
