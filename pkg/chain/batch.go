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

// A refused batch halves the size. After a pause the size doubles, then again every growStep. The pause doubles with
// each refusal, and resets once a batch of the refused size succeeds.
const (
	mostElements   = 100 // per request
	growPauseFirst = time.Second
	growPauseMost  = 10 * time.Minute
	growStep       = 500 * time.Millisecond
)

// batchSize limits one request to an endpoint: its elements, or the blocks of a log query.
type batchSize struct {
	mu    sync.Mutex
	most  int
	now   int
	least int // size of the last refused batch
	pause time.Duration
	grow  time.Time // when the size doubles
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

func (b *batchSize) minded(elements int, now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now, b.least = max(1, min(b.now, elements/2)), elements
	b.pause = min(max(2*b.pause, growPauseFirst), growPauseMost)
	b.grow = now.Add(b.pause)
	return b.now
}

func (b *batchSize) took(elements int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if elements >= b.least {
		b.pause = 0
	}
}

// calls sends elems in order, in as few requests as the batch size allows. The error is the exchange's; each element
// has its own in Error. Every Result must be a *json.RawMessage.
func (e *endpoint) calls(ctx context.Context, elems []rpc.BatchElem) error {
	for len(elems) > 0 {
		size := min(e.batch.size(time.Now()), len(elems))
		if size == 1 {
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
			if err != nil && isWebSocket(e.url) { // a refused batch may stay unanswered or close the connection
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
		// The batch is at fault only if the endpoint answers a single element.
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

// single sends one element. It returns an error only if the endpoint failed to answer.
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

// batchRefused reports whether the endpoint may have refused the batch rather than its content. It is false for a
// proxy's page (403, 429, 5xx).
func batchRefused(err error, elems []rpc.BatchElem) bool {
	if err != nil {
		var httpErr rpc.HTTPError
		var shape *json.UnmarshalTypeError // one error object in place of a list
		return errors.As(err, &httpErr) && (httpErr.StatusCode == http.StatusRequestEntityTooLarge || httpErr.StatusCode == http.StatusBadRequest) ||
			errors.As(err, &shape)
	}
	return slices.ContainsFunc(elems, func(e rpc.BatchElem) bool { return batchMinded(e.Error) })
}

func elem(method string, args ...any) rpc.BatchElem {
	return rpc.BatchElem{Method: method, Args: args, Result: new(json.RawMessage)}
}

// answer decodes an element's response. It returns the element's error, or ethereum.NotFound for null.
func answer(e rpc.BatchElem, result any) error {
	if e.Error != nil {
		return e.Error
	}
	return decode(rawOf(e), result)
}

func rawOf(e rpc.BatchElem) json.RawMessage { return *e.Result.(*json.RawMessage) }
