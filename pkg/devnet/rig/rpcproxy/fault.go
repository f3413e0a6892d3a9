package rpcproxy

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// Fault is one way to fail. The functions that are set see what the fault touches.
type Fault struct {
	Name    string
	Methods []string // of the calls it touches; empty: all
	Share   float64  // of those, at random, more than 0 and at most 1; 0 means all
	Whole   bool     // Share is of requests, as with a load balancer in front of several nodes, rather than of calls

	// Around sees a request with at least one such call. It calls next to have it answered, and may change the answer; or
	// it answers itself. A fault that was added later is around those before it.
	Around func(x *Exchange, next func())
	// Ask may change what the node is asked, or answer instead of it.
	Ask func(n *Node, c *Call) *Answer
	// Answer may change what was answered.
	Answer func(n *Node, c *Call, a *Answer)
}

// For is the fault for these methods only.
func (f Fault) For(methods ...string) Fault {
	f.Methods = methods
	return f
}

// Sometimes is the fault for this share of the calls it touches.
func (f Fault) Sometimes(share float64) Fault {
	f.Share = share
	return f
}

// OneOf is the fault for this share of the requests: as when one of several nodes behind a load balancer has it.
func (f Fault) OneOf(share float64) Fault {
	f.Share, f.Whole = share, true
	return f
}

// roll decides which calls the fault touches.
func (f *Fault) roll(calls []*Call, dice *rand.Rand) []bool {
	touched := make([]bool, len(calls))
	luck := func() bool { return f.Share == 0 || dice.Float64() < f.Share }
	if f.Whole && !luck() {
		return touched
	}
	for i, c := range calls {
		touched[i] = (len(f.Methods) == 0 || slices.Contains(f.Methods, c.Method)) && (f.Whole || luck())
	}
	return touched
}

// Methods that several faults are about.
const (
	SendRawTransaction = "eth_sendRawTransaction"
	TransactionReceipt = "eth_getTransactionReceipt"
	BlockReceipts      = "eth_getBlockReceipts"
	TransactionCount   = "eth_getTransactionCount"
	Logs               = "eth_getLogs"
	Proof              = "eth_getProof"
	BlockByNumber      = "eth_getBlockByNumber"
	BlockByHash        = "eth_getBlockByHash"
	BlockNumber        = "eth_blockNumber"
	FeeHistory         = "eth_feeHistory"
)

// Delay makes every request take this much longer, half of it before the node gets it.
func Delay(d time.Duration) Fault {
	return Fault{Name: "delay", Around: func(x *Exchange, next func()) {
		x.sleep(d / 2)
		next()
		x.sleep(d - d/2)
	}}
}

// sleep waits, but not for a client that has gone.
func (x *Exchange) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	x.late = true
	select {
	case <-timer.C:
	case <-x.Context.Done():
	}
}

// Drop cuts the connection before the node gets the request.
func Drop() Fault {
	return Fault{Name: "drop", Around: func(x *Exchange, _ func()) { x.Dropped = true }}
}

// Lost cuts the connection after the node got the request, and did what it asks for.
func Lost() Fault {
	return Fault{Name: "lost answers", Around: func(x *Exchange, next func()) {
		next()
		x.Dropped = true
	}}
}

// Hang answers nothing until the client goes away; with delivered the node gets the request first.
func Hang(delivered bool) Fault {
	return Fault{Name: "hang", Around: func(x *Exchange, next func()) {
		if delivered {
			next()
		}
		<-x.Context.Done()
		x.Dropped = true
	}}
}

// Page answers with an HTTP status and a page of HTML, as a gateway does. header holds pairs of name and value.
func Page(status int, header ...string) Fault {
	return Fault{Name: "page " + http.StatusText(status), Around: func(x *Exchange, _ func()) {
		x.Respond(status, "text/html", []byte("<html><body><h1>"+http.StatusText(status)+"</h1></body></html>"))
		for i := 0; i+1 < len(header); i += 2 {
			x.Header.Set(header[i], header[i+1])
		}
	}}
}

