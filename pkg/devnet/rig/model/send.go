package model

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// Send broadcasts raw transactions, in order, to all usable nodes.
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
		if a.Class == txpool.FeeLow {
			a.MinTip = l.Node.Rules.MinTip
		}
		a.Err = fmt.Errorf("the node said %s", a.Class)
		answers = append(answers, a)
	}
	return txpool.Join(answers)
}

// Call executes a message on a block's state, at any node with the block.
func (c *Client) Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error) {
	said, err := c.CallEach(ctx, msg, at)
	switch {
	case err != nil:
		return nil, err
	case said[0].Refusal != nil:
		return nil, said[0].Refusal
	}
	return said[0].Data, nil
}

// CallEach is Call at every node with the block.
func (c *Client) CallEach(_ context.Context, msg evidence.Call, at common.Hash) (said []evidence.Called, err error) {
	c.before("call")
	b := c.chain.Block(at)
	for _, l := range c.usable() {
		if b == nil || l.Node.has(b.Number, at) == nil || !l.asks("call", at[:]) || l.doubtful(c.chain.clock.now) {
			continue
		}
		called := l.Node.lie(msg, c.chain.call(b, msg))
		called.Endpoint = l.Node.Name
		said = append(said, called)
	}
	if len(said) == 0 {
		return nil, fmt.Errorf("a call at block %s: %w", at, errNoAnswer)
	}
	return said, nil
}

func (c *Chain) call(b *Block, msg evidence.Call) evidence.Called {
	if answer, ok := b.state.registry.view(msg.Data); ok && msg.To == c.Contract {
		return evidence.Called{Data: answer}
	}
	if floor := intrinsic(msg.Data); msg.Gas < floor {
		text := fmt.Sprintf("intrinsic gas too low: have %d, want %d", msg.Gas, floor)
		return evidence.Called{Refusal: &evidence.RevertError{OutOfGas: true, Text: text}}
	}
	r, _ := c.try(b.state.registry, msg.From, msg.Data, msg.Gas)
	switch {
	case msg.To != c.Contract, r.ok:
		return evidence.Called{}
	case r.outOfGas:
		return evidence.Called{Refusal: &evidence.RevertError{OutOfGas: true, Text: "out of gas"}}
	}
	return evidence.Called{Refusal: &evidence.RevertError{Data: r.revert, Text: "execution reverted"}}
}

// lie returns the node's answer to a call: the truth, a false refusal or success, or a view's result with one bit
// flipped.
func (n *Node) lie(msg evidence.Call, truth evidence.Called) evidence.Called {
	key := crypto.Keccak256(msg.Data)
	if !n.told("calls", n.Faults.Calls > 0 && n.roll("call lies", key) < n.Faults.Calls) {
		return truth
	}
	if len(truth.Data) > 0 {
		made := slices.Clone(truth.Data)
		made[word-1+word*(n.roll("where", key)%(len(made)/word))] ^= 1
		return evidence.Called{Data: made}
	}
	switch n.roll("lie", key) % 4 {
	case 0:
		return evidence.Called{Refusal: &evidence.RevertError{OutOfGas: true, Text: "out of gas"}}
	case 1:
		return evidence.Called{Refusal: &evidence.RevertError{Text: "execution reverted"}}
	case 2:
		return evidence.Called{Refusal: &evidence.RevertError{Data: revertData("ProjectExists(bytes32)", make([]byte, word)), Text: "execution reverted"}}
	}
	return evidence.Called{}
}
