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

// Faults are a node's faults; none by default.
type Faults struct {
	Down     bool   // all requests fail
	Fails    int    // percent of requests that fail
	Lag      uint64 // blocks behind
	Stuck    bool   // its head stays
	Ahead    uint64 // it claims a head this many blocks ahead, but lacks it
	Fake     bool   // it claims a forged sibling of its head
	Early    bool   // it reports its head as finalized
	Receipts int    // percent of receipts withheld
	Hides    int    // percent of transactions missing in lists of blocks
	Nonces   int64  // added to nonces, without proof
	Unproved bool   // it withholds proofs
	Calls    int    // percent of calls with a false result
	Send     SendFault
	SendRate int // percent of sends with the fault Send
}

// SendFault is a fault in handling a raw transaction.
type SendFault uint8

const (
	SendRight   SendFault = iota
	SendLost              // handled, but the response is lost
	SendUnheard           // lost on the way, and so is the response
	SendMuddled           // handled, but the response has unknown words
	SendDropped           // dropped, but the response is "accepted"
	SendFull              // refused: the pool is full
	SendRefused           // refused: the fee is too low
	sendFaults
)

const SendFaults = int(sendFaults)

// Node is one endpoint, with its view of the chain, its pool and its faults.
type Node struct {
	Name   string
	Faults Faults
	Rules  Rules
	Keeps  bool // transactions of replaced blocks return to its pool

	chain *Chain
	seed  uint64
	head  *Block
	fake  *types.Header
	pool  pool
}

// NewNode returns an honest node. seed and the requests determine when faults occur.
func (c *Chain) NewNode(name string, seed uint64) *Node {
	return &Node{Name: name, Keeps: true, chain: c, seed: seed, head: c.Head(), pool: pool{}}
}

var errNoAnswer = errors.New("the node does not answer")

// roll returns a number in [0, 100) that depends on the seed, the time and this request only.
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

func (n *Node) answers(what string, key []byte) bool {
	return !n.told("down", n.Faults.Down) && !n.told("fails", n.Faults.Fails > 0 && n.roll(what, key) < n.Faults.Fails)
}

// told counts an answer that a fault changed, if so is true, and returns so.
func (n *Node) told(fault string, so bool) bool {
	return n.chain.told(fault, so)
}

func (c *Chain) told(fault string, so bool) bool {
	if so {
		c.Told[fault]++
	}
	return so
}

// Sync moves the node to the canonical head, as far as its faults allow, and updates its pool.
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

// block returns the node's block at a height, or nil above its head.
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

// has returns the block if the node's branch has it, otherwise nil.
func (n *Node) has(number uint64, hash common.Hash) *Block {
	if b := n.block(number); b != nil && b.Hash == hash {
		return b
	}
	return nil
}

// Hear receives a transaction from another node.
func (n *Node) Hear(tx *Tx) { n.pool.admit(tx, n.chain, n.head.state, n.Rules) }

// Ready returns its pool's transactions that are executable on parent, in a miner's order.
func (n *Node) Ready(parent *Block) []*Tx { return n.pool.ready(parent.state, n.chain.BaseFee) }

// Pool returns its pool's transactions, by account and nonce.
func (n *Node) Pool() []*Tx { return n.pool.all() }

func (n *Node) Drop(drop func(*Tx) bool) {
	for _, txs := range n.pool {
		maps.DeleteFunc(txs, func(_ uint64, tx *Tx) bool { return drop(tx) })
	}
}

func (n *Node) Head() *Block { return n.head }

// send returns the node's answer to a raw transaction. delivered is false if the node cannot have received it.
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
