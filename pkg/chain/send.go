package chain

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/txpool"
)

// maxSendBytes bounds the raw bytes of one request. Hex doubles them, and geth reads up to 5 MB.
const maxSendBytes = 1 << 20

// Send sends raw transactions, in order, to all endpoints except resting ones, and returns a txpool.Result for each.
// It returns when all have answered, or Config.Grace after one accepted everything; at once if all rest. Slower
// endpoints still get the transactions, since the faster one may drop them.
func (c *Client) Send(ctx context.Context, raw [][]byte) []txpool.Result {
	for _, tx := range raw {
		c.market.sent(crypto.Keccak256Hash(tx))
	}
	heard := gather(ctx, c.cfg.Grace, c.endpoints, func(ctx context.Context, e *endpoint) []txpool.Answer {
		answer := make(chan []txpool.Answer, 1)
		go func() {
			ctx, cancel := c.outlive(ctx)
			defer cancel()
			answer <- e.send(ctx, raw)
		}()
		select {
		case answers := <-answer:
			return answers
		case <-ctx.Done():
			return slices.Repeat([]txpool.Answer{{Class: txpool.Timeout, Delivered: true, Err: ctx.Err()}}, len(raw))
		}
	}, allTaken)
	results := make([]txpool.Result, len(raw))
	for i := range raw {
		answers := make([]txpool.Answer, len(heard))
		for j := range heard {
			answers[j] = heard[j][i]
		}
		results[i] = txpool.Join(answers)
	}
	return results
}

func allTaken(answers []txpool.Answer) bool {
	return !slices.ContainsFunc(answers, func(a txpool.Answer) bool { return !a.Class.Taken() })
}

func (e *endpoint) send(ctx context.Context, raw [][]byte) []txpool.Answer {
	out := make([]txpool.Answer, len(raw))
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
			a := txpool.Answer{Class: Classify(err), Delivered: !undelivered(err), Err: err}
			if err == nil {
				a = txpool.Answer{Class: Classify(elems[i].Error), Delivered: true, Err: elems[i].Error}
			}
			if a.Class == txpool.FeeLow {
				a.MinTip = minTip(a.Err)
			}
			out[first+i] = a
			e.metrics.sends.WithLabelValues(e.name, a.Class.String()).Inc()
			if a.Class == txpool.Unknown {
				e.log.Warn("a transaction was refused in unknown words; it counts as possibly sent", "err", a.Err)
			}
		}
		first = last
	}
	return out
}
