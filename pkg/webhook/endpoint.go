package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	MaxEndpoints = 200 // per deployment: each has its own goroutine and metrics
	MaxBatch     = 500 // events per POST, some 300 kB

	maxURLBytes  = 2048
	maxOlder     = 3 // older secrets that also sign
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// ErrEndpoint: an endpoint's fields are invalid; the text has the reason.
var ErrEndpoint = errors.New("a webhook's endpoint cannot be like that")

// Secret signs an endpoint's messages: whsec_ and base64. It prints as its prefix.
type Secret string

func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string { return secretPrefix + "…" }

func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

func newSecret() Secret {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails
	return Secret(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

func (s Secret) key() ([]byte, error) {
	text, ok := strings.CutPrefix(string(s), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("a webhook's secret is whsec_ and base64 of 24 to 64 bytes")
	}
	return key, nil
}

// Endpoint is one receiver of a project's events.
type Endpoint struct {
	ID       string          `json:"id"`
	Project  score.ProjectID `json:"projectId"`
	URL      string          `json:"url"`
	Types    []event.Type    `json:"types,omitempty"` // sent besides event.ChainRewound; empty: all
	Batch    int             `json:"batch"`           // maximum events per POST; 1: a single event, more: a list
	Created  time.Time       `json:"created"`
	Disabled *Disabled       `json:"disabled,omitempty"` // nil: enabled
	Rotating *time.Time      `json:"rotating,omitempty"` // until when the previous secret also signs
}

type Disabled struct {
	Since time.Time `json:"since"`
	Why   string    `json:"why"`
	Fails bool      `json:"fails"` // because of its responses; false: by an operator
}

type record struct {
	Endpoint
	Secret  Secret    `json:"secret"`
	Older   []older   `json:"older,omitempty"`  // secrets before rotations, newest first
	Move    Move      `json:"move"`             // the newest Move; the first one sets the endpoint's start
	Enabled time.Time `json:"enabled,omitzero"` // when an operator last enabled it
	Test    uint64    `json:"test,omitempty"`   // number of tests requested
	Resend  Resend    `json:"resend,omitzero"`  // the newest
}

// check rejects a record that is stored under the id of another endpoint.
func (r *record) check(id string) error {
	if r.ID != id {
		return fmt.Errorf("the record of endpoint %s is of %q", id, r.ID)
	}
	return nil
}

type older struct {
	Secret Secret    `json:"secret"`
	Until  time.Time `json:"until"`
}

// Move sets an endpoint's cursor once: to From or, if that is nil, before the first event in blocks from Time on.
type Move struct {
	N    uint64        `json:"n"` // increases
	From *event.Cursor `json:"from,omitempty"`
	Time time.Time     `json:"time,omitzero"`
}

// Resend requests an event once more, out of order.
type Resend struct {
	N     uint64 `json:"n"` // increases
	Event string `json:"event"`
}

// check returns ErrEndpoint for invalid fields, and lowercases the URL's scheme.
func (e *Endpoint) check() error {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || len(e.URL) > maxURLBytes || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%w: its URL must begin with https:// (http:// only for networks that SCORELAY_WEBHOOK_ALLOW names) and be at most %d bytes", ErrEndpoint, maxURLBytes)
	case u.User != nil || u.Fragment != "":
		return fmt.Errorf("%w: its URL must have no user, password or fragment", ErrEndpoint)
	case e.Batch < 1 || e.Batch > MaxBatch:
		return fmt.Errorf("%w: a POST has 1 to %d events", ErrEndpoint, MaxBatch)
	}
	for _, t := range e.Types {
		if !slices.Contains(event.Types(), t) {
			return fmt.Errorf("%w: there are no events of type %q", ErrEndpoint, t)
		}
	}
	e.URL = u.Scheme + e.URL[len(u.Scheme):]
	return nil
}

func (e *Endpoint) wants(t event.Type) bool {
	return len(e.Types) == 0 || t == event.ChainRewound || slices.Contains(e.Types, t)
}

func (r *record) keys(now time.Time) ([][]byte, error) {
	secrets := []Secret{r.Secret}
	for _, o := range r.Older {
		if now.Before(o.Until) {
			secrets = append(secrets, o.Secret)
		}
	}
	keys := make([][]byte, len(secrets))
	for i, s := range secrets {
		key, err := s.key()
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	return keys, nil
}
