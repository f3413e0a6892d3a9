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

type Faults struct {
	Down     bool   // all requests fail
	Fails    int    // percent of requests that fail
	Lag      uint64 // blocks behind
	Stuck    bool   // head stays
	Ahead    uint64 // claims a head this many blocks ahead, but lacks it
	Fake     bool   // claims a forged sibling of its head
	Early    bool   // reports its head as finalized
	Receipts int    // percent of receipts withheld
	Hides    int    // percent of transactions missing in lists of blocks
	Nonces   int64  // added to unproved nonces
	Unproved bool   // withholds proofs
	Calls    int    // percent of calls with a false result
	Send     SendFault
	SendRate int // percent of sends with the fault Send
}

type SendFault uint8

const (
	SendRight   SendFault = iota
	SendLost              // handled; response lost
	SendUnheard           // request and response lost
	SendMuddled           // handled; response has unknown words
	SendDropped           // dropped; response "accepted"
	SendFull              // refused: pool full
	SendRefused           // refused: fee too low
	sendFaults
)

const SendFaults = int(sendFaults)

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

// NewNode returns an honest node. seed varies its faults.
func (c *Chain) NewNode(name string, seed uint64) *Node {
	return &Node{Name: name, Keeps: true, chain: c, seed: seed, head: c.Head(), pool: pool{}}
}

var errNoAnswer = errors.New("the node does not answer")

// roll returns a number in [0, 100) that depends only on the node's name and seed, the time and this request.
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

// told counts an answer that a fault changed, if so is true. It returns so.
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

// block returns the node's block at a height; nil above its head.
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

func (n *Node) has(number uint64, hash common.Hash) *Block {
	if b := n.block(number); b != nil && b.Hash == hash {
		return b
	}
	return nil
}

func (n *Node) Hear(tx *Tx) { n.pool.admit(tx, n.chain, n.head.state, n.Rules) }

// Ready returns the pool's transactions that are executable on parent, in a miner's order.
func (n *Node) Ready(parent *Block) []*Tx { return n.pool.ready(parent.state, n.chain.BaseFee) }

func (n *Node) Pool() []*Tx { return n.pool.all() }

func (n *Node) Drop(drop func(*Tx) bool) {
	for _, txs := range n.pool {
		maps.DeleteFunc(txs, func(_ uint64, tx *Tx) bool { return drop(tx) })
	}
}

func (n *Node) Head() *Block { return n.head }

// send hands tx to the node's pool, as its faults allow. delivered is false if the node is down.
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
