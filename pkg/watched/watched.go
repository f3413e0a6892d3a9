// Package watched follows a NATS KV bucket. Watch delivers its changes, View keeps it in memory, and Change updates
// one key.
//
// A watch restarts when it fails, and as soon as NATS is connected again. The client itself takes many seconds to
// notice that a consumer died with its server. Each start replays all stored entries, so no change is missed, and
// entries absent from the replay are gone.
//
// In a cluster, the copy of the bucket on a watch's server may lag behind the leader. So a replay ends when it has
// delivered all that the leader held at its start. Until then, a View keeps newer entries over older ones.
package watched

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	openTimeout  = 5 * time.Second
	rewatchAfter = 500 * time.Millisecond
	allQuiet     = 10 * time.Second // for the next entry of a replay
	lookAgain    = time.Second      // checks for a replay's awaited entry
	checkEvery   = 2 * time.Second  // comparisons of a view with the leader
)

// ErrAnyCopy reports a bucket with allow_direct: copies that lag behind answer reads, too.
var ErrAnyCopy = errors.New("any copy answers reads (allow_direct), also one that is behind: run `scorelay setup` again")

var (
	errEnded       = errors.New("the client ended the watch")
	errReconnected = errors.New("NATS was away")
	errAgain       = errors.New("the watch does not show what was written")
	errBehind      = fmt.Errorf("the server that answers has not all that is stored, and told nothing for %s", allQuiet)
)

// Open binds to a bucket of `scorelay setup`. It returns ErrAnyCopy if reads are unsafe.
func Open(ctx context.Context, js jetstream.JetStream, bucket string) (jetstream.KeyValue, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	kv, err := js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) { // a silent server needs no setup
		return nil, fmt.Errorf("couldn't open the KV bucket %s (does `scorelay setup` still have to run?): %w", bucket, err)
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't open the KV bucket %s: %w", bucket, err)
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("couldn't open the KV bucket %s: %w", bucket, err)
	}
	if s, is := status.(*jetstream.KeyValueBucketStatus); is {
		if c := s.StreamInfo().Config; c.AllowDirect && c.Replicas > 1 {
			return nil, fmt.Errorf("%w: bucket %s", ErrAnyCopy, bucket)
		}
	}
	return kv, nil
}

// Moved reports whether the server refused a write because the entry has another revision. A cluster uses its own
// error code, also while another such write is in flight.
func Moved(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// Event is an entry as written or deleted. If Entry is nil, a replay begins (Begin) or is complete.
type Event struct {
	Entry jetstream.KeyValueEntry
	Begin bool
	asked time.Time // with Begin: the replay covers all of the leader until then
}

// Watch passes on the stored entries, then each change, until ctx ends, and returns ctx's error. After a failure, or
// a receive from again, it restarts with another replay.
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
	r, err := begin(ctx, nc, kv)
	if err != nil {
		return err
	}
	defer r.stop()
	tell(Event{Begin: true, asked: r.asked})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
			return errReconnected
		case <-again:
			return errAgain
		case <-r.look.C:
			if err := r.lookAgain(ctx); err != nil {
				return err
			}
		case entry, ok := <-r.watcher.Updates():
			if !ok {
				return errEnded
			}
			if r.news(entry) {
				tell(Event{Entry: entry})
			}
		}
		if r.ends() {
			tell(Event{})
		}
	}
}

// replay is a watch that detects its completion.
type replay struct {
	nc      *nats.Conn
	bucket  string
	asked   time.Time // before the leader's end was read
	watcher jetstream.KeyWatcher
	look    *time.Ticker
	heard   time.Time // of the last entry
	highest uint64    // revision delivered
	goal    uint64    // newest revision of the leader
	caught  bool      // the watch's server delivered everything that it has
	whole   bool
}

func begin(ctx context.Context, nc *nats.Conn, kv jetstream.KeyValue) (*replay, error) {
	r := &replay{nc: nc, bucket: kv.Bucket(), asked: time.Now(), heard: time.Now()}
	var err error
	if r.goal, err = newest(ctx, nc, r.bucket); err != nil {
		return nil, err
	}
	if r.watcher, err = kv.WatchAll(ctx); err != nil {
		return nil, fmt.Errorf("couldn't watch the bucket %s: %w", r.bucket, err)
	}
	r.look = time.NewTicker(lookAgain)
	return r, nil
}

func (r *replay) stop() {
	r.look.Stop()
	_ = r.watcher.Stop()
}

// newest returns the leader's newest revision, or 0.
func newest(ctx context.Context, nc *nats.Conn, bucket string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	var msg *jetstream.RawStreamMsg
	js, err := jetstream.New(nc)
	if err == nil {
		var s jetstream.Stream
		if s, err = js.Stream(ctx, "KV_"+bucket); err == nil {
			// Rejected: ">", for which a server looks only at the last sequence, which may be deleted.
			msg, err = s.GetLastMsgForSubject(ctx, "$KV."+bucket+".>")
		}
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't find the newest entry of the bucket %s: %w", bucket, err)
	}
	return msg.Sequence, nil
}

