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

// Bounds of endpoints.
const (
	MaxEndpoints = 200 // of a deployment: each has a goroutine, and metrics of its own
	MaxBatch     = 500 // events of one POST, which is some 300 kB

	maxURLBytes  = 2048
	maxOlder     = 3 // secrets that sign beside the newest
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// ErrEndpoint says that an endpoint cannot be like that; the text says why.
var ErrEndpoint = errors.New("a webhook's endpoint cannot be like that")

// Secret signs what an endpoint is sent: whsec_ and base64. It prints as its prefix.
type Secret string

// Reveal returns the whole text.
func (s Secret) Reveal() string { return string(s) }

// String hides it.
func (s Secret) String() string { return secretPrefix + "…" }

// LogValue hides it.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

func newSecret() Secret {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails
	return Secret(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// key is what signs.
func (s Secret) key() ([]byte, error) {
	text, ok := strings.CutPrefix(string(s), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("a webhook's secret is whsec_ and base64 of 24 to 64 bytes")
	}
	return key, nil
}

// Endpoint is one receiver of a project's events, without its secrets.
type Endpoint struct {
	ID       string          `json:"id"`
	Project  score.ProjectID `json:"projectId"`
	URL      string          `json:"url"`
	Types    []event.Type    `json:"types,omitempty"` // that it is sent beside event.ChainRewound; none stands for all
	Batch    int             `json:"batch"`           // events in one POST at most: 1, each is a POST of its own; more, each POST has a list of them
	Created  time.Time       `json:"created"`
	Disabled *Disabled       `json:"disabled,omitempty"` // nil: it is sent events
	Rotating *time.Time      `json:"rotating,omitempty"` // until when the secret of before the newest rotation signs, too
}

// Disabled says since when an endpoint is sent nothing.
type Disabled struct {
	Since time.Time `json:"since"`
	Why   string    `json:"why"`
	Fails bool      `json:"fails"` // because of what it answered; else an operator said so
}

// record is what is stored of an endpoint.
type record struct {
	Endpoint
	Secret  Secret    `json:"secret"`
	Older   []older   `json:"older,omitempty"`  // secrets of before rotations, the newest first
	Move    Move      `json:"move"`             // the newest; the first says where it begins
	Enabled time.Time `json:"enabled,omitzero"` // the newest time that an operator enabled it: what failed before does not count
	Test    uint64    `json:"test,omitempty"`   // counts the tests that were asked for
	Resend  Resend    `json:"resend,omitzero"`  // the newest
}

// older is a secret that was replaced, and signs for a while.
type older struct {
	Secret Secret    `json:"secret"`
	Until  time.Time `json:"until"`
}

// Move has an endpoint continue elsewhere, once: after From, or, where that is nil, with what was done in blocks from Time on.
type Move struct {
	N    uint64        `json:"n"` // counts up
	From *event.Cursor `json:"from,omitempty"`
	Time time.Time     `json:"time,omitzero"`
}

// Resend has one event be sent once more, beside those that come in order.
type Resend struct {
	N     uint64 `json:"n"` // counts up
	Event string `json:"event"`
}

// check returns ErrEndpoint, and writes the URL's scheme in lower case.
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

// wants reports whether the endpoint is sent events of a type. What voids others is sent to all.
func (e *Endpoint) wants(t event.Type) bool {
	return len(e.Types) == 0 || t == event.ChainRewound || slices.Contains(e.Types, t)
}

// keys sign now, the newest first.
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
