package kv

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
)

const checkEvery = 2 * time.Second // comparisons of a view with the leader

// View is a Map in memory, kept current by Run, and unchanged while NATS is away. It is safe for concurrent use.
type View[V any] struct {
	bucket bucket
	keys   string
	log    *slog.Logger
	decode func(entry jetstream.KeyValueEntry) (V, bool)

	mu     sync.RWMutex
	values map[string]V
	known  map[string]uint64 // revisions seen, also of entries that values lacks

	shown    uint64                // highest revision in the current watch
	asked    time.Time             // its event.asked
	current  time.Time             // last match with the leader
	seen     map[string]bool       // keys in the replay
	older    map[string]decoded[V] // replayed entries older than known
	changed  chan struct{}         // nil unless awaited
	caughtUp chan struct{}
	once     sync.Once
}

// If decode returns false, a View keeps the key's earlier value.
func newView[V any](b bucket, keys string, log *slog.Logger, decode func(jetstream.KeyValueEntry) (V, bool)) *View[V] {
	return &View[V]{bucket: b, keys: keys, log: log, decode: decode, values: map[string]V{}, known: map[string]uint64{}, caughtUp: make(chan struct{})}
}

// begin sets a value that was read before Run, so that a copy that lags behind does not show an older one.
func (v *View[V]) begin(key string, value V, revision uint64) {
	v.values[key], v.known[key] = value, revision
}

// Get returns a read-only value.
func (v *View[V]) Get(key string) (V, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	value, ok := v.values[key]
	return value, ok
}

// After returns up to most values, in the order of keys, from the first key above the given one.
func (v *View[V]) After(key string, most int) []V {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var first []string
	for each := range v.values {
		if each <= key || len(first) == most && (most == 0 || each > first[most-1]) {
			continue
		}
		at, _ := slices.BinarySearch(first, each)
		first = slices.Insert(first[:min(len(first), most-1)], at, each)
	}
	values := make([]V, len(first))
	for i, each := range first {
		values[i] = v.values[each]
	}
	return values
}

// Values iterates over the values, read-only, in any order. The view is locked meanwhile.
func (v *View[V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		v.mu.RLock()
		defer v.mu.RUnlock()
		for _, value := range v.values {
			if !yield(value) {
				return
			}
		}
	}
}

func (v *View[V]) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.values)
}

// Changed returns a channel that closes at the next change.
func (v *View[V]) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changed == nil {
		v.changed = make(chan struct{})
	}
	return v.changed
}

// CaughtUp returns a channel that closes after the first replay.
func (v *View[V]) CaughtUp() <-chan struct{} { return v.caughtUp }

// Run keeps the view current until ctx ends, and returns ctx's error.
func (v *View[V]) Run(ctx context.Context) error {
	return v.bucket.watch(ctx, v.keys, v.log, nil, v.see)
}

// RunChecked is Run, and compares the view with the bucket's leader every two seconds (Age). If a watch lags and
// stands still, it restarts the watch.
func (v *View[V]) RunChecked(ctx context.Context) error {
	again := make(chan struct{}, 1)
	var checking sync.WaitGroup
	checking.Go(func() { v.check(ctx, again) })
	defer checking.Wait()
	return v.bucket.watch(ctx, v.keys, v.log, again, v.see)
}

func (v *View[V]) check(ctx context.Context, again chan<- struct{}) {
	before := uint64(0)
	for retry.Sleep(ctx, checkEvery) == nil {
		asked := time.Now()
		held, err := v.bucket.newest(ctx, v.keys)
		if err != nil {
			continue // the view ages
		}
		v.mu.Lock()
		shown, replays := v.shown, v.seen != nil
		if shown >= held && !replays {
			v.current = asked
		}
		v.mu.Unlock()
		if shown < held && shown == before {
			select {
			case again <- struct{}{}:
			default:
			}
		}
		before = shown
	}
}

// Age returns the time since RunChecked last found that the view matches the leader.
func (v *View[V]) Age() time.Duration {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return time.Since(v.current)
}

// decoded is an entry as written; ok is false for a deleted one, and if the view keeps what it has.
type decoded[V any] struct {
	jetstream.KeyValueEntry
	value V
	ok    bool
}

func (v *View[V]) see(e event) {
	d := decoded[V]{KeyValueEntry: e.entry}
	if e.entry != nil && e.entry.Operation() == jetstream.KeyValuePut {
		d.value, d.ok = v.decode(e.entry) // before locking, since it may take long
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if e.entry != nil {
		v.shown = max(v.shown, e.entry.Revision())
	}
	switch {
	case e.begin:
		v.shown, v.asked = 0, e.asked
		v.seen, v.older = map[string]bool{}, map[string]decoded[V]{}
		return
	case e.entry == nil: // the replay is complete
		for _, older := range v.older { // NATS was restored from an older copy
			v.take(older)
		}
		maps.DeleteFunc(v.values, func(key string, _ V) bool { return !v.seen[key] })
		maps.DeleteFunc(v.known, func(key string, _ uint64) bool { return !v.seen[key] })
		v.seen, v.older, v.current = nil, nil, v.asked
		v.once.Do(func() { close(v.caughtUp) })
	case v.seen != nil && e.entry.Revision() < v.known[e.entry.Key()]:
		v.seen[e.entry.Key()] = true
		v.older[e.entry.Key()] = d
		return
	default:
		delete(v.older, e.entry.Key())
		v.take(d)
	}
	if v.changed != nil {
		close(v.changed)
		v.changed = nil
	}
}

// take needs mu.
func (v *View[V]) take(d decoded[V]) {
	key := d.Key()
	v.known[key] = d.Revision() // also of a deletion, which a copy that lags behind does not undo
	if v.seen != nil {
		v.seen[key] = true
	}
	if d.Operation() != jetstream.KeyValuePut {
		delete(v.values, key)
		return
	}
	if d.ok {
		v.values[key] = d.value
	}
}
