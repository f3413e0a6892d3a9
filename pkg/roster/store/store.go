// Package store keeps the roster in the KV bucket LANES. Every write is a compare-and-set on the revision that was
// read, so concurrent changes apply one after the other.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is created by package stream.
const Bucket = "LANES"

const (
	key         = "roster"
	callTimeout = 5 * time.Second
	pause       = 200 * time.Millisecond // after a failed call
)

var ErrNone = errors.New("the deployment has no roster of lanes yet: run `scorelay setup`")

// Store is safe for concurrent use.
type Store struct {
	kv jetstream.KeyValue
	nc *nats.Conn
}

func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{kv: kv, nc: js.Conn()}, nil
}

// Get reads the roster. Errors: ErrNone, score.ErrNewer, or NATS's.
func (s *Store) Get(ctx context.Context) (roster.Roster, error) {
	data, _, err := watched.Stored(ctx, s.kv, key)
	if err != nil {
		return roster.Roster{}, fmt.Errorf("couldn't read the roster of lanes: %w", err)
	}
	return decode(data)
}

func decode(data []byte) (roster.Roster, error) {
	if data == nil {
		return roster.Roster{}, ErrNone
	}
	return roster.Decode(data)
}

// Create writes a deployment's first roster unless there is one, and returns the stored one.
func (s *Store) Create(ctx context.Context, r roster.Roster) (roster.Roster, error) {
	data, err := r.Encode()
	if err != nil {
		return r, err
	}
	for {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		_, failed := s.kv.Create(call, key, data)
		cancel()
		stored, err := s.Get(ctx) // a failed write may be stored
		if err == nil || !errors.Is(err, ErrNone) {
			return stored, err
		}
		if retry.Sleep(ctx, pause) != nil {
			return stored, fmt.Errorf("couldn't write the first roster of lanes: %w", failed)
		}
	}
}

// Update replaces the roster by the result of change, as watched.Change does. If the answer to a stored write is
// lost, another writer may write before the next try. Then change runs again on a roster that includes its own
// result, and rejects the same signer (roster.ErrSigner). A missing or unreadable roster is an error at once.
func (s *Store) Update(ctx context.Context, change func(roster.Roster) (roster.Roster, error)) (r roster.Roster, err error) {
	err = watched.Change(ctx, s.kv, key, "the roster of lanes", func(stored []byte) ([]byte, error) {
		if r, err = decode(stored); err != nil {
			return nil, err
		}
		if r, err = change(r); err != nil {
			return nil, err
		}
		return r.Encode()
	})
	return r, err
}

// Gone may be repeated.
func (s *Store) Gone(ctx context.Context, id score.Lane) error {
	_, err := s.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Gone(id) })
	return err
}

func (s *Store) Wake(ctx context.Context, id score.Lane) error {
	_, err := s.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Wake(id) })
	return err
}

// View is the newest roster. Run keeps it current.
type View struct {
	*roster.Live
	*Store
	log *slog.Logger
}

// View has the errors of Get.
func (s *Store) View(ctx context.Context, log *slog.Logger) (*View, error) {
	r, err := s.Get(ctx)
	if err != nil {
		return nil, err
	}
	return &View{Live: roster.NewLive(r), Store: s, log: log}, nil
}

// Run keeps the view current until ctx ends, and returns ctx's error. The view is unchanged while NATS is away or the
// roster unreadable.
func (v *View) Run(ctx context.Context) error {
	return watched.Watch(ctx, v.nc, v.kv, v.log, nil, v.see)
}

func (v *View) see(e watched.Event) {
	if e.Entry == nil || e.Entry.Key() != key {
		return
	}
	var r roster.Roster
	err := ErrNone
	if e.Entry.Operation() == jetstream.KeyValuePut {
		r, err = roster.Decode(e.Entry.Value())
	}
	if err != nil {
		v.log.Error("the roster of lanes cannot be read; the process keeps to the one that it knows", "err", err)
		return
	}
	if known, _ := v.Current(); !known.Equal(r) {
		v.Set(r)
	}
}
