package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// endpoint is one node, or a load balancer in front of several.
type endpoint struct {
	name    string // host, and a number if several share it
	url     string
	secrets *strings.Replacer
	rpc     atomic.Pointer[rpc.Client] // nil before the first use of a WebSocket
	dialing chan struct{}              // held during the first dial; a mutex that is awaited under a context
	timeout time.Duration
	log     *slog.Logger
	metrics *metrics

	transport *http.Transport

	batch   *batchSize
	logs    *batchSize // blocks per log query
	breaker breaker
	trust   trust
	newest  atomic.Uint64 // number of the newest block seen; 0: unknown
	// number of its newest checked block, plus one; 0 before the first; guarded by headerRule.mu
	checked  uint64
	forked   atomic.Bool  // its newest or final block is uncheckable, unlike the chain's
	took     atomic.Int64 // ns, for the last answered exchange; 0 before the first
	answered atomic.Int64 // end of that exchange, Unix ns; 0 before the first

	plainHash atomic.Bool // takes block hashes as text instead of EIP-1898 objects
	proofs    capability  // eth_getProof
	whole     capability  // eth_getBlockReceipts
	raw       capability  // eth_getRawTransactionByBlockHashAndIndex
}

func dial(ctx context.Context, rawURL, name string, cfg Config, log *slog.Logger, m *metrics) (*endpoint, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	e := &endpoint{
		name: name, url: rawURL, secrets: secretsOf(rawURL), transport: transport, timeout: cfg.Timeout, log: log.With("endpoint", name),
		metrics: m, batch: newBatchSize(mostElements), logs: newBatchSize(int(cfg.LogRange)), dialing: make(chan struct{}, 1),
	}
	if isWebSocket(rawURL) {
		return e, nil
	}
	if _, err := e.client(ctx); err != nil {
		return nil, fmt.Errorf("couldn't dial the chain's endpoint %s: %w", name, err)
	}
	return e, nil
}

// client dials a WebSocket at its first use, as the endpoint may be down at the start. go-ethereum's client redials a
// broken connection within the deadline of the next call.
func (e *endpoint) client(ctx context.Context) (*rpc.Client, error) {
	if c := e.rpc.Load(); c != nil {
		return c, nil
	}
	select {
	case e.dialing <- struct{}{}:
		defer func() { <-e.dialing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := e.rpc.Load(); c != nil {
		return c, nil
	}
	httpClient := rpc.WithHTTPClient(&http.Client{Transport: bounded{e.transport}})
	// a WebSocket endpoint may also send batches of calls, which are answered with errors
	bounds := []rpc.ClientOption{rpc.WithWebsocketMessageSizeLimit(maxAnswerBytes), rpc.WithBatchItemLimit(mostElements)}
	c, err := rpc.DialOptions(ctx, e.url, append(bounds, httpClient)...)
	if err == nil {
		e.rpc.Store(c)
	}
	return c, e.redact(err)
}

func isWebSocket(rawURL string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(rawURL), "://")
	return scheme == "ws" || scheme == "wss"
}

func (e *endpoint) close() {
	if c := e.rpc.Load(); c != nil {
		c.Close()
	}
	e.transport.CloseIdleConnections()
}

// do runs ask as one exchange with its own deadline, and records the result. It returns *restError if it skipped ask.
func (e *endpoint) do(ctx context.Context, op string, ask func(context.Context, *endpoint) error) error {
	return e.within(ctx, e.timeout, op, ask)
}

func (e *endpoint) within(ctx context.Context, timeout time.Duration, op string, ask func(context.Context, *endpoint) error) error {
	ok, trial := e.breaker.admit(time.Now())
	if !ok {
		return e.resting()
	}
	x := &exchange{}
	call, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), timeout)
	defer cancel()
	over := false
	defer func() {
		// Otherwise a contained panic would leave the trial open, and block the endpoint for all lanes.
		if !over {
			e.record(trial, abandoned, nil, 0)
		}
	}()
	start := time.Now()
	err := ask(call, e)
	took := time.Since(start)
	over = true
	e.metrics.seconds.WithLabelValues(e.name, op).Observe(took.Seconds())
	if err == nil {
		e.took.Store(int64(took))
		e.answered.Store(time.Now().UnixNano())
	}
	e.metrics.requests.WithLabelValues(e.name, op, resultOf(err)).Inc()
	limited, retryAfter := x.noted()
	e.record(trial, endingOf(ctx, err, limited), err, retryAfter)
	if errors.Is(err, evidence.ErrContradiction) {
		e.distrust(err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	return nil
}

func (e *endpoint) resting() *restError {
	until, limited, _ := e.breaker.rest(time.Now())
	return &restError{endpoint: e.name, until: until, limited: limited}
}

func endingOf(ctx context.Context, err error, limited bool) ending {
	switch {
	case limited:
		return throttled
	case err == nil || !failed(err):
		return answered
	case ctx.Err() != nil:
		return abandoned
	}
	if class, _ := classifyTransport(err); class == txpool.Throttled {
		return throttled
	}
	return failing
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ethereum.NotFound):
		return "not_found"
	case errors.Is(err, evidence.ErrContradiction):
		return "contradiction"
	case failed(err):
		return "failed"
	}
	return "refused"
}

