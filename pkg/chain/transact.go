package chain

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
)

const receiptPoll = 250 * time.Millisecond

// MaxTxGas is the maximum gas limit of a transaction (EIP-7825).
const MaxTxGas = 16_777_216

// TxSigner signs for one account on the client's chain.
type TxSigner interface {
	Address() common.Address
	Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error)
}

var ErrReverted = errors.New("the transaction reverted")

// Transact sends one transaction and waits until it is in a block. It lacks a journal and fee replacement, so it is
// for manual setup with an otherwise idle account. to is nil to deploy a contract. Errors: *evidence.RevertError if
// the transaction would revert (unsent), ErrReverted if it did. If ctx ends first, the transaction may still be
// included.
func (c *Client) Transact(ctx context.Context, signer TxSigner, to *common.Address, data []byte) (*types.Receipt, error) {
	return c.transact(ctx, signer, callObject{To: to, Input: data})
}

// Pay transfers wei as Transact does, except to an account that already has that much.
func (c *Client) Pay(ctx context.Context, signer TxSigner, to common.Address, wei *big.Int) error {
	head, err := c.Head(ctx)
	if err != nil {
		return err
	}
	known, err := c.Read(ctx, evidence.Ask{At: head, Accounts: []common.Address{to}})
	if err != nil {
		return err
	}
	if account, ok := known.Accounts[to]; ok && account.Balance.Cmp(wei) >= 0 {
		return nil
	}
	_, err = c.transact(ctx, signer, callObject{To: &to, Value: (*hexutil.Big)(wei)})
	return err
}

func (c *Client) transact(ctx context.Context, signer TxSigner, object callObject) (*types.Receipt, error) {
	from := signer.Address()
	object.From = &from
	tx, err := c.prepare(ctx, object)
	if err != nil {
		return nil, err
	}
	signed, err := signer.Sign(ctx, tx)
	if err != nil {
		return nil, err
	}
	raw, err := signed.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("couldn't encode the transaction: %w", err)
	}
	sent := c.Send(ctx, [][]byte{raw})[0]
	if !sent.Class.Taken() && !sent.Class.Ambiguous() {
		return nil, fmt.Errorf("couldn't send the transaction (%s): %w", sent.Class, sent.Err)
	}
	for {
		var receipt *types.Receipt
		err := c.read(ctx, "receipt", func(ctx context.Context, e *endpoint) error {
			return e.call(ctx, &receipt, "eth_getTransactionReceipt", signed.Hash())
		})
		switch {
		case err == nil && receipt.Status != types.ReceiptStatusSuccessful:
			return receipt, fmt.Errorf("%w: %s in block %s", ErrReverted, signed.Hash(), receipt.BlockNumber)
		case err == nil:
			return receipt, nil
		case !errors.Is(err, ethereum.NotFound) && ctx.Err() == nil:
			c.log.Warn("couldn't look for a transaction's receipt; trying again", "tx", signed.Hash(), "err", err)
		}
		if err := retry.Sleep(ctx, receiptPoll); err != nil {
			return nil, fmt.Errorf("transaction %s was sent but is in no block yet: %w", signed.Hash(), err)
		}
	}
}

// prepare returns the unsigned transaction, with 20 % more gas than estimated, up to MaxTxGas.
func (c *Client) prepare(ctx context.Context, object callObject) (*types.Transaction, error) {
	from, value := *object.From, object.Value.ToInt()
	chainID, err := c.ChainID(ctx)
	if err != nil {
		return nil, err
	}
	head, err := c.Head(ctx)
	if err != nil {
		return nil, err
	}
	known, err := c.Read(ctx, evidence.Ask{At: head, Accounts: []common.Address{from}, Price: true})
	if err != nil {
		return nil, err
	}
	account, ok := known.Accounts[from]
	if !ok || known.Price == nil {
		return nil, fmt.Errorf("%w of the nonce of %s and the price of gas", errNotLearnt, from)
	}
	estimate, err := c.estimate(ctx, object)
	if err != nil {
		return nil, err
	}
	gas := max(estimate, min(estimate/5*6, MaxTxGas))
	if known.Price.Legacy {
		return types.NewTx(&types.LegacyTx{
			Nonce: account.Nonce, To: object.To, Value: value, Gas: gas, GasPrice: new(big.Int).SetUint64(known.Price.Gas), Data: object.Input,
		}), nil
	}
	tip := new(big.Int).SetUint64(known.Price.Tip)
	limit := new(big.Int).SetUint64(known.Price.BaseFee)
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(chainID), Nonce: account.Nonce, To: object.To, Value: value, Gas: gas,
		GasTipCap: tip, GasFeeCap: limit.Add(limit.Lsh(limit, 1), tip), Data: object.Input,
	}), nil
}
