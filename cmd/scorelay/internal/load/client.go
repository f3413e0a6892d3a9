package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// attemptTimeout bounds one HTTP request; the API itself answers 503 long before.
const attemptTimeout = 15 * time.Second

// maxAnswer bounds what is read of an answer, bytes.
const maxAnswer = 1 << 20

// Client speaks to one API, or to several replicas in turn. It is safe for concurrent use.
type Client struct {
	Domain wallet.Domain // of the deployment's contract, under which groups are signed; set before use

	bases []string
	key   string
	http  *http.Client
	next  atomic.Uint64
}

// NewClient makes a client that keeps up to connections connections open to each of bases (such as
// http://127.0.0.1:8080).
func NewClient(apiKey string, connections int, bases ...string) *Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &Client{
		bases: bases, key: apiKey,
		http: &http.Client{
			Timeout: attemptTimeout,
			Transport: &http.Transport{
				DialContext: dialer.DialContext, MaxIdleConnsPerHost: connections, MaxIdleConns: 0,
				IdleConnTimeout: time.Minute,
			},
		},
	}
}

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// APIError is an answer other than 200.
type APIError struct {
	Status     int
	Code       string        // of the problem document; empty if it was none
	Detail     string        // of the problem document
	RetryAfter time.Duration // 0 without that header
}

// Error is the answer in one line.
func (e *APIError) Error() string {
	return fmt.Sprintf("the API answered %d %s: %s", e.Status, e.Code, e.Detail)
}

// Temporary tells whether the same request may succeed later.
func (e *APIError) Temporary() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500
}

// Do sends one request and decodes a 200's body into out, which may be nil. Other answers are an *APIError.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("couldn't encode the request: %w", err)
		}
		payload = bytes.NewReader(raw)
	}
	base := c.bases[c.next.Add(1)%uint64(len(c.bases))]
	req, err := http.NewRequestWithContext(ctx, method, base+path, payload)
	if err != nil {
		return fmt.Errorf("couldn't make the request: %w", err)
	}
	req.Header.Set("X-API-KEY", c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("couldn't reach the API: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("couldn't read the API's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return apiError(resp, raw)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("couldn't read the API's answer: %w", err)
	}
	return nil
}

func apiError(resp *http.Response, raw []byte) *APIError {
	var problem struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(raw, &problem) // a proxy's page instead of a problem document leaves both empty
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return &APIError{resp.StatusCode, problem.Code, problem.Detail, time.Duration(seconds) * time.Second}
}

// Action is an action of a create-project body.
type Action struct {
	Name      string `json:"name"`
	Points    uint32 `json:"points"`
	Direction uint8  `json:"direction"`
}

// Project is a create-project body.
type Project struct {
	ID         score.ProjectID  `json:"projectId"`
	Name       string           `json:"name"`
	Actions    []Action         `json:"inputActions"`
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	ScoreTypes []string         `json:"scoreTypes,omitempty"`
	SignedOnly bool             `json:"signedOnly,omitempty"`
}

// CreateProject sends a creation until it is accepted, the API refuses it, or ctx ends.
func (c *Client) CreateProject(ctx context.Context, p *Project) error {
	_, err := retry(ctx, func(ctx context.Context) error {
		return c.Do(ctx, http.MethodPost, "/create-project", p, nil)
	})
	return err
}

// Status is what the API tells of a project or an update.
type Status struct {
	Status  string `json:"status"`
	Outcome string `json:"outcome"`
}

// ProjectStatus asks how far a creation is.
func (c *Client) ProjectStatus(ctx context.Context, id score.ProjectID) (Status, error) {
	var s Status
	err := c.Do(ctx, http.MethodGet, "/projects/"+id.String(), nil, &s)
	return s, err
}

// UpdateStatus asks how far an update is.
func (c *Client) UpdateStatus(ctx context.Context, project score.ProjectID, id score.UpdateID) (Status, error) {
	var s Status
	err := c.Do(ctx, http.MethodGet, "/projects/"+project.String()+"/updates/"+id.String(), nil, &s)
	return s, err
}

// retry repeats call while it fails in a way that may pass: no connection, no answer, 429, 5xx. It returns how often
// it repeated.
func retry(ctx context.Context, call func(context.Context) error) (retries int, err error) {
	const first, most = 20 * time.Millisecond, time.Second
	for wait := first; ; wait = min(2*wait, most) {
		err := call(ctx)
		var refused *APIError
		isAPI := errors.As(err, &refused)
		if err == nil || isAPI && !refused.Temporary() || ctx.Err() != nil {
			return retries, err
		}
		pause := wait
		if isAPI && refused.Status == http.StatusTooManyRequests {
			pause = max(wait, refused.RetryAfter)
		}
		select {
		case <-ctx.Done():
			return retries, err
		case <-time.After(pause):
			retries++
		}
	}
}
