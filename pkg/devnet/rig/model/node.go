package model

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"maps"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/txpool"
)

// Faults are what is wrong with a node. The zero value is an honest node that hears of every block.
type Faults struct {
	Down     bool   // it answers nothing
	Fails    int    // percent of questions that it does not answer
	Lag      uint64 // blocks that it is behind
	Stuck    bool   // it hears of no block any more
	Ahead    uint64 // it claims a head so many blocks ahead, which it cannot show
	Fake     bool   // it claims a head that it made up, on top of the last but one block
	Early    bool   // it calls its head finalized
	Receipts int    // percent of receipts that it does not give
	Hides    int    // percent of transactions that it leaves out of the lists of blocks
	Nonces   int64  // what it adds to nonces, without proof
	Unproved bool   // it gives no proofs
	Calls    int    // percent of calls that it lies about: what the contract does with them
	Send     SendFault
	SendRate int // percent of sends that Send is about
}

// SendFault is what a node does with raw transactions.
type SendFault uint8

// The faults.
const (
	SendRight   SendFault = iota
	SendLost              // it takes them, and the answer is lost
	SendUnheard           // it never hears of them, and the answer is lost
	SendMuddled           // it takes them and answers in words that are not known
	SendDropped           // it says that it took them, and does not
	SendFull              // its pool is full
	SendRefused           // its prices are too high for them
	sendFaults
)

// SendFaults is the number of faults.
const SendFaults = int(sendFaults)

// Node is one endpoint: what it knows of the chain, its pool, and what is wrong with it.
type Node struct {
	Name   string
	Faults Faults
	Rules  Rules
	Keeps  bool // transactions of replaced blocks go back to its pool

	chain *Chain
	seed  uint64
	head  *Block
	fake  *types.Header
	pool  pool
}

// NewNode makes an honest node. seed decides, with what it is asked, when it fails.
func (c *Chain) NewNode(name string, seed uint64) *Node {
	return &Node{Name: name, Keeps: true, chain: c, seed: seed, head: c.Head(), pool: pool{}}
}

var errNoAnswer = errors.New("the node does not answer")

// roll is a number below 100 that depends on what the node is asked, and when, but not on what else it was asked.
func (n *Node) roll(what string, key []byte) int {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, n.seed))
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(n.chain.clock.now.UnixNano())))
	_, _ = h.Write([]byte(n.Name + what))
	_, _ = h.Write(key)
	mixed := h.Sum64()
	mixed ^= mixed >> 33
	mixed *= 0xff51afd7ed558ccd
	mixed ^= mixed >> 33
	return int(mixed % 100)
}

// answers tells whether the node answers a question.
func (n *Node) answers(what string, key []byte) bool {
	return !n.told("down", n.Faults.Down) && !n.told("fails", n.Faults.Fails > 0 && n.roll(what, key) < n.Faults.Fails)
}

// told counts, if it is so, that a client got something else than the truth because of a fault.
func (n *Node) told(fault string, so bool) bool {
	return n.chain.told(fault, so)
}

func (c *Chain) told(fault string, so bool) bool {
	if so {
		c.Told[fault]++
	}
	return so
}

// Sync lets the node hear of the blocks that count, as far as its faults let it, and puts its pool in order.
func (n *Node) Sync() {
	if n.Faults.Stuck {
		return
	}
	at := n.chain.Head().Number
	head := n.chain.At(at - min(at, n.Faults.Lag))
	old := n.head
	n.head = head
	if old != head && n.Keeps {
		for b := old; b != nil && n.block(b.Number) != b; b = b.Parent {
			for _, tx := range b.Txs {
				if n.pool[tx.From][tx.Nonce()] == nil {
					n.pool.put(tx)
				}
			}
		}
	}
	n.pool.forget(head.state)
}

// block is the node's block of a height; nil above its head.
func (n *Node) block(number uint64) *Block {
	b := n.head
	for b != nil && b.Number > number {
		if n.chain.At(b.Number) == b {
			return n.chain.At(number)
		}
		b = b.Parent
	}
	if b != nil && b.Number == number {
		return b
	}
	return nil
}

// has tells whether the node has a block in its branch.
func (n *Node) has(number uint64, hash common.Hash) *Block {
	if b := n.block(number); b != nil && b.Hash == hash {
		return b
	}
	return nil
}

// Hear gives the node a transaction as another node would.
func (n *Node) Hear(tx *Tx) { n.pool.admit(tx, n.chain, n.head.state, n.Rules) }

// Ready are the transactions of its pool that a block on top of parent may hold, in a miner's order.
func (n *Node) Ready(parent *Block) []*Tx { return n.pool.ready(parent.state, n.chain.BaseFee) }

// Pool are all transactions of its pool, by account and nonce.
func (n *Node) Pool() []*Tx { return n.pool.all() }

// Drop takes transactions out of its pool.
func (n *Node) Drop(drop func(*Tx) bool) {
	for _, txs := range n.pool {
		maps.DeleteFunc(txs, func(_ uint64, tx *Tx) bool { return drop(tx) })
	}
}

// Head is the newest block the node knows.
func (n *Node) Head() *Block { return n.head }

// send is the node's answer to a raw transaction. delivered is false when it cannot have heard of it.
func (n *Node) send(tx *Tx) (class txpool.Class, delivered bool) {
	hash := tx.Hash()
	if n.Faults.Down {
		return txpool.NodeDown, false
	}
	fault := n.Faults.Send
	if !n.told("send", fault != SendRight && n.roll("send", hash[:]) < n.Faults.SendRate) {
		fault = SendRight
	}
	switch fault {
	case SendUnheard:
		return txpool.Timeout, true
	case SendDropped:
		return txpool.Added, true
	case SendFull:
		return txpool.Full, true
	case SendRefused:
		return txpool.FeeLow, true
	}
	class = n.pool.admit(tx, n.chain, n.head.state, n.Rules)
	switch fault {
	case SendLost:
		return txpool.Timeout, true
	case SendMuddled:
		return txpool.Unknown, true
	}
	return class, true
}
