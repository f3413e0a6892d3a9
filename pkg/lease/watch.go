package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// rewatchAfter is the pause before the bucket is watched again after the watch failed.
const rewatchAfter = 500 * time.Millisecond

var (
	errWatchEnded  = errors.New("the watch of the leases ended")
	errReconnected = errors.New("NATS was away")
	errUnseen      = errors.New("the watch of the leases does not show what was written")
)

// news is what the watch of the bucket tells: one entry, or, without one, that the replay of what is stored begins or ends.
type news struct {
	entry jetstream.KeyValueEntry
	begin bool
}

// watch tells everything that is written to the bucket until ctx ends: first what is stored, and again whenever it had to
// begin again.
func (l *Leases) watch(ctx context.Context, tell chan<- news, again <-chan struct{}) {
	for ctx.Err() == nil {
		err := l.watchOnce(ctx, tell, again)
		if ctx.Err() != nil || errors.Is(err, errReconnected) {
			continue
		}
		l.log.Debug("the watch of the leases failed; watching again", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(rewatchAfter):
		}
	}
}

func (l *Leases) watchOnce(ctx context.Context, tell chan<- news, again <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The client notices only after many seconds of missing heartbeats that its consumer died with the server's restart.
	reconnected := l.js.Conn().StatusChanged(nats.CONNECTED)
	defer l.js.Conn().RemoveStatusListener(reconnected)
	watcher, err := l.kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("couldn't watch the leases: %w", err)
	}
	defer func() { _ = watcher.Stop() }()
	next := news{begin: true}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case tell <- next:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
			return errReconnected
		case <-again:
			return errUnseen
		case entry, ok := <-watcher.Updates():
			if !ok {
				return errWatchEnded
			}
			next = news{entry: entry}
		}
	}
}

// sighting is another replica's key, or one of ours, as last seen.
type sighting struct {
	revision uint64
	value    string
	since    time.Time // when this revision was first seen, by our clock
	replayed bool      // seen since the watch began again
}

// board is what is known of the bucket.
type board struct {
	ttl   time.Duration
	keys  map[string]*sighting
	whole bool // everything stored when the watch first began is in keys
}

// see takes in what the watch tells.
func (b *board) see(n news, now time.Time) {
	switch {
	case n.begin:
		for _, s := range b.keys {
			s.replayed = false
		}
	case n.entry == nil: // all that is stored was told
		for key, s := range b.keys {
			if !s.replayed {
				delete(b.keys, key)
			}
		}
		b.whole = true
	case n.entry.Operation() != jetstream.KeyValuePut:
		if s := b.keys[n.entry.Key()]; s != nil && s.revision < n.entry.Revision() {
			delete(b.keys, n.entry.Key())
		}
	default:
		s := b.keys[n.entry.Key()]
		if s == nil || s.revision < n.entry.Revision() {
			s = &sighting{revision: n.entry.Revision(), value: string(n.entry.Value()), since: now}
			b.keys[n.entry.Key()] = s
		}
		s.replayed = true
	}
}

// alive tells whether a key was renewed within the lifetime, as far as we saw. The holder counts from before it wrote, so
// where it is not alive, the holder has stopped.
func (b *board) alive(key string, now time.Time) bool {
	s := b.keys[key]
	return s != nil && now.Sub(s.since) < b.ttl
}

// next is how long it takes until the next key is not alive any more.
func (b *board) next(now time.Time) time.Duration {
	next := b.ttl
	for _, s := range b.keys {
		if left := b.ttl - now.Sub(s.since); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// taken notes that a key exists that was thought free: the watch will tell more.
func (b *board) taken(key string, now time.Time) {
	if s := b.keys[key]; s != nil {
		s.since = now
		return
	}
	b.keys[key] = &sighting{since: now, replayed: true}
}
