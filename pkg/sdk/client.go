package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	requestTimeout = 15 * time.Second // the API itself answers 503 before that
	defaultWait    = time.Second      // before a request is sent again, where the answer does not say
	maxAnswer      = 1 << 20          // bytes read of an answer
)

// Client speaks to the HTTP API. Its methods send one request each and may be called from many goroutines; see Retry
// for what to do with their errors.
type Client struct {
	url, key string
	http     *http.Client
	expected *wallet.Domain // nil: any
}

// ErrDomain says that the API told of another domain than expected, or of one that this package does not know. Nothing
// should be signed for it.
var ErrDomain = errors.New("the API's domain cannot be signed for")

// NewClient speaks to the API at url (such as https://scorelay.example.com) with an API key. It uses the given HTTP
// client, or one of its own, with a timeout of 15 s, if that is nil.
func NewClient(url, apiKey string, client *http.Client) *Client {
	if client == nil {
		client = &http.Client{Timeout: requestTimeout}
	}
	return &Client{url: strings.TrimSuffix(url, "/"), key: apiKey, http: client}
}

// Expecting is the same client, but its Project refuses, with an ErrDomain, what is of another domain, or of none. A
// backend should give it the chain and contract of its own configuration: whoever controls the API could otherwise have it
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
		if !errors.As(err, &refused) || refused.RetryAfter == 0 {
			return err
		}
		timer := time.NewTimer(refused.RetryAfter)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// Status is how far an accepted update or creation has come.
type Status struct {
	Stage   string       `json:"status"`          // accepted, batched, submitted, included, final
	Outcome string       `json:"outcome"`         // once final: applied, duplicate, or why it was rejected
	Tx      *common.Hash `json:"transactionHash"` // nil when none is known
	Block   uint64       `json:"blockNumber"`     // 0 when none is known
}

// ProjectState is a project, and how far its creation has come.
type ProjectState struct {
	Status
	Project    score.ProjectID  `json:"projectId"`
	Name       string           `json:"name"`
	Actions    []score.Action   `json:"inputActions"` // by index
	ScoreTypes []string         `json:"scoreTypes"`   // by index
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	SignedOnly bool             `json:"signedOnly"` // takes signed groups only
	Domain     wallet.Domain    `json:"signing"`    // for Group.Sign, if the API is to be trusted: see Client.Expecting
}

// ActionIndex finds the newest action of that name, for Update.Action. An index never changes its meaning.
func (p *ProjectState) ActionIndex(name string) (uint8, bool) {
	return (&score.Record{Actions: p.Actions}).ActionIndex(name)
}

// ScoreTypeIndex finds the score type of that name, for Update.ScoreType. An index never changes its meaning.
func (p *ProjectState) ScoreTypeIndex(name string) (uint8, bool) {
	return (&score.Record{ScoreTypes: p.ScoreTypes}).ScoreTypeIndex(name)
}

// CreateProject sends a creation. Without score types the project gets the deployment's default. A code project_exists
// after a request that got no answer may mean that request: look at Project.
func (c *Client) CreateProject(ctx context.Context, p *score.Project) error {
	body := struct {
		Project    score.ProjectID  `json:"projectId"`
		Name       string           `json:"name"`
		Actions    []score.Action   `json:"inputActions"`
		Owners     []common.Address `json:"owners"`
		Updaters   []common.Address `json:"updaters"` // required, but may be empty
		ScoreTypes []string         `json:"scoreTypes,omitempty"`
		SignedOnly bool             `json:"signedOnly,omitzero"`
	}{p.ID, p.Name, p.Actions, p.Owners, append([]common.Address{}, p.Updaters...), p.ScoreTypes, p.SignedOnly}
	return c.do(ctx, http.MethodPost, "/create-project", body, nil)
}

