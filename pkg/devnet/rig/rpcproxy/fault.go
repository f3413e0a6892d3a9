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

// Fault is one way to fail. Its functions are called for the requests or calls it touches, if set.
type Fault struct {
	Name    string
	Methods []string // of the calls it touches; empty: all
	Share   float64  // random share of these, in (0, 1]; 0: all
	Whole   bool     // Share is of requests, as with a load balancer over several nodes

	// Around handles a request with a touched call. It may call next to get the response, and change it. A fault that
	// is added later wraps the earlier ones.
	Around func(x *Exchange, next func())
	// Ask may change a call before the node gets it, or answer it instead.
	Ask func(n *Node, c *Call) *Answer
	// Answer may change a call's answer.
	Answer func(n *Node, c *Call, a *Answer)
}

func (f Fault) For(methods ...string) Fault {
	f.Methods = methods
	return f
}

// Sometimes returns the fault for a share of the calls it touches.
func (f Fault) Sometimes(share float64) Fault {
	f.Share = share
	return f
}

// OneOf returns the fault for a share of the requests, as if one of several nodes behind a load balancer had it.
func (f Fault) OneOf(share float64) Fault {
	f.Share, f.Whole = share, true
	return f
}

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

// Delay adds d to every request, half of it before the node gets the request.
func Delay(d time.Duration) Fault {
	return Fault{Name: "delay", Around: func(x *Exchange, next func()) {
		x.sleep(d / 2)
		next()
		x.sleep(d - d/2)
	}}
}

// sleep waits for d, or until the client has disconnected.
func (x *Exchange) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	x.late = true
	select {
	case <-timer.C:
	case <-x.Context.Done():
	}
}

// Drop closes the connection before the node gets the request.
func Drop() Fault {
	return Fault{Name: "drop", Around: func(x *Exchange, _ func()) { x.Dropped = true }}
}

// Lost closes the connection after the node has handled the request.
func Lost() Fault {
	return Fault{Name: "lost answers", Around: func(x *Exchange, next func()) {
		next()
		x.Dropped = true
	}}
}

// Hang never responds. If delivered is set, the node gets the request.
func Hang(delivered bool) Fault {
	return Fault{Name: "hang", Around: func(x *Exchange, next func()) {
		if delivered {
			next()
		}
		<-x.Context.Done()
		x.Dropped = true
	}}
}

// Page responds with an HTTP status and a page of HTML, as gateways do. header holds pairs of name and value.
func Page(status int, header ...string) Fault {
	return Fault{Name: "page " + http.StatusText(status), Around: func(x *Exchange, _ func()) {
		x.Respond(status, "text/html", []byte("<html><body><h1>"+http.StatusText(status)+"</h1></body></html>"))
		for i := 0; i+1 < len(header); i += 2 {
			x.Header.Set(header[i], header[i+1])
		}
	}}
}

// ErrorStatus sets the HTTP status of responses with a JSON-RPC error, as some providers do. Add it after the fault
// that causes the error.
func ErrorStatus(status int) Fault {
	return Fault{Name: "errors as " + http.StatusText(status), Around: func(x *Exchange, next func()) {
		next()
		if bytes.Contains(x.Body, []byte(`"error":{`)) {
			x.Status = status
		}
	}}
}

func Truncated() Fault {
	return Fault{Name: "truncated", Around: func(x *Exchange, next func()) {
		next()
		x.Body = x.Body[:len(x.Body)/2]
	}}
}

// Garbage responds with status 200 and invalid JSON.
func Garbage() Fault {
	return Fault{Name: "garbage", Around: func(x *Exchange, next func()) {
		next()
		x.Body = []byte("{\"jsonrpc\": <upstream error>")
	}}
}

// NoBatches answers batches of more than most calls with one error object, as some gateways do.
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

// Refuse answers calls with an error; the node does not get them.
func Refuse(code int, message string) Fault {
	return Fault{Name: "refuse: " + message, Ask: func(*Node, *Call) *Answer {
		return &Answer{Error: &Error{Code: code, Message: message}}
	}}
}

// Missing answers like a node without these methods.
func Missing(methods ...string) Fault {
	return Fault{Name: "missing", Methods: methods, Ask: func(_ *Node, c *Call) *Answer {
		return &Answer{Error: &Error{Code: -32601, Message: "the method " + c.Method + " does not exist/is not available"}}
	}}
}

// RefuseSends answers a transaction with error -32000 if judge returns an error; the node gets the others.
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

// SwallowAbove is Swallow for transactions of more than most bytes.
func SwallowAbove(most int) Fault {
	return Fault{Name: "swallow sends", Methods: []string{SendRawTransaction}, Ask: func(_ *Node, c *Call) *Answer {
		var raw hexutil.Bytes
		if args := c.Args(); len(args) == 0 || json.Unmarshal(args[0], &raw) != nil || len(raw) <= most {
			return nil
		}
		return &Answer{Result: quoted(crypto.Keccak256Hash(raw).Hex())}
	}}
}

// Transaction decodes an eth_sendRawTransaction call.
func (c *Call) Transaction() (*types.Transaction, bool) {
	var raw hexutil.Bytes
	tx := new(types.Transaction)
	args := c.Args()
	ok := len(args) > 0 && json.Unmarshal(args[0], &raw) == nil && tx.UnmarshalBinary(raw) == nil
	return tx, ok
}

func quoted(text string) json.RawMessage { return json.RawMessage(`"` + text + `"`) }

func quantity(n uint64) json.RawMessage { return quoted(hexutil.EncodeUint64(n)) }

func isHash(text string) bool { return len(text) == 2+2*common.HashLength }
