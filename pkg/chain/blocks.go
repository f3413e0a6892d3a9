package chain

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/lane"
)

// header is what the program reads of a block. Blocks of some rollups have fields and hashes of their own, so neither
// types.Header nor a hash computed from it would do.
type header struct {
	Number   *hexutil.Big   `json:"number"`
	Hash     *common.Hash   `json:"hash"`
	Parent   common.Hash    `json:"parentHash"`
	Time     hexutil.Uint64 `json:"timestamp"`
	GasLimit hexutil.Uint64 `json:"gasLimit"`
	BaseFee  *hexutil.Big   `json:"baseFeePerGas"`
}

var errPartialHeader = errors.New("the node's block has no number or no hash")

func (h header) block() (lane.Block, error) {
	if h.Number == nil || h.Hash == nil {
		return lane.Block{}, errPartialHeader
	}
	return lane.Block{
		Number: h.Number.ToInt().Uint64(), Hash: *h.Hash, Parent: h.Parent,
		Time: uint64(h.Time), GasLimit: uint64(h.GasLimit), BaseFee: (*big.Int)(h.BaseFee),
	}, nil
}

func (e *endpoint) block(ctx context.Context, method string, which any) (lane.Block, error) {
	var h header
	if err := e.call(ctx, &h, method, which, false); err != nil {
		return lane.Block{}, err
	}
	return h.block()
}

// Head is the highest block that any endpoint has as its latest. All are asked, so that a node that stands still
// cannot hold the program up.
func (c *Client) Head(ctx context.Context) (lane.Block, error) {
	type result struct {
		block lane.Block
		err   error
	}
	endpoints := c.usable()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result, len(endpoints))
	for _, e := range endpoints {
		go func() {
			var r result
			r.err = e.do(ctx, "head", func(ctx context.Context, e *endpoint) (err error) {
				r.block, err = e.block(ctx, "eth_getBlockByNumber", "latest")
				return err
			})
			results <- r
		}()
	}
	var best *lane.Block
	var errs []error
	var late <-chan time.Time
	for range endpoints {
		select {
		case r := <-results:
			if r.err != nil {
				errs = append(errs, r.err)
				continue
			}
			if best == nil || r.block.Number > best.Number {
				best = &r.block
			}
			if late == nil {
				late = time.After(c.cfg.Grace)
			}
		case <-late:
			return *best, nil
		}
	}
	if best == nil {
		return lane.Block{}, joined("head", errs)
	}
	return *best, nil
}

// BlockByHash is the block of that hash, on whatever branch. ethereum.NotFound when no endpoint knows it.
func (c *Client) BlockByHash(ctx context.Context, hash common.Hash) (block lane.Block, err error) {
	err = c.read(ctx, "block_by_hash", func(ctx context.Context, e *endpoint) (err error) {
		block, err = e.block(ctx, "eth_getBlockByHash", hash)
		return err
	})
	return block, err
}

// BlockByNumber is the canonical block of that height. ethereum.NotFound above every endpoint's head.
func (c *Client) BlockByNumber(ctx context.Context, number uint64) (block lane.Block, err error) {
	err = c.read(ctx, "block_by_number", func(ctx context.Context, e *endpoint) (err error) {
		block, err = e.block(ctx, "eth_getBlockByNumber", hexutil.Uint64(number))
		return err
	})
	return block, err
}

// Finalized is the block that the chain calls finalized. ethereum.NotFound while there is none: at the beginning of a
// chain, or for ever on one without finality.
func (c *Client) Finalized(ctx context.Context) (block lane.Block, err error) {
	err = c.read(ctx, "finalized", func(ctx context.Context, e *endpoint) (err error) {
		block, err = e.block(ctx, "eth_getBlockByNumber", "finalized")
		var coded rpc.Error
		if errors.As(err, &coded) && containsAny(coded.Error(), "finalized block not found", "unknown block", "not supported") {
			return ethereum.NotFound // how geth and others say null
		}
		return err
	})
	return block, err
}

// Accounts reads nonces and balances in the state of block at; the answers are in the order of signers.
func (c *Client) Accounts(ctx context.Context, at common.Hash, signers []common.Address) ([]lane.Account, error) {
	accounts := make([]lane.Account, len(signers))
	err := c.read(ctx, "accounts", func(ctx context.Context, e *endpoint) error {
		block := rpc.BlockNumberOrHashWithHash(at, false)
		elems := make([]rpc.BatchElem, 0, 2*len(signers))
		for _, signer := range signers {
			elems = append(elems, elem("eth_getTransactionCount", signer, block), elem("eth_getBalance", signer, block))
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		for i := range signers {
			var nonce hexutil.Uint64
			var balance hexutil.Big
			if err := answer(elems[2*i], &nonce); err != nil {
				return behind(err, at)
			}
			if err := answer(elems[2*i+1], &balance); err != nil {
				return behind(err, at)
			}
			accounts[i] = lane.Account{Nonce: uint64(nonce), Balance: (*big.Int)(&balance)}
		}
		return nil
	})
	return accounts, err
}

// Receipts looks transactions up at one endpoint that knows block at; nil for one that has no receipt there. Receipts
// may be of blocks newer than at.
func (c *Client) Receipts(ctx context.Context, at common.Hash, txs []common.Hash) ([]*types.Receipt, error) {
	receipts := make([]*types.Receipt, len(txs))
	err := c.read(ctx, "receipts", func(ctx context.Context, e *endpoint) error {
		elems := make([]rpc.BatchElem, 0, 1+len(txs))
		elems = append(elems, elem("eth_getBlockByHash", at, false))
		for _, tx := range txs {
			elems = append(elems, elem("eth_getTransactionReceipt", tx))
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		var known header
		if err := answer(elems[0], &known); err != nil {
			return behind(err, at)
		}
		for i := range txs {
			receipts[i] = nil
			err := answer(elems[1+i], &receipts[i])
			if err != nil && !errors.Is(err, ethereum.NotFound) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}
