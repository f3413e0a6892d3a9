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
	requestTimeout = 15 * time.Second // the API itself answers 503 before that
	idleConns      = 256              // kept open to the API; http.DefaultTransport keeps 2
	defaultWait    = time.Second      // before a request is sent again, where the answer does not say
	maxAnswer      = 1 << 20          // bytes read of an answer; the largest, 500 wallets with 64 scores each, is three quarters of that
)

// Client speaks to the HTTP API. Its methods send one request each and may be called from many goroutines; see Retry
// for what to do with their errors.
type Client struct {
	url, key string
	http     *http.Client
	expected *wallet.Domain // nil: any
}

// ErrDomain says that the API reported another domain than expected, or one that this package does not know. Nothing
// should be signed for it.
var ErrDomain = errors.New("the API's domain cannot be signed for")

// NewClient speaks to the API at url (such as https://scorelay.example.com) with an API key. It uses the given HTTP
// client or, if that is nil, one of its own; with a timeout of 15 s, unless it has another. Redirects are errors, unless the given client's CheckRedirect says otherwise.
func NewClient(url, apiKey string, client *http.Client) *Client {
	if client == nil {
		client = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: idleConns, IdleConnTimeout: time.Minute,
		}}
	}
	own := *client
	own.Timeout = cmp.Or(own.Timeout, requestTimeout)
	if own.CheckRedirect == nil { // the API has none, and a proxy's login page elsewhere would be sent the key
		own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &Client{url: strings.TrimSuffix(url, "/"), key: apiKey, http: &own}
}

// Expecting is the same client, but its Project refuses, with an ErrDomain, what is of another domain, or of none. A
// backend should give it the chain and contract of its own configuration: an attacker who controls the API could otherwise have it
// sign for another deployment.
func (c *Client) Expecting(domain wallet.Domain) *Client {
	expecting := *c
	expecting.expected = &domain
	return &expecting
}

// Error says that a request did not end with a 200.
type Error struct {
	Status     int           // of the answer; 0 if there was none
	Code       string        // of the problem document; empty if the answer had none
	Detail     string        // for people
	Fields     []FieldError  // what is wrong with which field of the body
	RetryAfter time.Duration // when to send the same request again; 0: never, it would be refused again
	RequestID  string        // by which the operator finds the request in the API's log; empty if the answer had none
	Same       bool          // of project_exists: what was accepted under the id is what was sent

	cause error
}

// FieldError says what is wrong with one field of a request; Pointer is a JSON pointer (RFC 6901) into its body.
type FieldError struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	Code    string `json:"code"`
}

// Error is the answer in one line.
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

// Unwrap is why there was no answer, nil if there was one.
func (e *Error) Unwrap() error { return e.cause }

// Retry repeats a call until it succeeds, its error is not one to retry, or ctx ends, and returns its last error. What
// got no answer, a 408, a 429 or a 5xx is sent again, under the same ids, after as long as the API asks for.
func Retry(ctx context.Context, call func() error) error {
	for {
		err := call()
		var refused *Error
		if !errors.As(err, &refused) || refused.RetryAfter == 0 || retry.Sleep(ctx, refused.RetryAfter) != nil {
			return err
		}
	}
}

// do sends one request and reads a 200's body into out, which may be nil. What the API did not take is an *Error.
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
		return &Error{RetryAfter: defaultWait, cause: err} // a proxy's page, or half an answer
	}
	return nil
}

// problem is a problem document.
type problem struct {
	Status    int          `json:"status"`
	Code      string       `json:"code"`
	Detail    string       `json:"detail"`
	Errors    []FieldError `json:"errors"`
	RequestID string       `json:"requestId"`
	Same      bool         `json:"same"`
}

// refusal is the problem as an error; after is what the API asks for, 0 if nothing.
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
		_ = json.Unmarshal(raw, &p) // of a proxy's answer there is only the status
	}
	seconds, _ := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 16)
	return p.refusal(resp.StatusCode, time.Duration(seconds)*time.Second)
}
