package chain

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/lane"
)

// maxSendBytes bounds the raw bytes of one request; as hex they take twice as much, and geth reads 5 MB.
const maxSendBytes = 1 << 20

// told is one endpoint's answer to one raw transaction.
type told struct {
	class     lane.SendClass
	delivered bool // the bytes may have reached the endpoint
	err       error
}

// Send gives raw transactions, in order, to all endpoints that do not rest, and tells for each what came of it (see
// lane.SendResult). It returns when all have answered, or shortly after one has taken everything; at once while all rest.
func (c *Client) Send(ctx context.Context, raw [][]byte) []lane.SendResult {
	endpoints := c.endpoints // one that rests says so at once
	for _, tx := range raw {
		c.market.sent(crypto.Keccak256Hash(tx))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answers struct {
		of   int
		told []told
	}
	done := make(chan answers, len(endpoints))
	for i, e := range endpoints {
		go func() { done <- answers{i, e.send(ctx, raw)} }()
	}
	all := make([][]told, len(endpoints))
	var late <-chan time.Time
	for waiting := len(endpoints); waiting > 0; waiting-- {
		select {
		case a := <-done:
			all[a.of] = a.told
			if late == nil && allTaken(a.told) {
				late = time.After(c.cfg.Grace)
			}
		case <-late:
			waiting = 1 // the others' answers would change nothing
		}
	}
	results := make([]lane.SendResult, len(raw))
	for i := range raw {
		var heard []told
		for _, t := range all {
			if t != nil {
				heard = append(heard, t[i])
			}
		}
		results[i] = verdict(heard)
	}
	return results
}

func allTaken(answers []told) bool {
	for _, t := range answers {
		if !t.class.Taken() {
			return false
		}
	}
	return true
}

// send gives the transactions to one endpoint, a bounded number of bytes at a time.
func (e *endpoint) send(ctx context.Context, raw [][]byte) []told {
	out := make([]told, len(raw))
	for first := 0; first < len(raw); {
		last, bytes := first, 0
		for last < len(raw) && (last == first || bytes+len(raw[last]) <= maxSendBytes) {
			bytes += len(raw[last])
			last++
		}
		elems := make([]rpc.BatchElem, 0, last-first)
		for _, tx := range raw[first:last] {
			elems = append(elems, elem("eth_sendRawTransaction", hexutil.Bytes(tx)))
		}
		err := e.do(ctx, "send", func(ctx context.Context, e *endpoint) error { return e.calls(ctx, elems) })
		for i := range elems {
			t := told{class: Classify(err), delivered: !undelivered(err), err: err}
			if err == nil {
				t = told{class: Classify(elems[i].Error), delivered: true, err: elems[i].Error}
			}
			out[first+i] = t
			e.metrics.sends.WithLabelValues(e.name, t.class.String()).Inc()
			if t.class == lane.Unknown {
				e.log.Warn("a transaction was refused in unknown words; it counts as possibly sent", "err", t.err)
			}
		}
		first = last
	}
	return out
}

// telling ranks refusals, the most telling first: what says where the nonce stands, then what may pass, then what will
// not.
var telling = []lane.SendClass{
	lane.NonceLow, lane.ReplacementUnderpriced, lane.NonceHigh, lane.FeeLow, lane.PoolFull, lane.Funds, lane.Reserved,
	lane.BadGas, lane.TooBig, lane.FeeCapRPC, lane.Invalid,
}

// open ranks answers that leave it open whether the endpoint has the bytes.
var open = []lane.SendClass{lane.Unknown, lane.Throttled, lane.Timeout, lane.NodeDown}

// verdict joins the endpoints' answers to one transaction: taken if any took it; else open if any answer left it open;
// else the most telling refusal. An endpoint that the bytes cannot have reached has no say, unless it is alone.
func verdict(answers []told) lane.SendResult {
	for _, class := range []lane.SendClass{lane.Accepted, lane.Known} {
		if find(answers, class, true) != nil {
			return lane.SendResult{Class: class}
		}
	}
	for _, classes := range [][]lane.SendClass{open, telling} {
		for _, class := range classes {
			if t := find(answers, class, true); t != nil {
				return lane.SendResult{Class: class, Err: t.err}
			}
		}
	}
	for _, class := range []lane.SendClass{lane.Throttled, lane.NodeDown} {
		if t := find(answers, class, false); t != nil {
			return lane.SendResult{Class: class, Err: t.err}
		}
	}
	return lane.SendResult{Class: lane.Unknown, Err: errors.New("no endpoint answered")}
}

func find(answers []told, class lane.SendClass, delivered bool) *told {
	for i := range answers {
		if answers[i].class == class && answers[i].delivered == delivered {
			return &answers[i]
		}
	}
	return nil
}
