package rpcproxy

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Emulator presents a node's chain as another kind of chain, with system transactions or other headers. It recomputes
// roots and hashes, so a client that verifies accepts the chain, and detects every byte that is changed afterwards.
// State and proofs are the node's.
//
// Endpoints of one chain share an Emulator. It follows the node's reorgs.
type Emulator struct {
	rules Rules

	mu      sync.Mutex
	blocks  []*block // by the node's number
	gaps    []*gap
	lag     uint64 // of the finalized block
	numbers map[common.Hash]uint64
	places  map[common.Hash]place
	looked  time.Time // when the node's head was last read
}

type place struct {
	block *block
	index int
}

func NewEmulator(rules Rules) *Emulator {
	return &Emulator{rules: rules, numbers: map[common.Hash]uint64{}, places: map[common.Hash]place{}}
}

func (e *Emulator) Fault() Fault {
	return Fault{Name: e.rules.Name, Ask: e.ask, Answer: e.answer}
}

// ask answers queries about blocks. In queries of a block's state, it replaces the block by the node's own.
func (e *Emulator) ask(n *Node, c *Call) *Answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.follow(n); err != nil {
		return &Answer{Error: &Error{Code: -32603, Message: err.Error()}}
	}
	args := c.Args()
	switch c.Method {
	case BlockByNumber, BlockByHash:
		if len(args) == 2 {
			return result(e.find(args[0]).body(string(args[1]) == "true"))
		}
	case BlockReceipts:
		if len(args) == 1 {
			return result(e.find(args[0]).list())
		}
	case TransactionReceipt, "eth_getTransactionByHash", "eth_getRawTransactionByHash":
		return e.transaction(c.Method, args)
	case "eth_getRawTransactionByBlockHashAndIndex", "eth_getRawTransactionByBlockNumberAndIndex":
		return e.rawAt(args)
	case BlockNumber:
		return &Answer{Result: quantity(e.head().number)}
	case Logs:
		return e.pinLogs(c, args)
	default:
		if at, pinned := pins[c.Method]; pinned && at < len(args) {
			args[at] = e.pin(args[at])
			c.SetArgs(args)
		}
	}
	return nil
}

func result(what any) *Answer {
	raw, _ := json.Marshal(what)
	return &Answer{Result: raw}
}

func (e *Emulator) head() *block { return e.blocks[len(e.blocks)-1] }

// find returns the block that arg names, or nil.
func (e *Emulator) find(arg json.RawMessage) *block {
	head := e.head()
	if isLatest(arg) {
		return head.now(e.rules.Flash)
	}
	var text string
	if json.Unmarshal(arg, &text) != nil {
		return nil
	}
	if isHash(text) {
		hash := common.HexToHash(text)
		if now := head.now(e.rules.Flash); now.hash == hash {
			return now
		}
		number, ok := e.numbers[hash]
		if !ok || number == head.number && head.now(e.rules.Flash) != head {
			return nil
		}
		return e.at(number)
	}
	number, err := hexutil.DecodeUint64(text)
	switch {
	case text == "finalized" || text == "safe":
		if number = head.number - min(e.lag, head.number); e.lag > head.number {
			return nil
		}
	case err != nil && text != "earliest":
		return nil
	}
	if number == head.number {
		return head.now(e.rules.Flash)
	}
	return e.at(number)
}

// at returns the emulated block at a height; nil above the head.
func (e *Emulator) at(number uint64) *block {
	theirs := number
	for _, g := range e.gaps {
		if number >= g.first && number < g.first+uint64(len(g.hashes)) {
			return g.block(number)
		}
		if number >= g.first {
			theirs -= uint64(len(g.hashes))
		}
	}
	if theirs >= uint64(len(e.blocks)) {
		return nil
	}
	return e.blocks[theirs]
}

// transaction answers queries of one transaction; nil passes the query to the node. If no emulated block has the
// transaction, its receipt is null, and the node answers other queries. While a preliminary version of its block is
// served, all answers are null.
func (e *Emulator) transaction(method string, args []json.RawMessage) *Answer {
	var hash common.Hash
	if len(args) == 0 || json.Unmarshal(args[0], &hash) != nil {
		return nil
	}
	at, ok := e.places[hash]
	block := at.block
	switch {
	case !ok && method != TransactionReceipt:
		return nil
	case !ok || block.now(e.rules.Flash) != block:
		return null()
	case method == TransactionReceipt:
		return result(block.receipts[at.index])
	case method == "eth_getTransactionByHash":
		return result(block.txs[at.index])
	}
	return result(hexutil.Bytes(block.raw[at.index]))
}