// failed reports whether the endpoint failed to answer, as opposed to an unwelcome answer.
func failed(err error) bool {
	var revert *evidence.RevertError
	if errors.As(err, &revert) || errors.Is(err, ethereum.NotFound) || errors.Is(err, errBehind) ||
		errors.Is(err, errNotLearnt) || errors.Is(err, evidence.ErrContradiction) {
		return false
	}
	if class, ok := classifyTransport(err); ok {
		return class == txpool.Timeout || class == txpool.NodeDown || class == txpool.Throttled
	}
	var coded rpc.Error
	return !errors.As(err, &coded)
}

func (e *endpoint) record(trial bool, end ending, err error, retryAfter time.Duration) {
	rest, first, back := e.breaker.done(trial, end, time.Now(), retryAfter, rand.Float64())
	switch {
	case back:
		e.log.Info("the chain's endpoint answers again; using it")
	case first:
		e.log.Warn("the chain's endpoint fails; leaving it alone for a while, longer each time until it answers", "err", err, "rest", rest)
	}
	if rest > 0 {
		e.metrics.up.WithLabelValues(e.name).Set(0)
	} else if end == answered {
		e.metrics.up.WithLabelValues(e.name).Set(1)
	}
}

func (e *endpoint) distrust(why error) {
	e.metrics.contradictions.WithLabelValues(e.name).Inc()
	e.newest.Store(0)
	switch length, loud := e.trust.contradicted(time.Now()); {
	case loud && length == 0:
		e.log.Warn("the chain's endpoint contradicts what was verified; dropping its answer and asking again", "err", why)
	case loud:
		e.log.Error("the chain's endpoint contradicts what was verified; setting it aside, and using it again by itself after that time",
			"err", why, "for", length)
	}
}

// call sends one request; a null response is ethereum.NotFound.
func (e *endpoint) call(ctx context.Context, result any, method string, args ...any) error {
	el := elem(method, args...)
	if err := e.single(ctx, &el); err != nil {
		return err
	}
	return answer(el, result)
}

// evm is call with a *evidence.RevertError if the EVM refused the request.
func (e *endpoint) evm(ctx context.Context, result any, method string, args ...any) error {
	err := e.call(ctx, result, method, args...)
	if revert := asRevert(err); revert != nil {
		return revert
	}
	return err
}

func (e *endpoint) at(hash common.Hash) any {
	if e.plainHash.Load() {
		return hash
	}
	return rpc.BlockNumberOrHashWithHash(hash, false)
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
