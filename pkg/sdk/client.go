package sdk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	requestTimeout = 15 * time.Second // longer than the API's own timeouts
	idleConns      = 256              // to the API; http.DefaultTransport keeps 2
	defaultWait    = time.Second      // before a retry, if the response lacks Retry-After
	// bytes of a response; 500 wallets with 64 scores each take three quarters of that
	maxAnswer = 1 << 20
)

// Client calls the HTTP API. It is safe for concurrent use. Except for UntilFinal, EditFinal and Events, each method
// sends a single request.
type Client struct {
	url, key string
	http     *http.Client
	expected *wallet.Domain // nil: any
}

// ErrDomain reports that the API's domain is missing, unreadable, or other than the expected one.
var ErrDomain = errors.New("the API's domain cannot be signed for")

// NewClient returns a client of the API at url (such as https://scorelay.example.com). It uses a copy of the given
// HTTP client, or its own if nil. Unless set, Timeout becomes 15 s, and redirects become errors.
func NewClient(url, apiKey string, client *http.Client) *Client {
	if client == nil {
		client = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: idleConns, IdleConnTimeout: time.Minute,
		}}
	}
	own := *client
	own.Timeout = cmp.Or(own.Timeout, requestTimeout)
	// The API never redirects. A proxy may, to a login page on another host, which would receive the API key.
	if own.CheckRedirect == nil {
		own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &Client{url: strings.TrimSuffix(url, "/"), key: apiKey, http: &own}
}

// Expecting returns a copy in which Project and NextEdit fail with ErrDomain if the API reports another domain, or
// none. Take the domain from the backend's configuration, since otherwise an attacker who controls the API can make
// the backend sign for another deployment.
func (c *Client) Expecting(domain wallet.Domain) *Client {
	expecting := *c
	expecting.expected = &domain
	return &expecting
}

// Error is the error of a request without a readable 200 response.
type Error struct {
	Status     int    // of the response; 0: missing or unreadable
	Code       string // of the problem document; empty without one
	Detail     string // human-readable
	Fields     []FieldError
	RetryAfter time.Duration // delay before a retry; 0: a retry would fail again
	RequestID  string        // in the API's log
	Same       bool          // with project_exists: the accepted creation equals this one

	cause error
}

// FieldError is an error in one field. Pointer is a JSON pointer (RFC 6901) into the request's body.
type FieldError struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	Code    string `json:"code"`
}

func (e *Error) Error() string {
	if e.cause != nil {
		return "no answer from the API: " + e.cause.Error()
	}
	text := fmt.Sprintf("the API answered %d %s", e.Status, e.Code)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	for _, f := range e.Fields {
		text += "; " + f.Pointer + " " + f.Detail
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

func (e *Error) Unwrap() error { return e.cause }

// Retry repeats a call until it succeeds, its error is permanent, or ctx ends, and returns its last error. It retries
// after a missing or unreadable response, 408, 429 and 5xx, with the delay that the API asks for.
func Retry(ctx context.Context, call func() error) error {
	for {
		err := call()
		var refused *Error
		if !errors.As(err, &refused) || refused.RetryAfter == 0 || retry.Sleep(ctx, refused.RetryAfter) != nil {
			return err
		}
	}
}

// do sends a request and decodes the body of a 200 into out, unless out is nil. A failed request is an *Error; other
// errors are permanent.
func (c *Client) do(ctx context.Context, method, path string, body, out any) error {
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("couldn't write the request: %w", err)
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, payload)
	if err != nil {
		return fmt.Errorf("couldn't make the request: %w", err)
	}
	if req.URL.Host == "" || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return fmt.Errorf("the API's URL must be like https://scorelay.example.com, not %q", c.url)
	}
	req.Header.Set("X-API-KEY", c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return &Error{RetryAfter: defaultWait, cause: err}
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return &Error{RetryAfter: defaultWait, cause: err}
	}
	if resp.StatusCode != http.StatusOK {
		return refusal(resp, raw)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return &Error{RetryAfter: defaultWait, cause: err} // a proxy's page, or a truncated response
	}
	return nil
}

type problem struct {
	Status    int          `json:"status"`
	Code      string       `json:"code"`
	Detail    string       `json:"detail"`
	Errors    []FieldError `json:"errors"`
	RequestID string       `json:"requestId"`
	Same      bool         `json:"same"`
}

// refusal converts the problem to an error; after is the Retry-After, or 0.
func (p *problem) refusal(status int, after time.Duration) *Error {
	e := &Error{Status: status, Code: p.Code, Detail: p.Detail, Fields: p.Errors, RequestID: p.RequestID, Same: p.Same}
	if e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests || e.Status >= 500 {
		e.RetryAfter = cmp.Or(after, defaultWait)
	}
	return e
}

func refusal(resp *http.Response, raw []byte) *Error {
	var p problem
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media == "application/problem+json" {
		_ = json.Unmarshal(raw, &p) // a proxy's response has only a status
	}
	seconds, _ := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 16)
	return p.refusal(resp.StatusCode, time.Duration(seconds)*time.Second)
}
