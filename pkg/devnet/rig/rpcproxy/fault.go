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

// Fault is one way to fail. Its functions, if set, are called for the requests or calls it touches.
type Fault struct {
	Name    string
	Methods []string // of touched calls; empty: all
	Share   float64  // random part of these calls, in (0, 1]; 0: all
	Whole   bool     // Share is a part of the requests instead of calls

	// Around handles a request with a touched call. It may call next to get the response, and change it. Faults added
	// later wrap earlier ones.
	Around func(x *Exchange, next func())
	// Ask may change a call, or answer it instead of the node.
	Ask    func(n *Node, c *Call) *Answer
	Answer func(n *Node, c *Call, a *Answer)
}

func (f Fault) For(methods ...string) Fault {
	f.Methods = methods
	return f
}

func (f Fault) Sometimes(share float64) Fault {
	f.Share = share
	return f
}

// OneOf limits the fault to a share of the requests, as if one of several nodes behind a load balancer had it.
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

// Hang withholds the response. The node gets the request only if delivered is set.
func Hang(delivered bool) Fault {
	return Fault{Name: "hang", Around: func(x *Exchange, next func()) {
		if delivered {
			next()
		}
		<-x.Context.Done()
		x.Dropped = true
	}}
}

// Page responds like a gateway, with a page of HTML. header holds pairs of name and value.
func Page(status int, header ...string) Fault {
	return Fault{Name: "page " + http.StatusText(status), Around: func(x *Exchange, _ func()) {
		x.Respond(status, "text/html", []byte("<html><body><h1>"+http.StatusText(status)+"</h1></body></html>"))
		for i := 0; i+1 < len(header); i += 2 {
			x.Header.Set(header[i], header[i+1])
		}
	}}
}

// ErrorStatus sets the HTTP status of responses with a JSON-RPC error. Add it after the fault that causes the error.
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

func Garbage() Fault {
	return Fault{Name: "garbage", Around: func(x *Exchange, next func()) {
		next()
		x.Body = []byte("{\"jsonrpc\": <upstream error>")
	}}
}

// NoBatches answers batches of more than most calls with one error object.
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

func Refuse(code int, message string) Fault {
	return Fault{Name: "refuse: " + message, Ask: func(*Node, *Call) *Answer {
		return &Answer{Error: &Error{Code: code, Message: message}}
	}}
}

func Missing(methods ...string) Fault {
	return Fault{Name: "missing", Methods: methods, Ask: func(_ *Node, c *Call) *Answer {
		return &Answer{Error: &Error{Code: -32601, Message: "the method " + c.Method + " does not exist/is not available"}}
	}}
}

// RefuseSends answers a transaction with error -32000 if judge returns an error.
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

// Swallow answers transactions as accepted, and drops them.
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
