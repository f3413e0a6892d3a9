package kv

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type leaseKey struct {
	revision uint64
	value    string
	since    time.Time // when this revision was first seen, by our clock
	replayed bool      // seen since the watch began again
}

type board struct {
	ttl   time.Duration
	keys  map[string]*leaseKey
	whole bool // keys has everything that was stored when the watch first began
}

func (b *board) see(n event, now time.Time) {
	switch {
	case n.begin:
		for _, s := range b.keys {
			s.replayed = false
		}
	case n.entry == nil: // the replay is complete
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
			s = &leaseKey{revision: n.entry.Revision(), value: string(n.entry.Value()), since: now}
			b.keys[n.entry.Key()] = s
		}
		s.replayed = true
	}
}

// alive reports whether we saw a renewal within the lifetime. If not, the holder has stopped, since it counts the
// lifetime from before its write.
func (b *board) alive(key string, now time.Time) bool {
	s := b.keys[key]
	return s != nil && now.Sub(s.since) < b.ttl
}

func (b *board) next(now time.Time) time.Duration {
	next := b.ttl
	for _, s := range b.keys {
		if left := b.ttl - now.Sub(s.since); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// taken records a key of unknown revision that blocked our write; the watch will show its value.
func (b *board) taken(key string, now time.Time) {
	if s := b.keys[key]; s != nil {
		s.since = now
		return
	}
	b.keys[key] = &leaseKey{since: now, replayed: true}
}
