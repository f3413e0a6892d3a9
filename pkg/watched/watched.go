// Package watched follows a NATS KV bucket: Watch tells what is written to it, View keeps all of it in memory. Change changes one key of it.
//
// A watch survives everything: it begins again when it fails, and as soon as the connection to NATS is back, since the
// client itself notices only after many seconds of missing heartbeats that its consumer died with the server's restart.
// Each time it first tells all that is stored, so nothing is missed, and what is not told then is gone.
//
// In a cluster a watch is on one server, whose copy of the bucket may be behind. So the replay of what is stored ends when it has
// told what the bucket's leader held as it began, and what a View knows is not replaced by what is older before that.
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
	rewatchAfter = 500 * time.Millisecond // before a bucket is watched again after the watch failed
	allQuiet     = 10 * time.Second       // bounds the wait for the next entry while all are read
	lookAgain    = time.Second            // between looks whether an entry that a replay waits for is still stored
	checkEvery   = 2 * time.Second        // between questions to the bucket's leader whether a view has all that it holds
)

// ErrAnyCopy says that each of a bucket's copies answers what is asked, also one that is behind.
var ErrAnyCopy = errors.New("any copy answers reads (allow_direct), also one that is behind: run `scorelay setup` again")

var (
	errEnded       = errors.New("the client ended the watch")
	errReconnected = errors.New("NATS was away")
	errAgain       = errors.New("the watch does not show what was written")
	errBehind      = fmt.Errorf("the server that answers has not all that is stored, and told nothing for %s", allQuiet)
)

// Open binds to a bucket, which `scorelay setup` makes. ErrAnyCopy: it may not be read.
func Open(ctx context.Context, js jetstream.JetStream, bucket string) (jetstream.KeyValue, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	kv, err := js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) { // a server that does not answer must not lead an operator to setup
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
	asked time.Time // of Begin: the replay shows all that the leader held then
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

// replay is a watch that knows when it has told all that was stored as it began.
type replay struct {
	nc      *nats.Conn
	bucket  string
	asked   time.Time // before the leader was
	watcher jetstream.KeyWatcher
	look    *time.Ticker
	heard   time.Time // when the last entry came
	highest uint64    // revision told
	goal    uint64    // revision that the leader held as the newest
	caught  bool      // the watcher has told all that its server had
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

// newest is the revision of the newest entry that the bucket's leader holds; 0 if there is none.
func newest(ctx context.Context, nc *nats.Conn, bucket string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	var msg *jetstream.RawStreamMsg
	js, err := jetstream.New(nc)
	if err == nil {
		var s jetstream.Stream
		if s, err = js.Stream(ctx, "KV_"+bucket); err == nil {
			// Not ">": by that a server tells the message of the last sequence alone, which may be gone.
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

// news takes in what the watcher tells, and says whether it is an entry that it did not tell before: a client that made its
// consumer again, on a server that is behind, repeats.
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

// ends tells, once, that all was told.
func (r *replay) ends() bool {
	if r.whole || !r.caught || r.highest < r.goal {
		return false
	}
	r.whole = true
	return true
}

// lookAgain asks what a replay waits for that its server does not tell: it may be gone.
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

// All hands every entry that is stored now to fn. An error of fn ends it, and so does silence of the server.
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

// View is all entries of a bucket in memory, decoded, kept current by Run. It is safe for concurrent use. While NATS is
// away it keeps what it knew.
type View[V any] struct {
	nc     *nats.Conn
	kv     jetstream.KeyValue
	log    *slog.Logger
	decode func(entry jetstream.KeyValueEntry) (V, bool)

	mu     sync.RWMutex
	values map[string]V      // by key
	known  map[string]uint64 // revisions that values has or lacks, by key

	shown    uint64                             // the highest revision that the watch of now has shown
	asked    time.Time                          // Event.asked of it
	current  time.Time                          // when the view was last known to have all that the leader held
	seen     map[string]bool                    // keys that the replay told of
	older    map[string]jetstream.KeyValueEntry // what the replay told that is older than what is known
	changed  chan struct{}                      // nil while nothing waits for it
	caughtUp chan struct{}
	once     sync.Once
}

// NewView returns an empty view; Run fills it. decode reads an entry; where it returns false, the view keeps what it knew
// under that key.
func NewView[V any](nc *nats.Conn, kv jetstream.KeyValue, log *slog.Logger, decode func(jetstream.KeyValueEntry) (V, bool)) *View[V] {
	return &View[V]{nc: nc, kv: kv, log: log, decode: decode, values: map[string]V{}, known: map[string]uint64{}, caughtUp: make(chan struct{})}
}

// Get returns what is known under a key; callers must not change it.
func (v *View[V]) Get(key string) (V, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	value, ok := v.values[key]
	return value, ok
}

// After are the values under the first keys after this one, in the order of keys, at most so many.
func (v *View[V]) After(key string, most int) []V {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var first []string // of those seen, in order
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

// RunChecked is Run, and asks the bucket's leader every two seconds whether the view has all that it holds: see Age. A watch that shows nothing new
// begins again then, since its server may have failed, which the client notices later.
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

// Age is how long ago the view, kept by RunChecked, was last known to have all that the bucket's leader held.
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
	case e.Entry == nil: // everything stored was told
		for _, entry := range v.older { // NATS went back in time
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

// take knows what an entry says from now on. The caller holds mu.
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
