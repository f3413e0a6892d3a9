package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/lane"
)

const (
	failuresToRest = 3 // in a row; then the endpoint rests
	restFirst      = 2 * time.Second
	restMost       = time.Minute
	maxAnswerBytes = 128 << 20
	dialTimeout    = 10 * time.Second
)

// endpoint is one node, or one load balancer in front of several.
type endpoint struct {
	name    string // host, and a number when several share it; never the URL, which may hold a key
	rpc     *rpc.Client
	timeout time.Duration // of one request
	log     *slog.Logger
	metrics *metrics

	batch atomic.Int64 // how many elements one request may hold; 1 means no batches

	mu        sync.Mutex
	failures  int // in a row
	restUntil time.Time
}

func dial(ctx context.Context, rawURL, name string, cfg Config, log *slog.Logger, m *metrics) (*endpoint, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	ctx, cancel := context.WithTimeout(ctx, dialTimeout) // only a websocket connects now
	defer cancel()
	client, err := rpc.DialOptions(ctx, rawURL, rpc.WithHTTPClient(&http.Client{Transport: bounded{transport}}))
	if err != nil {
		return nil, fmt.Errorf("couldn't dial the chain's endpoint %s: %w", name, redacted(err))
	}
	e := &endpoint{name: name, rpc: client, timeout: cfg.Timeout, log: log.With("endpoint", name), metrics: m}
	e.batch.Store(int64(cfg.Batch))
	return e, nil
}

// bounded refuses to read more of an answer than maxAnswerBytes.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswerBytes)
	}
	return resp, err
}

func (b bounded) CloseIdleConnections() {
	if t, ok := b.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// redacted drops the URL that net/http puts into its errors.
func redacted(err error) error {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		return withURL.Err
	}
	return err
}

// do runs ask, one exchange with the endpoint, under a deadline of its own, and keeps the endpoint's record.
func (e *endpoint) do(ctx context.Context, op string, ask func(context.Context, *endpoint) error) error {
	call, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	start := time.Now()
	err := redacted(ask(call, e))
	e.metrics.seconds.WithLabelValues(e.name, op).Observe(time.Since(start).Seconds())
	e.metrics.requests.WithLabelValues(e.name, op, resultOf(err)).Inc()
	if ctx.Err() == nil { // a caller that went away says nothing about the endpoint
		e.record(err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	return nil
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ethereum.NotFound):
		return "not_found"
	case failed(err):
		return "failed"
	}
	return "refused"
}

// failed tells whether the endpoint did not do its job, as opposed to giving an answer nobody likes.
func failed(err error) bool {
	var revert *lane.RevertError
	if errors.As(err, &revert) || errors.Is(err, ethereum.NotFound) || errors.Is(err, errBehind) {
		return false
	}
	if class, ok := classifyTransport(err); ok {
		return class == lane.Timeout || class == lane.NodeDown || class == lane.Throttled
	}
	var coded rpc.Error
	return !errors.As(err, &coded)
}

func (e *endpoint) record(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil || !failed(err) {
		if e.failures >= failuresToRest {
			e.log.Info("the chain's endpoint answers again; using it")
		}
		e.failures, e.restUntil = 0, time.Time{}
		e.metrics.up.WithLabelValues(e.name).Set(1)
		return
	}
	e.failures++
	if e.failures < failuresToRest {
		return
	}
	rest := min(restFirst<<min(e.failures-failuresToRest, 10), restMost)
	e.restUntil = time.Now().Add(rest)
	e.metrics.up.WithLabelValues(e.name).Set(0)
	if e.failures == failuresToRest {
		e.log.Warn("the chain's endpoint keeps failing; leaving it alone for a while", "err", err, "rest", rest)
	}
}

func (e *endpoint) resting(now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return now.Before(e.restUntil)
}

// call asks one question; a null answer is ethereum.NotFound.
func (e *endpoint) call(ctx context.Context, result any, method string, args ...any) error {
	var raw json.RawMessage
	if err := e.rpc.CallContext(ctx, &raw, method, args...); err != nil {
		return err
	}
	return decode(raw, result)
}

// calls asks several questions in order, in as few requests as the endpoint allows. The error is of the exchange as a
// whole; each element has its own in Error. Every Result must be a *json.RawMessage.
func (e *endpoint) calls(ctx context.Context, elems []rpc.BatchElem) error {
	for len(elems) > 0 {
		size := min(int(e.batch.Load()), len(elems))
		if size == 1 { // also what an endpoint without batches gets
			elems[0].Error = e.rpc.CallContext(ctx, elems[0].Result, elems[0].Method, elems[0].Args...)
			if elems[0].Error != nil && failed(elems[0].Error) {
				return elems[0].Error
			}
			elems = elems[1:]
			continue
		}
		err := e.rpc.BatchCallContext(ctx, elems[:size])
		if !batchRefused(err, elems[:size]) {
			if err != nil {
				return err
			}
			elems = elems[size:]
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		half := int64(size / 2)
		e.batch.Store(half)
		e.log.Warn("the chain's endpoint refuses a batch of requests; sending smaller ones from now on",
			"elements", size, "from_now_on", half, "err", redacted(errors.Join(err, elems[0].Error)))
		for i := range elems[:size] {
			elems[i].Error = nil
		}
	}
	return nil
}

// batchRefused tells whether an endpoint minds the batch and not what is in it.
func batchRefused(err error, elems []rpc.BatchElem) bool {
	if err != nil {
		var httpErr rpc.HTTPError
		var shape *json.UnmarshalTypeError // one error object where a list was due
		return errors.As(err, &httpErr) && httpErr.StatusCode/100 == 4 && httpErr.StatusCode != http.StatusTooManyRequests ||
			errors.As(err, &shape)
	}
	for _, elem := range elems {
		if errors.Is(elem.Error, rpc.ErrMissingBatchResponse) {
			return true
		}
		if elem.Error != nil && containsAny(elem.Error.Error(), "batch too large", "batch size", "batch limit", "batching") {
			return true
		}
	}
	return false
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
	return decode(*e.Result.(*json.RawMessage), result)
}

func decode(raw json.RawMessage, result any) error {
	if len(raw) == 0 || string(raw) == "null" {
		return ethereum.NotFound
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("couldn't decode the node's answer: %w", err)
	}
	return nil
}
