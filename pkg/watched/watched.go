// Package watched follows a NATS KV bucket: Watch tells what is written to it, View keeps all of it in memory.
//
// A watch survives everything: it begins again when it fails, and as soon as the connection to NATS is back, since the
// client itself notices only after many seconds of missing heartbeats that its consumer died with the server's restart.
// Each time it first tells all that is stored, so nothing is missed, and what is not told then is gone.
package watched

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	openTimeout  = 5 * time.Second
	rewatchAfter = 500 * time.Millisecond // before a bucket is watched again after the watch failed
	allQuiet     = 10 * time.Second       // bounds the wait for the next entry while all are read
)

var (
	errEnded       = errors.New("the client ended the watch")
	errReconnected = errors.New("NATS was away")
	errAgain       = errors.New("the watch does not show what was written")
)

// Open binds to a bucket, which `scorelay setup` makes.
func Open(ctx context.Context, js jetstream.JetStream, bucket string) (jetstream.KeyValue, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	kv, err := js.KeyValue(ctx, bucket)
	if err != nil {
		return nil, fmt.Errorf("couldn't open the KV bucket %s (does `scorelay setup` still have to run?): %w", bucket, err)
	}
	return kv, nil
}

// Moved tells whether the server refused a write because an entry is not the one that the writer knew. A cluster has a code
// of its own for it, and also says so while another write under the same condition is on its way.
func Moved(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// Event is one thing that a watch tells: an entry as written or deleted, or, without one, that the replay of what is stored
// begins or has ended.
type Event struct {
	Entry jetstream.KeyValueEntry
	Begin bool
}

// Watch tells everything that is written to the bucket until ctx ends: first what is stored, and again whenever it had to
// begin again, which again asks for. It returns ctx's error.
func Watch(ctx context.Context, nc *nats.Conn, kv jetstream.KeyValue, log *slog.Logger, again <-chan struct{}, tell func(Event)) error {
	for {
		err := watch(ctx, nc, kv, again, tell)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errReconnected):
			log.Info("NATS is back; watching the bucket again", "bucket", kv.Bucket())
			continue
		}
		log.Warn("the watch of a bucket failed; keeping what is known and watching again", "bucket", kv.Bucket(),
			"err", err, "again_in", rewatchAfter)
		if err := retry.Sleep(ctx, rewatchAfter); err != nil {
			return err
		}
	}
}

func watch(ctx context.Context, nc *nats.Conn, kv jetstream.KeyValue, again <-chan struct{}, tell func(Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reconnected := nc.StatusChanged(nats.CONNECTED)
	defer nc.RemoveStatusListener(reconnected)
	watcher, err := kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("couldn't watch the bucket %s: %w", kv.Bucket(), err)
	}
	defer func() { _ = watcher.Stop() }()
	tell(Event{Begin: true})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
			return errReconnected
		case <-again:
			return errAgain
		case entry, ok := <-watcher.Updates():
			if !ok {
				return errEnded
			}
			tell(Event{Entry: entry})
		}
	}
}

// All hands every entry that is stored now to fn. An error of fn ends it, and so does silence of the server.
func All(ctx context.Context, kv jetstream.KeyValue, fn func(jetstream.KeyValueEntry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watcher, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return fmt.Errorf("couldn't read the bucket %s: %w", kv.Bucket(), err)
	}
	defer func() { _ = watcher.Stop() }()
	quiet := time.NewTimer(allQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-quiet.C:
			return fmt.Errorf("couldn't read the bucket %s: NATS sent nothing for %s", kv.Bucket(), allQuiet)
		case entry, ok := <-watcher.Updates():
			switch {
			case !ok:
				return errEnded
			case entry == nil:
				return nil
			}
			if err := fn(entry); err != nil {
				return err
			}
			quiet.Reset(allQuiet)
		}
	}
}

// View is all entries of a bucket in memory, decoded, kept current by Run. It is safe for concurrent use. While NATS is
// away it keeps what it knew.
type View[V any] struct {
	nc     *nats.Conn
	kv     jetstream.KeyValue
	log    *slog.Logger
	decode func(entry jetstream.KeyValueEntry) (V, bool)

	mu     sync.RWMutex
	values map[string]V // by key

	seen     map[string]bool // keys that the replay told of
	changed  chan struct{}   // nil while nothing waits for it
	caughtUp chan struct{}
	once     sync.Once
}

// NewView returns an empty view; Run fills it. decode reads an entry; where it returns false, the view keeps what it knew
// under that key.
func NewView[V any](nc *nats.Conn, kv jetstream.KeyValue, log *slog.Logger, decode func(jetstream.KeyValueEntry) (V, bool)) *View[V] {
	return &View[V]{nc: nc, kv: kv, log: log, decode: decode, values: map[string]V{}, caughtUp: make(chan struct{})}
}

// Get returns what is known under a key; callers must not change it.
func (v *View[V]) Get(key string) (V, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	value, ok := v.values[key]
	return value, ok
}

// Len is the number of keys under which something is known.
func (v *View[V]) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.values)
}

// Changed is closed when something else is known than now.
func (v *View[V]) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changed == nil {
		v.changed = make(chan struct{})
	}
	return v.changed
}

// CaughtUp is closed once everything that was stored when Run began is in the view.
func (v *View[V]) CaughtUp() <-chan struct{} { return v.caughtUp }

// Run keeps the view current until ctx ends, and returns ctx's error.
func (v *View[V]) Run(ctx context.Context) error {
	return Watch(ctx, v.nc, v.kv, v.log, nil, v.see)
}

func (v *View[V]) see(e Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case e.Begin:
		v.seen = map[string]bool{}
		return
	case e.Entry == nil: // everything stored was told
		for key := range v.values {
			if !v.seen[key] {
				delete(v.values, key)
			}
		}
		v.seen = nil
		v.once.Do(func() { close(v.caughtUp) })
	case e.Entry.Operation() != jetstream.KeyValuePut:
		delete(v.values, e.Entry.Key())
	default:
		if v.seen != nil {
			v.seen[e.Entry.Key()] = true
		}
		if value, ok := v.decode(e.Entry); ok {
			v.values[e.Entry.Key()] = value
		}
	}
	if v.changed != nil {
		close(v.changed)
		v.changed = nil
	}
}
