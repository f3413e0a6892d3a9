package rpcproxy

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

// GasFloor refuses transactions with less gas than intrinsic gas plus perByte for each byte of calldata, as for a
// rollup's data on L1. Estimates include it.
func GasFloor(perByte uint64) Fault {
	f := RefuseSends(func(tx *types.Transaction) error {
		if least := floor(perByte, len(tx.Data())); tx.Gas() < least {
			return fmt.Errorf("intrinsic gas too low: gas %d, minimum needed %d", tx.Gas(), least)
		}
		return nil
	})
	f.Name, f.Methods = "gas floor", append(f.Methods, "eth_estimateGas")
	f.Answer = func(_ *Node, c *Call, a *Answer) {
		var call struct {
			Input hexutil.Bytes `json:"input"`
			Data  hexutil.Bytes `json:"data"`
		}
		var gas hexutil.Uint64
		if args := c.Args(); c.Method == "eth_estimateGas" && len(args) > 0 && json.Unmarshal(args[0], &call) == nil &&
			json.Unmarshal(a.Result, &gas) == nil {
			a.Result = quantity(max(uint64(gas), floor(perByte, max(len(call.Input), len(call.Data)))))
		}
	}
	return f
}

func floor(perByte uint64, bytes int) uint64 {
	return params.TxGas + (params.TxDataNonZeroGasEIP2028+perByte)*uint64(bytes)
}

// TipFloor refuses transactions with a tip below least, in wei per gas, and raises reported tips to it.
func TipFloor(least uint64) Fault {
	minimum := new(big.Int).SetUint64(least)
	f := RefuseSends(func(tx *types.Transaction) error {
		if tx.GasTipCap().Cmp(minimum) < 0 {
			return fmt.Errorf("transaction underpriced: gas tip cap below minimum: %s, minimum needed %s", tx.GasTipCap(),
				minimum)
		}
		return nil
	})
	f.Name, f.Methods = "tip floor", append(f.Methods, "eth_maxPriorityFeePerGas", FeeHistory)
	f.Answer = func(_ *Node, c *Call, a *Answer) {
		raise := func(h *hexutil.Big) *hexutil.Big {
			if h.ToInt().Cmp(minimum) < 0 {
				return (*hexutil.Big)(minimum)
			}
			return h
		}
		switch c.Method {
		case "eth_maxPriorityFeePerGas":
			a.Result, _ = json.Marshal((*hexutil.Big)(minimum))
		case FeeHistory:
			change(a, func(fields map[string]json.RawMessage) {
				var rewards [][]*hexutil.Big
				if json.Unmarshal(fields["reward"], &rewards) != nil {
					return
				}
				for _, block := range rewards {
					for i := range block {
						block[i] = raise(block[i])
					}
				}
				fields["reward"], _ = json.Marshal(rewards)
			})
		}
	}
	return f
}

// LogRange refuses eth_getLogs for more than most blocks, with a provider's error text.
func LogRange(most uint64) Fault {
	return Fault{Name: "log range", Methods: []string{Logs}, Ask: func(n *Node, c *Call) *Answer {
		var filter struct {
			From  json.RawMessage `json:"fromBlock"`
			To    json.RawMessage `json:"toBlock"`
			Block json.RawMessage `json:"blockHash"`
		}
		if args := c.Args(); len(args) == 0 || json.Unmarshal(args[0], &filter) != nil || filter.Block != nil {
			return nil
		}
		head, err := n.Head()
		if err != nil {
			return nil // the node reports the error
		}
		from, known := n.number(filter.From, head)
		to, also := n.number(filter.To, head)
		if !known || !also || to < from || to-from < most {
			return nil
		}
		return &Answer{Error: &Error{Code: -32600, Message: fmt.Sprintf(
			"You can make eth_getLogs requests with up to a %d block range. Based on your parameters, this block range should "+
				"work: [%#x, %#x]",
			most, from, from+most-1)}}
	}}
}

// Reverted returns failed receipts (status 0, no logs) for user transactions. They contradict the chain's roots.
func Reverted() Fault {
	return Fault{
		Name: "reverted", Methods: []string{BlockReceipts, TransactionReceipt},
		Answer: func(_ *Node, c *Call, a *Answer) {
			spoil := func(receipt map[string]json.RawMessage) {
				var kind hexutil.Uint64
				if json.Unmarshal(receipt["type"], &kind) == nil && kind <= types.SetCodeTxType {
					none, _ := json.Marshal(types.Bloom{})
					receipt["status"], receipt["logs"], receipt["logsBloom"] = quoted("0x0"), json.RawMessage("[]"), none
				}
			}
			if c.Method == TransactionReceipt {
				change(a, spoil)
				return
			}
			var all []map[string]json.RawMessage
			if json.Unmarshal(a.Result, &all) != nil || len(all) == 0 {
				return
			}
			for _, receipt := range all {
				spoil(receipt)
			}
			a.Result, _ = json.Marshal(all)
		},
	}
}
