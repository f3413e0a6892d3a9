package chain

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/evidence"
)

type callObject struct {
	From  *common.Address `json:"from,omitempty"`
	To    *common.Address `json:"to,omitempty"`
	Gas   hexutil.Uint64  `json:"gas,omitempty"`
	Value *hexutil.Big    `json:"value,omitempty"` // wei
	Input hexutil.Bytes   `json:"input,omitempty"`
}

// Call executes msg on the state of block at. It returns *evidence.RevertError if the EVM refused it.
func (c *Client) Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error) {
	return c.call(ctx, "call", objectOf(msg), func(e *endpoint) any { return e.at(at) })
}

// CallEach is Call at every believable endpoint. It returns the responses (and refusals by the EVM) up to callGrace
// after the first, at least one, or an error. The grace is long, since callers treat the responses as those of all
// endpoints.
func (c *Client) CallEach(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) {
	endpoints, err := c.believable(ctx, "call", 0)
	if err != nil {
		return nil, err
	}
	replies, errs := eachWithin(ctx, c, callGrace, "call", endpoints, func(ctx context.Context, e *endpoint) (evidence.Called, error) {
		var out hexutil.Bytes
		called := evidence.Called{Endpoint: e.name}
		err := e.evm(ctx, &out, "eth_call", objectOf(msg), e.at(at))
		if errors.As(err, &called.Refusal) {
			err = nil
		}
		called.Data = out
		return called, err
	})
	if len(replies) == 0 {
		return nil, c.failed(ctx, "call", errs)
	}
	said := make([]evidence.Called, len(replies))
	for i := range replies {
		said[i] = replies[i].value
	}
	return said, nil
}

const callGrace = 3 * time.Second

func objectOf(msg evidence.Call) callObject {
	object := callObject{To: &msg.To, Gas: hexutil.Uint64(msg.Gas), Input: msg.Data}
	if msg.From != (common.Address{}) {
		object.From = &msg.From
	}
	return object
}

// View calls a contract's view function at the latest block.
func (c *Client) View(ctx context.Context, contract common.Address, data []byte) ([]byte, error) {
	return c.call(ctx, "view", callObject{To: &contract, Input: data}, func(*endpoint) any { return "latest" })
}

func (c *Client) call(ctx context.Context, op string, object callObject, at func(*endpoint) any) ([]byte, error) {
	var out hexutil.Bytes
	err := c.read(ctx, op, func(ctx context.Context, e *endpoint) error {
		return e.evm(ctx, &out, "eth_call", object, at(e))
	})
	return out, err
}

// EstimateGas returns one endpoint's gas estimate at the latest block, calldata included. It returns
// *evidence.RevertError as Call does.
func (c *Client) EstimateGas(ctx context.Context, msg evidence.Call) (uint64, error) {
	return c.estimate(ctx, objectOf(msg))
}

func (c *Client) estimate(ctx context.Context, object callObject) (uint64, error) {
	var gas hexutil.Uint64
	err := c.read(ctx, "estimate_gas", func(ctx context.Context, e *endpoint) error {
		return e.evm(ctx, &gas, "eth_estimateGas", object)
	})
	return uint64(gas), err
}

// Balance returns an account's balance at the latest block, in wei.
func (c *Client) Balance(ctx context.Context, account common.Address) (*big.Int, error) {
	var out hexutil.Big
	err := c.read(ctx, "balance", func(ctx context.Context, e *endpoint) error {
		return e.call(ctx, &out, "eth_getBalance", account, "latest")
	})
	return out.ToInt(), err
}

// Code returns an account's code at the latest block; it may be empty.
func (c *Client) Code(ctx context.Context, account common.Address) ([]byte, error) {
	var out hexutil.Bytes
	err := c.read(ctx, "code", func(ctx context.Context, e *endpoint) error {
		return e.call(ctx, &out, "eth_getCode", account, "latest")
	})
	return out, err
}
