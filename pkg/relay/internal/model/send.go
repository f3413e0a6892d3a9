package model

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// Send broadcasts raw transactions to all nodes that can be reached, in order, and tells for each what came of it.
func (c *Client) Send(_ context.Context, raw [][]byte) []txpool.Result {
	out := make([]txpool.Result, len(raw))
	for i := range raw {
		if c.OnSend != nil {
			c.OnSend(raw[i])
		}
		c.before("send")
		out[i] = c.send(raw[i])
	}
	return out
}

func (c *Client) send(raw []byte) txpool.Result {
	tx, err := c.chain.Decode(raw)
	if err != nil {
		return txpool.Result{Class: txpool.Invalid, Err: err}
	}
	var answers []txpool.Answer
	for _, l := range c.usable() {
		a := txpool.Answer{Class: txpool.NodeDown}
		if !l.Down {
			a.Class, a.Delivered = l.Node.send(tx)
		}
		a.Err = fmt.Errorf("the node said %s", a.Class)
		answers = append(answers, a)
	}
	return txpool.Join(answers)
}

// Call runs a message of the contract's on the state of a block, at any node that has it.
func (c *Client) Call(_ context.Context, msg evidence.Call, at common.Hash) ([]byte, error) {
	c.before("call")
	for _, l := range c.usable() {
		b := c.chain.Block(at)
		if b == nil || l.Node.has(b.Number, at) == nil || !l.asks("call", at[:]) {
			continue
		}
		if answer, ok := b.state.registry.view(msg.Data); ok && msg.To == c.chain.Contract {
			return answer, nil
		}
		if floor := intrinsic(msg.Data); msg.Gas < floor {
			return nil, &evidence.RevertError{OutOfGas: true, Text: fmt.Sprintf("intrinsic gas too low: have %d, want %d", msg.Gas, floor)}
		}
		r, _ := c.chain.try(b.state.registry, msg.From, msg.Data, msg.Gas)
		switch {
		case msg.To != c.chain.Contract, r.ok:
			return nil, nil
		case r.outOfGas:
			return nil, &evidence.RevertError{OutOfGas: true, Text: "out of gas"}
		}
		return nil, &evidence.RevertError{Data: r.revert, Text: "execution reverted"}
	}
	return nil, fmt.Errorf("a call at block %s: %w", at, errNoAnswer)
}