// news records an entry, and reports whether it is new: a recreated consumer on a lagging server repeats entries.
func (r *replay) news(entry jetstream.KeyValueEntry) bool {
	r.heard = time.Now()
	if entry == nil {
		r.caught = true
		return false
	}
	if entry.Revision() <= r.highest {
		return false
	}
	r.highest = entry.Revision()
	return true
}

// ends reports once that the replay is complete.
func (r *replay) ends() bool {
	if r.whole || !r.caught || r.highest < r.goal {
		return false
	}
	r.whole = true
	return true
}

// lookAgain reads the goal again if less was delivered, since the awaited entry may be deleted.
func (r *replay) lookAgain(ctx context.Context) (err error) {
	if r.whole || !r.caught {
		return nil
	}
	if time.Since(r.heard) > allQuiet {
		return errBehind
	}
	r.goal, err = newest(ctx, r.nc, r.bucket)
	return err
}

// All calls fn for each stored entry. It ends with the first error of fn, or after allQuiet without a message.
func All(ctx context.Context, nc *nats.Conn, kv jetstream.KeyValue, fn func(jetstream.KeyValueEntry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := begin(ctx, nc, kv)
	if err != nil {
		return err
	}
	defer r.stop()
	for !r.ends() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.look.C:
			if err := r.lookAgain(ctx); err != nil {
				return err
			}
			if time.Since(r.heard) > allQuiet {
				return fmt.Errorf("couldn't read the bucket %s: NATS sent nothing for %s", kv.Bucket(), allQuiet)
			}
		case entry, ok := <-r.watcher.Updates():
			if !ok {
				return errEnded
			}
			if !r.news(entry) || entry.Operation() != jetstream.KeyValuePut {
				continue
			}
			if err := fn(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// View is a bucket decoded in memory, kept current by Run, and unchanged while NATS is away. It is safe for
// concurrent use.
type View[V any] struct {
	nc     *nats.Conn
	kv     jetstream.KeyValue
	log    *slog.Logger
	decode func(entry jetstream.KeyValueEntry) (V, bool)

	mu     sync.RWMutex
	values map[string]V
	known  map[string]uint64 // revisions seen, also of entries that values lacks

	shown    uint64                             // highest revision in the current watch
	asked    time.Time                          // its Event.asked
	current  time.Time                          // last match with the leader
	seen     map[string]bool                    // keys in the replay
	older    map[string]jetstream.KeyValueEntry // replayed entries older than known
	changed  chan struct{}                      // nil unless awaited
	caughtUp chan struct{}
	once     sync.Once
}

// If decode returns false, a View keeps the key's earlier value.
func NewView[V any](nc *nats.Conn, kv jetstream.KeyValue, log *slog.Logger, decode func(jetstream.KeyValueEntry) (V, bool)) *View[V] {
	return &View[V]{nc: nc, kv: kv, log: log, decode: decode, values: map[string]V{}, known: map[string]uint64{}, caughtUp: make(chan struct{})}
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
	return Watch(ctx, v.nc, v.kv, v.log, nil, v.see)
}

// RunChecked is Run, and compares the view with the bucket's leader every two seconds (Age). If a watch lags and
// stands still, it restarts the watch.
func (v *View[V]) RunChecked(ctx context.Context) error {
	again := make(chan struct{}, 1)
	var checking sync.WaitGroup
	checking.Go(func() { v.check(ctx, again) })
	defer checking.Wait()
	return Watch(ctx, v.nc, v.kv, v.log, again, v.see)
}

func (v *View[V]) check(ctx context.Context, again chan<- struct{}) {
	before := uint64(0)
	for retry.Sleep(ctx, checkEvery) == nil {
		asked := time.Now()
		held, err := newest(ctx, v.nc, v.kv.Bucket())
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

func (v *View[V]) see(e Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e.Entry != nil {
		v.shown = max(v.shown, e.Entry.Revision())
	}
	switch {
	case e.Begin:
		v.shown, v.asked = 0, e.asked
		v.seen, v.older = map[string]bool{}, map[string]jetstream.KeyValueEntry{}
		return
	case e.Entry == nil: // the replay is complete
		for _, entry := range v.older { // NATS was restored from an older copy
			v.take(entry)
		}
		maps.DeleteFunc(v.values, func(key string, _ V) bool { return !v.seen[key] })
		maps.DeleteFunc(v.known, func(key string, _ uint64) bool { return !v.seen[key] })
		v.seen, v.older, v.current = nil, nil, v.asked
		v.once.Do(func() { close(v.caughtUp) })
	case v.seen != nil && e.Entry.Revision() < v.known[e.Entry.Key()]:
		v.seen[e.Entry.Key()] = true
		v.older[e.Entry.Key()] = e.Entry
		return
	default:
		delete(v.older, e.Entry.Key())
		v.take(e.Entry)
	}
	if v.changed != nil {
		close(v.changed)
		v.changed = nil
	}
}

// take needs mu.
func (v *View[V]) take(entry jetstream.KeyValueEntry) {
	key := entry.Key()
	v.known[key] = entry.Revision()
	if entry.Operation() != jetstream.KeyValuePut {
		delete(v.values, key)
		return
	}
	if v.seen != nil {
		v.seen[key] = true
	}
	if value, ok := v.decode(entry); ok {
		v.values[key] = value
	}
}