// NamedUpdate is an update of POST /update-score, which takes names.
type NamedUpdate struct {
	ID        score.UpdateID  `json:"updateId"`
	Project   score.ProjectID `json:"projectId"`
	Action    string          `json:"actionName"`
	ScoreType string          `json:"scoreType"`
	Target    common.Address  `json:"targetWallet"`
}

// UpdateScore sends one update under a signature of the current time. It tells whether the update's id was used before;
// then nothing was stored. Projects that take only signed groups refuse it (code signed_only).
func (c *Client) UpdateScore(ctx context.Context, u NamedUpdate, sign Signer) (duplicate bool, err error) {
	message := strconv.FormatInt(time.Now().UnixMilli(), 10)
	signature, err := sign.signature(ctx, wallet.PersonalDigest(message))
	if err != nil {
		return false, err
	}
	var out struct {
		Status string `json:"status"`
	}
	err = c.do(ctx, http.MethodPost, "/update-score", struct {
		NamedUpdate
		Message   string        `json:"message"`
		Signature hexutil.Bytes `json:"signature"`
	}{u, message, signature[:]}, &out)
	return out.Status == "duplicate", err
}

// UpdateScores sends a signed group. Its updates are stored together or not at all; those returned were duplicates,
// whose ids were used before.
func (c *Client) UpdateScores(ctx context.Context, g *SignedGroup) (duplicates []score.UpdateID, err error) {
	var out struct {
		Duplicates []score.UpdateID `json:"duplicates"`
	}
	err = c.do(ctx, http.MethodPost, "/update-scores", g, &out)
	return out.Duplicates, err
}

// ReserveIDs asks for n ids (1 … MaxRange) that nobody else will get. A Minter makes the same without a request.
func (c *Client) ReserveIDs(ctx context.Context, project score.ProjectID, n int) (IDRange, error) {
	var out struct {
		First score.UpdateID `json:"first"`
		Count int            `json:"count"`
	}
	err := c.do(ctx, http.MethodPost, "/reserve-ids", struct {
		Project score.ProjectID `json:"projectId"`
		Count   int             `json:"count"`
	}{project, n}, &out)
	return IDRange{out.First, out.Count}, err
}

// Project asks for a project. An ErrDomain is final: see Expecting.
func (c *Client) Project(ctx context.Context, project score.ProjectID) (*ProjectState, error) {
	var out struct {
		ProjectState
		Signing json.RawMessage `json:"signing"` // in place of ProjectState's: an error in it is not one of the connection
	}
	if err := c.do(ctx, http.MethodGet, "/projects/"+project.String(), nil, &out); err != nil {
		return nil, err
	}
	if out.Signing != nil {
		if err := json.Unmarshal(out.Signing, &out.Domain); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDomain, err)
		}
	}
	if c.expected != nil && out.Domain != *c.expected {
		return nil, fmt.Errorf("%w: it is that of %s; expected %s", ErrDomain, out.Domain, *c.expected)
	}
	return &out.ProjectState, nil
}

// Update asks how far an update has come. One that was never accepted has the code update_not_found.
func (c *Client) Update(ctx context.Context, project score.ProjectID, id score.UpdateID) (*Status, error) {
	var out Status
	if err := c.do(ctx, http.MethodGet, "/projects/"+project.String()+"/updates/"+id.String(), nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
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

func refusal(resp *http.Response, raw []byte) *Error {
	var problem struct {
		Code   string       `json:"code"`
		Detail string       `json:"detail"`
		Errors []FieldError `json:"errors"`
	}
	_ = json.Unmarshal(raw, &problem) // of a proxy's page there is only the status
	e := &Error{Status: resp.StatusCode, Code: problem.Code, Detail: problem.Detail, Fields: problem.Errors}
	if e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests || e.Status >= 500 {
		e.RetryAfter = defaultWait
		if seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 16); err == nil && seconds > 0 {
			e.RetryAfter = time.Duration(seconds) * time.Second
		}
	}
	return e
}