func (e *Emulator) rawAt(args []json.RawMessage) *Answer {
	var index hexutil.Uint64
	if len(args) != 2 || json.Unmarshal(args[1], &index) != nil {
		return nil
	}
	if b := e.find(args[0]); b != nil && index < hexutil.Uint64(len(b.raw)) {
		return result(hexutil.Bytes(b.raw[index]))
	}
	return null()
}

// pin replaces a block parameter by the node's block with the same state.
func (e *Emulator) pin(arg json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(arg, &object) == nil && object["blockHash"] != nil {
		if b := e.find(object["blockHash"]); b != nil {
			object["blockHash"] = quoted(b.theirs.Hex())
		}
		raw, _ := json.Marshal(object)
		return raw
	}
	b := e.find(arg)
	var text string
	switch {
	case isLatest(arg) || b == nil || json.Unmarshal(arg, &text) != nil:
		return arg
	case isHash(text):
		return quoted(b.theirs.Hex())
	}
	return quantity(b.their)
}

// pinLogs translates a log filter to the node's blocks. Gaps have no logs.
func (e *Emulator) pinLogs(c *Call, args []json.RawMessage) *Answer {
	var filter map[string]json.RawMessage
	if len(args) == 0 || json.Unmarshal(args[0], &filter) != nil {
		return nil
	}
	if filter["blockHash"] != nil {
		args[0] = e.pin(args[0])
		c.SetArgs(args)
		return nil
	}
	for name, arg := range filter {
		b := e.find(arg)
		if name != "fromBlock" && name != "toBlock" || b == nil {
			continue
		}
		if filter[name] = quantity(b.their); b.empty && name == "fromBlock" {
			filter[name] = quantity(b.their + 1)
		}
	}
	from, errFrom := hexutil.DecodeUint64(unquoted(filter["fromBlock"]))
	to, errTo := hexutil.DecodeUint64(unquoted(filter["toBlock"]))
	if errFrom == nil && errTo == nil && from > to {
		return &Answer{Result: json.RawMessage("[]")}
	}
	args[0], _ = json.Marshal(filter)
	c.SetArgs(args)
	return nil
}

func unquoted(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text)
	return text
}

// answer translates the positions of the node's logs, and a fee history's oldest block.
func (e *Emulator) answer(_ *Node, c *Call, a *Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	theirs := func(fields map[string]any, name string) *block {
		text, _ := fields[name].(string)
		if number, err := hexutil.DecodeUint64(text); err == nil && number < uint64(len(e.blocks)) {
			return e.blocks[number]
		}
		return nil
	}
	switch c.Method {
	case Logs:
		var logs []map[string]any
		if json.Unmarshal(a.Result, &logs) != nil {
			return
		}
		for _, l := range logs {
			if b := theirs(l, "blockNumber"); b != nil {
				b.relocate(l)
			}
		}
		a.Result, _ = json.Marshal(logs)
	case FeeHistory:
		var fields map[string]any
		if json.Unmarshal(a.Result, &fields) != nil {
			return
		}
		if b := theirs(fields, "oldestBlock"); b != nil {
			fields["oldestBlock"] = hexutil.Uint64(b.number)
			a.Result, _ = json.Marshal(fields)
		}
	}
}

func (e *Emulator) follow(n *Node) error {
	if len(e.blocks) > 0 && time.Since(e.looked) < headFresh {
		return nil
	}
	var head struct {
		Number hexutil.Uint64 `json:"number"`
		Hash   common.Hash    `json:"hash"`
	}
	if err := n.Call(&head, BlockByNumber, "latest", false); err != nil {
		return err
	}
	for uint64(len(e.blocks)) > uint64(head.Number)+1 {
		e.drop()
	}
	if top := len(e.blocks) - 1; top >= 0 && uint64(top) == uint64(head.Number) && e.blocks[top].theirs != head.Hash {
		e.drop()
	}
	for uint64(len(e.blocks)) <= uint64(head.Number) {
		b, err := e.rules.read(n, e.blocks, e.gaps)
		switch {
		case err != nil:
			return err
		case b == nil:
			e.drop()
			continue
		}
		e.numbers[b.hash] = b.number
		for i, hash := range b.hashes {
			e.places[hash] = place{b, i}
		}
		e.blocks = append(e.blocks, b)
	}
	e.looked = time.Now()
	return nil
}

func (e *Emulator) drop() {
	last := e.blocks[len(e.blocks)-1]
	e.blocks = e.blocks[:len(e.blocks)-1]
	delete(e.numbers, last.hash)
	for _, hash := range last.hashes {
		delete(e.places, hash)
	}
}
