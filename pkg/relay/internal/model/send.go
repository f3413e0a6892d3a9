package model

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
)

// Send broadcasts raw transactions to all nodes that can be reached, in order, and tells for each what came of it.
func (c *Client) Send(_ context.Context, raw [][]byte) []lane.SendResult {
	out := make([]lane.SendResult, len(raw))
	for i := range raw {
		if c.OnSend != nil {
			c.OnSend(raw[i])
		}
		c.before("send")
		out[i] = c.send(raw[i])
	}
	return out
}

type told struct {
	class     lane.SendClass
	delivered bool
}

func (c *Client) send(raw []byte) lane.SendResult {
	tx, err := c.chain.Decode(raw)
	if err != nil {
		return lane.SendResult{Class: lane.Invalid, Err: err}
	}
	var answers []told
	for _, l := range c.usable() {
		t := told{class: lane.NodeDown}
		if !l.Down {
			t.class, t.delivered = l.Node.send(tx)
		}
		answers = append(answers, t)
	}
	class := verdict(answers)
	if class.Taken() {
		return lane.SendResult{Class: class}
	}
	return lane.SendResult{Class: class, Err: fmt.Errorf("the nodes said %v", answers)}
}

// ranking is the order in which package chain believes answers: taken, then what leaves it open, then refusals, the most
// telling first.
var ranking = []lane.SendClass{
	lane.Accepted, lane.Known, lane.Timeout, lane.Unknown, lane.Throttled, lane.NodeDown,
	lane.NonceLow, lane.ReplacementUnderpriced, lane.NonceHigh, lane.FeeLow, lane.PoolFull, lane.Funds, lane.Reserved,
	lane.BadGas, lane.TooBig, lane.FeeCapRPC, lane.Invalid,
}

func verdict(answers []told) lane.SendClass {
	for _, class := range ranking {
		for _, t := range answers {
			if t.class == class && t.delivered {
				return class
			}
		}
	}
	return lane.NodeDown
}

// Call runs a message of the contract's on the state of a block, at any node that has it.
func (c *Client) Call(_ context.Context, msg lane.Call, at common.Hash) ([]byte, error) {
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
			return nil, &lane.RevertError{OutOfGas: true, Text: fmt.Sprintf("intrinsic gas too low: have %d, want %d", msg.Gas, floor)}
		}
		r, _ := c.chain.try(b.state.registry, msg.From, msg.Data, msg.Gas)
		switch {
		case msg.To != c.chain.Contract, r.ok:
			return nil, nil
		case r.outOfGas:
			return nil, &lane.RevertError{OutOfGas: true, Text: "out of gas"}
		}
		return nil, &lane.RevertError{Data: r.revert, Text: "execution reverted"}
	}
	return nil, fmt.Errorf("a call at block %s: %w", at, errNoAnswer)
}
