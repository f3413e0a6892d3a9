package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/watched"
)

// KV buckets, created by package stream.
const (
	Bucket       = "WEBHOOKS"      // endpoints, written by operators; the relayer disables them
	StatesBucket = "WEBHOOKSTATES" // their states, written by the delivering relayer
)

const (
	callTimeout = 5 * time.Second
	addTimeout  = 15 * time.Second // with retries while others add endpoints
)

var (
	ErrNotFound = errors.New("there is no such endpoint")
	ErrTooMany  = fmt.Errorf("there are %d endpoints already", MaxEndpoints)
)

// Store is safe for concurrent use, also across processes. If an id is unknown, its methods return ErrNotFound.
type Store struct {
	js        jetstream.JetStream
	endpoints jetstream.KeyValue
	states    jetstream.KeyValue
}

func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	endpoints, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	states, err := watched.Open(ctx, js, StatesBucket)
	return &Store{js, endpoints, states}, err
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
	data, err := json.Marshal(r)
	if err != nil {
		return e, "", fmt.Errorf("couldn't encode an endpoint: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, addTimeout)
	defer cancel()
	for {
		if err = s.add(ctx, e.ID, data); !watched.Moved(err) {
			return e, r.Secret, err
		}
	}
}

// add returns a watched.Moved error if the bucket changed after the endpoints were counted.
func (s *Store) add(ctx context.Context, id string, data []byte) error {
	bucket, err := s.js.Stream(ctx, "KV_"+Bucket) // from the stream's leader
	if err != nil {
		return fmt.Errorf("couldn't find the end of the bucket %s: %w", Bucket, err)
	}
	all, err := s.List(ctx)
	if err != nil {
		return err
	}
	if len(all) >= MaxEndpoints {
		return ErrTooMany
	}
	_, err = s.js.Publish(ctx, "$KV."+Bucket+"."+id, data, jetstream.WithExpectLastSequence(bucket.CachedInfo().State.LastSeq), jetstream.WithRetryAttempts(0))
	if err != nil {
		return fmt.Errorf("couldn't store an endpoint: %w", err)
	}
	return nil
}

// List returns all endpoints, oldest first.
func (s *Store) List(ctx context.Context) (endpoints []Endpoint, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = watched.All(ctx, s.js.Conn(), s.endpoints, func(entry jetstream.KeyValueEntry) error {
		r, err := decode(entry.Key(), entry.Value())
		if err != nil {
			return err
		}
		endpoints = append(endpoints, r.Endpoint)
		return nil
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
	data, _, err := watched.Stored(ctx, s.endpoints, id)
	if err == nil && data == nil {
		err = ErrNotFound
	}
	if err != nil {
		return Endpoint{}, State{}, fmt.Errorf("endpoint %s: %w", id, err)
	}
	r, err := decode(id, data)
	if err != nil {
		return Endpoint{}, State{}, err
	}
	state, _, err := s.state(ctx, id)
	return r.Endpoint, state, err
}

// After Remove, a POST in progress may still arrive.
func (s *Store) Remove(ctx context.Context, id string) error {
	if _, _, err := s.Get(ctx, id); err != nil {
		return err
	}
	return errors.Join(s.endpoints.Purge(ctx, id), s.states.Purge(ctx, id))
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
	return s.change(ctx, id, func(r *record) { r.Disabled, r.Enabled = nil, time.Now().UTC() })
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
	return watched.Change(ctx, s.endpoints, id, "endpoint "+id, func(stored []byte) ([]byte, error) {
		if stored == nil {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
		}
		r, err := decode(id, stored)
		if err != nil {
			return nil, err
		}
		change(r)
		return json.Marshal(r)
	})
}

func (s *Store) state(ctx context.Context, id string) (state State, revision uint64, err error) {
	data, revision, err := watched.Stored(ctx, s.states, id)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &state)
	}
	if err != nil {
		return State{}, 0, fmt.Errorf("couldn't read how far endpoint %s is: %w", id, err)
	}
	return state, revision, nil
}

// save writes an endpoint's state if the stored revision is still revision (0: new). After an error the state may be
// stored.
func (s *Store) save(ctx context.Context, id string, state State, revision uint64) (uint64, error) {
	data, err := json.Marshal(state)
	if err != nil {
		return 0, fmt.Errorf("couldn't encode how far endpoint %s is: %w", id, err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if revision == 0 {
		revision, err = s.states.Create(ctx, id, data)
	} else {
		revision, err = s.states.Update(ctx, id, data, revision)
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't write how far endpoint %s is: %w", id, err)
	}
	return revision, nil
}

func decode(id string, data []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("couldn't decode endpoint %s: %w", id, err)
	}
	if r.ID != id {
		return nil, fmt.Errorf("couldn't decode endpoint %s: it is of %q", id, r.ID)
	}
	return r, nil
}

func isID(text string) bool {
	return len(text) == 12 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