// ErrorStatus sends answers with a JSON-RPC error in them under an HTTP status, as some providers do; add it after the fault that refuses.
func ErrorStatus(status int) Fault {
	return Fault{Name: "errors as " + http.StatusText(status), Around: func(x *Exchange, next func()) {
		next()
		if bytes.Contains(x.Body, []byte(`"error":{`)) {
			x.Status = status
		}
	}}
}

// Truncated cuts every answer in half.
func Truncated() Fault {
	return Fault{Name: "truncated", Around: func(x *Exchange, next func()) {
		next()
		x.Body = x.Body[:len(x.Body)/2]
	}}
}

// Garbage answers 200 with what is not JSON.
func Garbage() Fault {
	return Fault{Name: "garbage", Around: func(x *Exchange, next func()) {
		next()
		x.Body = []byte("{\"jsonrpc\": <upstream error>")
	}}
}

// NoBatches refuses batches of more than most calls with one error object, as some gateways do.
func NoBatches(most int) Fault {
	return Fault{Name: "no batches", Around: func(x *Exchange, next func()) {
		if len(x.Calls) <= most {
			next()
			return
		}
		raw, _ := json.Marshal(response{"2.0", json.RawMessage("null"), Answer{Error: &Error{Code: -32600, Message: "batch too large"}}})
		x.Respond(http.StatusOK, "application/json", raw)
	}}
}

// Refuse answers calls with a JSON-RPC error; the node does not get them.
func Refuse(code int, message string) Fault {
	return Fault{Name: "refuse: " + message, Ask: func(*Node, *Call) *Answer {
		return &Answer{Error: &Error{Code: code, Message: message}}
	}}
}

// Missing answers as a node without these methods.
func Missing(methods ...string) Fault {
	return Fault{Name: "missing", Methods: methods, Ask: func(_ *Node, c *Call) *Answer {
		return &Answer{Error: &Error{Code: -32601, Message: "the method " + c.Method + " does not exist/is not available"}}
	}}
}

// RefuseSends answers transactions with an error of code -32000 when judge returns one; the node gets the others.
func RefuseSends(judge func(tx *types.Transaction) error) Fault {
	return Fault{Name: "refuse sends", Methods: []string{SendRawTransaction}, Ask: func(_ *Node, c *Call) *Answer {
		tx, ok := c.Transaction()
		if !ok {
			return nil
		}
		if err := judge(tx); err != nil {
			return &Answer{Error: &Error{Code: -32000, Message: err.Error()}}
		}
		return nil
	}}
}

// Swallow answers transactions as accepted, but the node does not get them.
func Swallow() Fault { return SwallowAbove(0) }

// SwallowAbove is Swallow of transactions of more than so many bytes.
func SwallowAbove(most int) Fault {
	return Fault{Name: "swallow sends", Methods: []string{SendRawTransaction}, Ask: func(_ *Node, c *Call) *Answer {
		var raw hexutil.Bytes
		if args := c.Args(); len(args) == 0 || json.Unmarshal(args[0], &raw) != nil || len(raw) <= most {
			return nil
		}
		return &Answer{Result: quoted(crypto.Keccak256Hash(raw).Hex())}
	}}
}

// Transaction is what an eth_sendRawTransaction sends.
func (c *Call) Transaction() (*types.Transaction, bool) {
	var raw hexutil.Bytes
	tx := new(types.Transaction)
	args := c.Args()
	ok := len(args) > 0 && json.Unmarshal(args[0], &raw) == nil && tx.UnmarshalBinary(raw) == nil
	return tx, ok
}

func quoted(text string) json.RawMessage { return json.RawMessage(`"` + text + `"`) }

func quantity(n uint64) json.RawMessage { return quoted(hexutil.EncodeUint64(n)) }

// isHash tells whether a parameter is a 32-byte hash.
func isHash(text string) bool { return len(text) == 2+2*common.HashLength }
