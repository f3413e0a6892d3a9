package rpcproxy

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

func Null(methods ...string) Fault {
	return Fault{Name: "null", Methods: methods, Answer: func(_ *Node, _ *Call, a *Answer) { *a = *null() }}
}

func Empty(methods ...string) Fault {
	return Fault{Name: "empty", Methods: methods, Answer: func(_ *Node, _ *Call, a *Answer) { *a = Answer{Result: json.RawMessage("[]")} }}
}

// EmptyBlock returns no receipts for one block, at every request for it: the first requested block that has receipts.
func EmptyBlock() Fault {
	var mu sync.Mutex
	var block string
	return Fault{Name: "empty for one block", Methods: []string{BlockReceipts}, Answer: func(_ *Node, c *Call, a *Answer) {
		mu.Lock()
		defer mu.Unlock()
		args := c.Args()
		if len(args) == 0 || len(a.Result) <= len("null") {
			return
		}
		if block == "" {
			block = string(args[0])
		}
		if block == string(args[0]) {
			*a = Answer{Result: json.RawMessage("[]")}
		}
	}}
}

// Partial omits every other element of lists.
func Partial(methods ...string) Fault {
	return Fault{Name: "partial", Methods: methods, Answer: func(_ *Node, _ *Call, a *Answer) {
		var all, kept []json.RawMessage
		if json.Unmarshal(a.Result, &all) != nil || len(all) == 0 {
			return
		}
		for i := 1; i < len(all); i += 2 {
			kept = append(kept, all[i])
		}
		if a.Result, _ = json.Marshal(kept); kept == nil {
			a.Result = json.RawMessage("[]")
		}
	}}
}

func NoReceipts() Fault {
	f := Null(TransactionReceipt, BlockReceipts)
	f.Name = "no receipts"
	return f
}

// Nonces shifts nonces by delta, to 0 at least. Proofs keep the real ones.
func Nonces(delta int64) Fault {
	return Fault{Name: fmt.Sprintf("nonces off by %d", delta), Methods: []string{TransactionCount}, Answer: func(_ *Node, _ *Call, a *Answer) {
		var n hexutil.Uint64
		if json.Unmarshal(a.Result, &n) == nil {
			a.Result = quantity(uint64(max(0, int64(n)+delta)))
		}
	}}
}

func change(a *Answer, how func(map[string]json.RawMessage)) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(a.Result, &fields) != nil || fields == nil {
		return
	}
	how(fields)
	a.Result, _ = json.Marshal(fields)
}

// WrongHash returns blocks with another hash than the header's.
func WrongHash() Fault {
	return Fault{Name: "wrong hash", Methods: []string{BlockByNumber}, Answer: func(_ *Node, _ *Call, a *Answer) {
		change(a, func(block map[string]json.RawMessage) {
			block["hash"] = quoted(crypto.Keccak256Hash(block["hash"]).Hex())
		})
	}}
}

// Sibling returns consistent siblings of the canonical blocks.
func Sibling() Fault {
	return Fault{Name: "another block", Methods: []string{BlockByNumber}, Answer: func(_ *Node, _ *Call, a *Answer) {
		change(a, func(block map[string]json.RawMessage) {
			rewrite(block, func(h *types.Header) { h.Extra = append(h.Extra, 'x') })
		})
	}}
}

// Branch returns another branch above a height, of consistent, linked blocks.
func Branch(above uint64) Fault {
	var mu sync.Mutex
	others := map[common.Hash]common.Hash{} // by canonical block
	var leave func(n *Node, h *types.Header) error
	leave = func(n *Node, h *types.Header) error {
		was, number := h.Hash(), h.Number.Uint64()
		if number <= above {
			return nil
		}
		if _, known := others[h.ParentHash]; number > above+1 && !known {
			var parent types.Header
			if err := n.Call(&parent, BlockByNumber, hexutil.EncodeUint64(number-1), false); err != nil {
				return err
			}
			if err := leave(n, &parent); err != nil {
				return err
			}
		}
		if other, ok := others[h.ParentHash]; ok {
			h.ParentHash = other
		}
		h.Extra = append(h.Extra, 'x')
		others[was] = h.Hash()
		return nil
	}
	return Fault{Name: "another branch", Methods: []string{BlockByNumber}, Answer: func(n *Node, _ *Call, a *Answer) {
		mu.Lock()
		defer mu.Unlock()
		var err error
		change(a, func(block map[string]json.RawMessage) { rewrite(block, func(h *types.Header) { err = leave(n, h) }) })
		if err != nil {
			*a = *null()
		}
	}}
}

// Ahead returns a head n blocks above the real one: an empty, consistent block with an unknown parent.
func Ahead(n uint64) Fault {
	return Fault{Name: "head ahead", Methods: []string{BlockByNumber}, Answer: func(_ *Node, c *Call, a *Answer) {
		if args := c.Args(); len(args) == 0 || string(args[0]) != `"latest"` {
			return
		}
		change(a, func(block map[string]json.RawMessage) {
			rewrite(block, func(h *types.Header) {
				h.Number.SetUint64(h.Number.Uint64() + n)
				h.ParentHash = crypto.Keccak256Hash(h.ParentHash[:])
				h.TxHash, h.ReceiptHash, h.Bloom, h.GasUsed = types.EmptyTxsHash, types.EmptyReceiptsHash, types.Bloom{}, 0
			})
			block["transactions"] = json.RawMessage("[]")
		})
	}}
}

func rewrite(block map[string]json.RawMessage, how func(*types.Header)) {
	raw, _ := json.Marshal(block)
	header := new(types.Header)
	if json.Unmarshal(raw, header) != nil {
		return
	}
	how(header)
	raw, _ = json.Marshal(header)
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return
	}
	for name, value := range fields {
		if string(value) != "null" {
			block[name] = value
		}
	}
}
