package chain

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

// A batch size that an endpoint minded is tried again after a pause, which doubles while it minds and begins again small
// when the endpoint takes full batches. Until then the size doubles step by step.
const (
	mostElements   = 100 // of one request
	growPauseFirst = time.Second
	growPauseMost  = 10 * time.Minute
	growStep       = 500 * time.Millisecond
)

// batchSize is how many elements, or blocks in a question for logs, one request to an endpoint holds: it halves where the endpoint minds and grows back.
type batchSize struct {
	mu    sync.Mutex
	most  int
	now   int
	least int           // the smallest batch that it minded
	pause time.Duration // before the size doubles
	grow  time.Time     // when the size doubles
}

func newBatchSize(most int) *batchSize { return &batchSize{most: most, now: most} }

func (b *batchSize) size(now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.now < b.most && !now.Before(b.grow) {
		b.now, b.grow = min(b.now*2, b.most), b.grow.Add(growStep)
	}
	return b.now
}

// minded notes that the endpoint refused a request with so many elements, and returns the size from now on.
func (b *batchSize) minded(elements int, now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now, b.least = max(1, min(b.now, elements/2)), elements
	b.pause = min(max(2*b.pause, growPauseFirst), growPauseMost)
	b.grow = now.Add(b.pause)
	return b.now
}

// took notes that a request with so many elements went well.
func (b *batchSize) took(elements int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if elements >= b.least {
		b.pause = 0
	}
}

// calls asks several questions in order, in as few requests as the endpoint allows. The error is of the exchange as a
// whole; each element has its own in Error. Every Result must be a *json.RawMessage.
func (e *endpoint) calls(ctx context.Context, elems []rpc.BatchElem) error {
	for len(elems) > 0 {
		size := min(e.batch.size(time.Now()), len(elems))
		if size == 1 { // also what an endpoint without batches gets
			if err := e.single(ctx, &elems[0]); err != nil {
				return err
			}
			elems = elems[1:]
			continue
		}
		for _, elem := range elems[:size] {
			e.metrics.calls.WithLabelValues(e.name, elem.Method).Inc()
		}
		client, err := e.client(ctx)
		if err == nil {
			err = e.redact(client.BatchCallContext(ctx, elems[:size]))
		}
		for i := range elems[:size] {
			elems[i].Error = e.redact(elems[i].Error)
		}
		switch {
		case !batchRefused(err, elems[:size]):
			if err != nil && isWebSocket(e.url) { // over it a refused batch may only not be answered, or end the connection
				e.batch.minded(size, time.Now())
			}
			if err != nil {
				return err
			}
			e.batch.took(size)
			exchangeOf(ctx).heard(elems[:size]...)
			elems = elems[size:]
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		}
		why := errors.Join(err, elems[0].Error)
		for i := range elems[:size] {
			elems[i].Error = nil
		}
		// It is the batch that the endpoint minds only if it answers one element.
		if err := e.single(ctx, &elems[0]); err != nil {
			return err
		}
		if page := (rpc.HTTPError{}); errors.As(elems[0].Error, &page) {
			return elems[0].Error
		}
		elems = elems[1:]
		now := e.batch.minded(size, time.Now())
		e.log.Warn("the chain's endpoint refuses a batch of requests; sending smaller ones, and larger ones again when they go well",
			"elements", size, "from_now_on", now, "err", why)
	}
	return nil
}

// single asks one element by itself. The error says that the endpoint did not answer.
func (e *endpoint) single(ctx context.Context, elem *rpc.BatchElem) error {
	e.metrics.calls.WithLabelValues(e.name, elem.Method).Inc()
	client, err := e.client(ctx)
	if err != nil {
		return err
	}
	elem.Error = e.redact(client.CallContext(ctx, elem.Result, elem.Method, elem.Args...))
	exchangeOf(ctx).heard(*elem)
	if elem.Error != nil && failed(elem.Error) {
		return elem.Error
	}
	return nil
}

// batchRefused tells whether an endpoint may mind the batch and not what is in it. The page of some proxy (403, 5xx, and
// 429) says nothing about batches.
func batchRefused(err error, elems []rpc.BatchElem) bool {
	if err != nil {
		var httpErr rpc.HTTPError
		var shape *json.UnmarshalTypeError // one error object where a list was due
		return errors.As(err, &httpErr) && (httpErr.StatusCode == http.StatusRequestEntityTooLarge || httpErr.StatusCode == http.StatusBadRequest) ||
			errors.As(err, &shape)
	}
	return slices.ContainsFunc(elems, func(e rpc.BatchElem) bool { return batchMinded(e.Error) })
}

// elem makes an element for calls.
func elem(method string, args ...any) rpc.BatchElem {
	return rpc.BatchElem{Method: method, Args: args, Result: new(json.RawMessage)}
}

// answer decodes an element's answer; null is ethereum.NotFound.
func answer(e rpc.BatchElem, result any) error {
	if e.Error != nil {
		return e.Error
	}
	return decode(rawOf(e), result)
}

// rawOf is an element's answer as it came.
func rawOf(e rpc.BatchElem) json.RawMessage { return *e.Result.(*json.RawMessage) }
