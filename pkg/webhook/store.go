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

// The KV buckets' names; package stream creates them with everything else a deployment keeps.
const (
	Bucket       = "WEBHOOKS"      // endpoints, which operators write
	StatesBucket = "WEBHOOKSTATES" // how far each is, which the relayer that delivers writes
)

const (
	callTimeout = 5 * time.Second
	addTimeout  = 15 * time.Second // others may be adding endpoints, too
)

var (
	// ErrNotFound says that there is no endpoint of that id.
	ErrNotFound = errors.New("there is no such endpoint")
	// ErrTooMany says that there are MaxEndpoints already.
	ErrTooMany = fmt.Errorf("there are %d endpoints already", MaxEndpoints)
)

// Store changes and lists endpoints. It is safe for concurrent use, also with other processes.
type Store struct {
	js        jetstream.JetStream
	endpoints jetstream.KeyValue
	states    jetstream.KeyValue
}

// Open binds to the buckets, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	endpoints, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	states, err := watched.Open(ctx, js, StatesBucket)
	return &Store{js, endpoints, states}, err
}

// Add makes an endpoint, of which Project, URL, Types and Batch count, and tells its secret, which nothing tells later. It begins
// as from says. Errors: ErrEndpoint, ErrTooMany, or the server's, after which it may exist.
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

// add stores a new endpoint if nothing was written to the bucket since the others were counted; watched.Moved tells of the error if something was.
func (s *Store) add(ctx context.Context, id string, data []byte) error {
	bucket, err := s.js.Stream(ctx, "KV_"+Bucket) // as its leader has it
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

// Get returns an endpoint and how far it is; the zero State before a relayer has looked at it. Errors: ErrNotFound, or the server's.
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

// Remove forgets an endpoint and how far it is. A POST that is under way may still come. Errors: as Get's.
func (s *Store) Remove(ctx context.Context, id string) error {
	if _, _, err := s.Get(ctx, id); err != nil {
		return err
	}
	return errors.Join(s.endpoints.Purge(ctx, id), s.states.Purge(ctx, id))
}

// Disable has an endpoint be sent nothing, and keeps its cursor. Errors: as Get's.
func (s *Store) Disable(ctx context.Context, id, why string) error {
	return s.disable(ctx, id, Disabled{Why: why})
}

func (s *Store) disable(ctx context.Context, id string, d Disabled) error {
	d.Since = time.Now().UTC().Truncate(time.Second)
	return s.change(ctx, id, func(r *record) { r.Disabled = &d })
}

// Enable has it be sent events again, from its cursor on; it may fail as long again before it is disabled. Errors: as Get's.
func (s *Store) Enable(ctx context.Context, id string) error {
	return s.change(ctx, id, func(r *record) { r.Disabled, r.Enabled = nil, time.Now().UTC() })
}

// Rotate gives an endpoint another secret. For as long as keep the one of before signs, too, and those that had longer to sign do: a rotation
// whose secret was lost is repeated, and the receiver has none but the first. Without keep only the new one does. Errors: as Get's.
func (s *Store) Rotate(ctx context.Context, id string, keep time.Duration) (secret Secret, err error) {
	secret = newSecret()
	until := time.Now().UTC().Add(keep).Truncate(time.Second)
	return secret, s.change(ctx, id, func(r *record) {
		if r.Secret != secret { // else an earlier try is stored
			r.Older = append([]older{{r.Secret, until}}, r.Older...)
			if r.Older = r.Older[:min(len(r.Older), maxOlder)]; keep <= 0 {
				r.Older = nil
			}
			r.Secret, r.Rotating = secret, &until
		}
	})
}

// Move has an endpoint continue elsewhere, also one that is disabled: the relayer that delivers does it, and has when State.Moved is n or more. What is
// skipped so is not delivered, and what comes again is, under the same ids. Errors: as Get's.
func (s *Store) Move(ctx context.Context, id string, to Move) (n uint64, err error) {
	err = s.change(ctx, id, func(r *record) {
		to.N = r.Move.N + 1
		n, r.Move = to.N, to
	})
	return n, err
}

// Test asks for one POST of type webhook.test, also to an endpoint that is disabled. It was tried when State.Tested is n or more; the attempt is in the State.
// Errors: as Get's.
func (s *Store) Test(ctx context.Context, id string) (n uint64, err error) {
	err = s.change(ctx, id, func(r *record) {
		r.Test++
		n = r.Test
	})
	return n, err
}

// Resend asks for one POST of the event of an id, also to an endpoint that is disabled or does not ask for its type. It was tried when State.Resent is n or more;
// the attempt is in the State, unless another Resend was asked for meanwhile. Errors: event.ErrNoEvent of what can be no event's id, or as Get's.
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

// state reads how far an endpoint is.
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

// save writes how far an endpoint is over a revision; 0 for none. After an error it may be stored all the same.
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

// isID tells whether a text may be an endpoint's id.
func isID(text string) bool {
	return len(text) == 12 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
