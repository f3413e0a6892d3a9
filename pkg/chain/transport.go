package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

const maxAnswerBytes = 128 << 20

// exchange notes throttling. It travels in the context, since the RPC client hides response headers.
type exchange struct {
	mu         sync.Mutex
	limited    bool
	retryAfter time.Duration
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	if x == nil {
		return &exchange{}
	}
	return x
}

func (x *exchange) throttled(retryAfter time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.limited, x.retryAfter = true, max(x.retryAfter, retryAfter)
}

func (x *exchange) heard(elems ...rpc.BatchElem) {
	for _, elem := range elems {
		if rateLimited(elem.Method, elem.Error) {
			x.throttled(0)
		}
	}
}

func (x *exchange) noted() (limited bool, retryAfter time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.limited, x.retryAfter
}

// bounded limits response bodies to maxAnswerBytes and records Retry-After. It turns a 400 or 413 with a JSON-RPC
// body into a 200, since providers report their limits so.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswerBytes)
	wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && wait > 0 {
		exchangeOf(r.Context()).throttled(wait)
	}
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusRequestEntityTooLarge {
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.Body = io.NopCloser(bytes.NewReader(body)); err == nil && isJSONRPC(body) {
			resp.StatusCode = http.StatusOK
		}
	}
	return resp, nil
}

// isJSONRPC reports whether a body is a JSON-RPC response or batch. A proxy's page may be other JSON.
func isJSONRPC(body []byte) bool {
	var first struct {
		Version string `json:"jsonrpc"`
	}
	return json.NewDecoder(bytes.NewReader(bytes.TrimLeft(body, "[ \t\r\n"))).Decode(&first) == nil && first.Version == "2.0"
}

// retryAfter parses a Retry-After header: seconds or a date. It returns 0 for invalid or past values, and at most
// retryAfterMost.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, retryAfterMost.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), retryAfterMost)
	}
	return 0
}
