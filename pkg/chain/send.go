package chain

import (
	"context"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/txpool"
)

// maxSendBytes bounds the raw bytes of one request; as hex they take twice as much, and geth reads 5 MB.
const maxSendBytes = 1 << 20

// told is one endpoint's answer to one raw transaction.
type told struct {
	class     txpool.Class
	delivered bool // the bytes may have reached the endpoint
	err       error
}

// Send gives raw transactions, in order, to all endpoints that do not rest, and tells for each what came of it (see
// txpool.Result). It returns when all have answered, or shortly after one has taken everything; at once while all rest.
func (c *Client) Send(ctx context.Context, raw [][]byte) []txpool.Result {
	for _, tx := range raw {
		c.market.sent(crypto.Keccak256Hash(tx))
	}
	// All endpoints are asked: one that rests says so at once.
	heard := gather(ctx, c.cfg.Grace, c.endpoints, func(ctx context.Context, e *endpoint) []told { return e.send(ctx, raw) }, allTaken)
	results := make([]txpool.Result, len(raw))
	for i := range raw {
		answers := make([]told, len(heard))
		for j := range heard {
			answers[j] = heard[j][i]
		}
		results[i] = verdict(answers)
	}
	return results
}

func allTaken(answers []told) bool {
	return !slices.ContainsFunc(answers, func(t told) bool { return !t.class.Taken() })
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
			if t.class == txpool.Unknown {
				e.log.Warn("a transaction was refused in unknown words; it counts as possibly sent", "err", t.err)
			}
		}
		first = last
	}
	return out
}

// ranked are the classes by what they say of a transaction that several endpoints got: taken; then what leaves it open whether
// an endpoint has the bytes; then the refusals, first what says where the nonce stands, then what may pass, then what will not.
var ranked = []txpool.Class{
	txpool.Added, txpool.Known,
	txpool.Unknown, txpool.Throttled, txpool.Timeout, txpool.NodeDown,
	txpool.NonceLow, txpool.ReplacementUnderpriced, txpool.NonceHigh, txpool.FeeLow, txpool.Full, txpool.Funds, txpool.Reserved,
	txpool.BadGas, txpool.TooBig, txpool.FeeCapRPC, txpool.Invalid,
}

// verdict joins the endpoints' answers to one transaction. An endpoint that the bytes cannot have reached has no say, unless
// they reached none.
func verdict(answers []told) txpool.Result {
	for _, delivered := range []bool{true, false} {
		for _, class := range ranked {
			i := slices.IndexFunc(answers, func(t told) bool { return t.class == class && t.delivered == delivered })
			switch {
			case i >= 0 && class.Taken():
				return txpool.Result{Class: class}
			case i >= 0:
				return txpool.Result{Class: class, Err: answers[i].err}
			}
		}
	}
	return txpool.Result{Class: txpool.Unknown, Err: errors.New("no endpoint answered")}
}
