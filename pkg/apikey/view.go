package apikey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// rewatchAfter is how long a View waits before it watches again after the watch failed.
const rewatchAfter = 500 * time.Millisecond

var errWatchEnded = errors.New("the watch ended")

// View is all keys in memory, kept current by Run. It is safe for concurrent use.
type View struct {
	store *Store
	log   *slog.Logger

	mu   sync.RWMutex
	keys map[string]Key // by id

	caughtUp chan struct{} // closed when everything stored when Run began is in keys
	once     sync.Once
}

// NewView returns an empty view, which refuses every key until Run has caught up.
func (s *Store) NewView(log *slog.Logger) *View {
	return &View{store: s, log: log, keys: map[string]Key{}, caughtUp: make(chan struct{})}
}

// CaughtUp is closed once everything that was stored when Run began is known.
func (v *View) CaughtUp() <-chan struct{} { return v.caughtUp }

// Authenticate tells whose secret it is: the id of a key that exists and is not revoked, and the key's rate in requests
// per second (0: the default).
func (v *View) Authenticate(secret string) (id string, rate int, ok bool) {
	id, wellFormed := Secret(secret).id()
	if !wellFormed {
		return "", 0, false
	}
	hash := Secret(secret).hash()
	v.mu.RLock()
	key := v.keys[id]
	v.mu.RUnlock()
	if !key.opens(hash) {
		return "", 0, false
	}
	return id, key.Rate, true
}

// Run keeps the view current until ctx ends, and returns ctx's error. A watch that fails is begun anew, and so is every
// watch when the connection to NATS comes back: the client itself would notice a missed message only seconds later.
func (v *View) Run(ctx context.Context) error {
	nc := v.store.js.Conn()
	reconnected := nc.StatusChanged(nats.CONNECTED)
	defer nc.RemoveStatusListener(reconnected)
	for {
		err := v.watch(ctx, reconnected)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			continue // reconnected
		}
		v.log.Warn("the watch of the API keys failed; keeping what is known and watching again", "err", err, "again_in", rewatchAfter)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rewatchAfter):
		}
	}
}

// watch follows the bucket from a full replay on. It returns nil when the connection was made anew.
func (v *View) watch(ctx context.Context, reconnected <-chan nats.Status) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watcher, err := v.store.kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("couldn't watch the API keys: %w", err)
	}
	defer func() { _ = watcher.Stop() }()
	replay := map[string]Key{} // what is stored, until all of it has come; nil after that
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
			return nil
		case entry, ok := <-watcher.Updates():
			switch {
			case !ok:
				return errWatchEnded
			case entry == nil:
				v.mu.Lock()
				v.keys = replay
				v.mu.Unlock()
				replay = nil
				v.once.Do(func() { close(v.caughtUp) })
			case replay != nil:
				v.apply(replay, entry)
			default:
				v.mu.Lock()
				v.apply(v.keys, entry)
				v.mu.Unlock()
			}
		}
	}
}

// apply takes one entry in. What cannot be read opens nothing.
func (v *View) apply(keys map[string]Key, entry jetstream.KeyValueEntry) {
	delete(keys, entry.Key())
	if entry.Operation() != jetstream.KeyValuePut {
		return
	}
	var key Key
	if err := json.Unmarshal(entry.Value(), &key); err != nil || key.ID != entry.Key() {
		v.log.Error("an API key's record cannot be read; refusing the key", "key", entry.Key(), "err", err)
		return
	}
	keys[key.ID] = key
}
