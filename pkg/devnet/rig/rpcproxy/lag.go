package rpcproxy

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

const headFresh = 20 * time.Millisecond

// Behind answers like a node n blocks behind: `latest` means an older block, and later blocks and their contents are
// unknown. It accepts transactions.
func Behind(n uint64) Fault {
	return lagging(fmt.Sprintf("%d blocks behind", n), func(node *Node) (uint64, error) {
		head, err := node.Head()
		return head - min(n, head), err
	})
}

// Stuck answers like a node that knows no block above number.
func Stuck(number uint64) Fault {
	return lagging("stuck", func(*Node) (uint64, error) { return number, nil })
}

func lagging(name string, limit func(*Node) (uint64, error)) Fault {
	return Fault{
		Name: name,
		Ask: func(n *Node, c *Call) *Answer {
			top, err := limit(n)
			if err != nil {
				return &Answer{Error: &Error{Code: -32603, Message: err.Error()}}
			}
			return asOf(n, c, top)
		},
		Answer: func(n *Node, c *Call, a *Answer) {
			if c.Method != TransactionReceipt && c.Method != "eth_getTransactionByHash" {
				return
			}
			var found struct {
				Number *hexutil.Uint64 `json:"blockNumber"`
			}
			top, err := limit(n)
			if err == nil && json.Unmarshal(a.Result, &found) == nil && found.Number != nil && uint64(*found.Number) > top {
				*a = *null()
			}
		},
	}
}

// pins maps methods to the index of their block parameter.
var pins = map[string]int{
	BlockByNumber: 0, BlockByHash: 0, BlockReceipts: 0, "eth_getHeaderByNumber": 0, "eth_getHeaderByHash": 0,
	TransactionCount: 1, "eth_getBalance": 1, "eth_getCode": 1, "eth_call": 1, "eth_estimateGas": 1, FeeHistory: 1,
	"eth_getStorageAt": 2, Proof: 2,
}

// asOf limits a call to blocks up to top, or answers it if it names a later one.
func asOf(n *Node, c *Call, top uint64) *Answer {
	if c.Method == Logs {
		return logsAsOf(n, c, top)
	}
	at, pinned := pins[c.Method]
	if !pinned {
		return nil
	}
	args := c.Args()
	for len(args) <= at {
		args = append(args, json.RawMessage(`"latest"`))
	}
	number, known := n.number(args[at], top)
	switch {
	case !known || number <= top:
		if isLatest(args[at]) {
			args[at] = quantity(top)
			c.SetArgs(args)
		}
		return nil
	case at == 0:
		return null()
	}
	return &Answer{Error: &Error{Code: -32000, Message: "header not found"}}
}

func logsAsOf(n *Node, c *Call, top uint64) *Answer {
	args := c.Args()
	var filter map[string]json.RawMessage
	if len(args) == 0 || json.Unmarshal(args[0], &filter) != nil {
		return nil
	}
	if hash, ok := filter["blockHash"]; ok {
		if number, known := n.number(hash, top); known && number > top {
			return &Answer{Error: &Error{Code: -32000, Message: "unknown block"}}
		}
		return nil
	}
	for _, end := range []string{"fromBlock", "toBlock"} {
		if _, ok := filter[end]; !ok {
			filter[end] = json.RawMessage(`"latest"`)
		}
		number, known := n.number(filter[end], top)
		if known && number > top && end == "fromBlock" {
			return &Answer{Result: json.RawMessage("[]")}
		}
		if isLatest(filter[end]) || known && number > top {
			filter[end] = quantity(top)
			args[0], _ = json.Marshal(filter)
			c.SetArgs(args)
		}
	}
	return nil
}

func isLatest(arg json.RawMessage) bool {
	return string(arg) == `"latest"` || string(arg) == `"pending"` || string(arg) == "null"
}

// number returns the number of the block that arg names; latest means top. known is false for other tags, and for
// hashes that the node lacks.
func (n *Node) number(arg json.RawMessage, top uint64) (number uint64, known bool) {
	if isLatest(arg) {
		return top, true
	}
	var object struct {
		Number string `json:"blockNumber"`
		Hash   string `json:"blockHash"`
	}
	var text string
	if json.Unmarshal(arg, &text) != nil {
		if json.Unmarshal(arg, &object) != nil {
			return 0, false
		}
		text = object.Number + object.Hash
	}
	if isHash(text) {
		return n.numberOf(text)
	}
	number, err := hexutil.DecodeUint64(text)
	return number, err == nil
}

func (n *Node) numberOf(hash string) (number uint64, known bool) {
	n.mu.Lock()
	number, known = n.numbers[hash]
	n.mu.Unlock()
	if known {
		return number, true
	}
	var block *struct {
		Number hexutil.Uint64 `json:"number"`
	}
	if n.Call(&block, BlockByHash, hash, false) != nil || block == nil {
		return 0, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.numbers[hash] = uint64(block.Number)
	return uint64(block.Number), true
}

// Head returns the node's newest block number, at most headFresh old.
func (n *Node) Head() (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.headAt) < headFresh {
		return n.head, nil
	}
	var head hexutil.Uint64
	if err := n.Call(&head, BlockNumber); err != nil {
		return 0, err
	}
	n.head, n.headAt = uint64(head), time.Now()
	return n.head, nil
}

func (n *Node) Call(result any, method string, params ...any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("couldn't encode a question to the node: %w", err)
	}
	if len(params) == 0 {
		raw = []byte("[]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	answers, err := n.answers(ctx, []*Call{{Method: method, Params: raw, Version: "2.0", ID: json.RawMessage("1")}}, false)
	if err != nil {
		return err
	}
	if answers[0].Error != nil {
		return fmt.Errorf("%w: %s", errNode, answers[0].Error.Message)
	}
	return json.Unmarshal(answers[0].Result, result)
}
