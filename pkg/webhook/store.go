package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// KV buckets, created by package stream.
const (
	Bucket       = "WEBHOOKS"      // endpoints, written by operators; the relayer disables them
	StatesBucket = "WEBHOOKSTATES" // their states, written by the delivering relayer
)

const (
	callTimeout = 15 * time.Second // with a retry of a lost reply
)

var (
	ErrNotFound = errors.New("there is no such endpoint")
	ErrTooMany  = fmt.Errorf("there are %d endpoints already", MaxEndpoints)
)

// Store is safe for concurrent use, also across processes. If an id is unknown, its methods return ErrNotFound.
type Store struct {
	endpoints kv.Map[record]
	states    kv.Map[State]
}

func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	endpoints, err := kv.OpenMap[record](ctx, js, Bucket, "*", "an endpoint")
	if err != nil {
		return nil, err
	}
	states, err := kv.OpenMap[State](ctx, js, StatesBucket, "*", "the state of an endpoint")
	return &Store{endpoints, states}, err
}

// Add creates an endpoint from e's Project, URL, Types and Batch, with its cursor at from. Only Add returns the
// secret. Errors: ErrEndpoint, ErrTooMany, or the server's, after which the endpoint may exist.
func (s *Store) Add(ctx context.Context, e Endpoint, from Move) (Endpoint, Secret, error) {
	if err := e.check(); err != nil {
		return e, "", err
	}
	e.ID, e.Created = strings.ToLower(rand.Text()[:12]), time.Now().UTC().Truncate(time.Second)
	from.N = 1
	r := record{Endpoint: e, Secret: newSecret(), Move: from}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := s.endpoints.Add(ctx, e.ID, r, MaxEndpoints)
	if errors.Is(err, kv.ErrFull) {
		err = ErrTooMany
	}
	return e, r.Secret, err
}

// List returns all endpoints, oldest first.
func (s *Store) List(ctx context.Context) (endpoints []Endpoint, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.endpoints.Each(ctx, func(e kv.Entry[record], err error) error {
		endpoints = append(endpoints, e.Document.Endpoint)
		return cmp.Or(err, e.Document.check(e.Key))
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't list the endpoints: %w", err)
	}
	slices.SortFunc(endpoints, func(a, b Endpoint) int { return a.Created.Compare(b.Created) })
	return endpoints, nil
}

// Get returns an endpoint and its state, which is zero until a relayer has delivered.
func (s *Store) Get(ctx context.Context, id string) (Endpoint, State, error) {
	if !isID(id) {
		return Endpoint{}, State{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	r, err := s.endpoints.Get(ctx, id)
	switch {
	case err != nil:
		return Endpoint{}, State{}, err
	case r.Revision == 0:
		return Endpoint{}, State{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err := r.Document.check(id); err != nil {
		return Endpoint{}, State{}, err
	}
	state, err := s.states.Get(ctx, id)
	return r.Document.Endpoint, state.Document, err
}

// Remove also removes an endpoint whose record or state is invalid. After it, a POST in progress may still arrive.
func (s *Store) Remove(ctx context.Context, id string) error {
	if !isID(id) {
		return fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	switch r, err := s.endpoints.Get(ctx, id); {
	case err != nil && !errors.Is(err, kv.ErrInvalid):
		return err
	case r.Revision == 0:
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return errors.Join(s.endpoints.Remove(ctx, id), s.states.Remove(ctx, id))
}

// Disable stops delivery to an endpoint and keeps its cursor.
func (s *Store) Disable(ctx context.Context, id, why string) error {
	return s.disable(ctx, id, Disabled{Why: why})
}

func (s *Store) disable(ctx context.Context, id string, d Disabled) error {
	d.Since = time.Now().UTC().Truncate(time.Second)
	return s.change(ctx, id, func(r *record) { r.Disabled = &d })
}

// Enable resumes delivery at the cursor and forgives earlier failures.
func (s *Store) Enable(ctx context.Context, id string) error {
	now := time.Now().UTC() // the same in each try, by which Update knows its own write
	return s.change(ctx, id, func(r *record) { r.Disabled, r.Enabled = nil, now })
}

// Rotate replaces an endpoint's secret. The previous one also signs for keep, older ones until their own end, so that
// a rotation can be repeated if its secret is lost. If keep ≤ 0, only the new secret signs.
func (s *Store) Rotate(ctx context.Context, id string, keep time.Duration) (secret Secret, err error) {
	secret = newSecret()
	until := time.Now().UTC().Add(keep).Truncate(time.Second)
	return secret, s.change(ctx, id, func(r *record) {
		if r.Secret != secret { // else an earlier try was stored
			r.Older = append([]older{{r.Secret, until}}, r.Older...)
			if r.Older = r.Older[:min(len(r.Older), maxOlder)]; keep <= 0 {
				r.Older = nil
			}
			r.Secret, r.Rotating = secret, &until
		}
	})
}

// Move requests that an endpoint's cursor be set, even while the endpoint is disabled. n numbers the request: once
// State.Moved ≥ n, the relayer has done it. Repeated events keep their ids.
func (s *Store) Move(ctx context.Context, id string, to Move) (n uint64, err error) {
	err = s.change(ctx, id, func(r *record) {
		to.N = r.Move.N + 1
		n, r.Move = to.N, to
	})
	return n, err
}

// Test requests one POST of type webhook.test, even while the endpoint is disabled. n numbers the request: once
// State.Tested ≥ n, the POST was attempted, and State has the attempt.
func (s *Store) Test(ctx context.Context, id string) (n uint64, err error) {
	err = s.change(ctx, id, func(r *record) {
		r.Test++
		n = r.Test
	})
	return n, err
}

// Resend requests one POST of an event, even if the endpoint is disabled or did not ask for its type. n numbers the
// request: once State.Resent ≥ n, State has the attempt, unless a later Resend replaced it. For an invalid event id,
// it returns event.ErrNoEvent.
func (s *Store) Resend(ctx context.Context, id, of string) (n uint64, err error) {
	if of == "" || len(of) > event.MaxID {
		return 0, event.ErrNoEvent
	}
	err = s.change(ctx, id, func(r *record) {
		n = r.Resend.N + 1
		r.Resend = Resend{n, of}
	})
	return n, err
}

func (s *Store) change(ctx context.Context, id string, change func(*record)) error {
	if !isID(id) {
		return fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := s.endpoints.Update(ctx, id, func(r *record) error {
		if r.ID == "" {
			return fmt.Errorf("%w: %s", ErrNotFound, id)
		}
		change(r)
		return r.check(id)
	})
	return err
}

func isID(text string) bool {
	return len(text) == 12 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
