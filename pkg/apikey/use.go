package apikey

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// usePrefix, followed by a key's id, is where the bucket tells by the time of an entry when the key was used last.
	usePrefix = "used."
	useEvery  = time.Minute
	lastNotes = time.Second // for what a process notes when it ends
)

// uses notes which keys were used: a key at most once in a while, however many requests carry it.
type uses struct {
	kv    jetstream.KeyValue
	log   *slog.Logger
	every time.Duration

	mu   sync.Mutex
	keys []*known // used since they were noted
}

func (u *uses) add(key *known) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keys = append(u.keys, key)
}

// run notes uses until ctx ends, and then what is left.
func (u *uses) run(ctx context.Context) {
	tick := time.NewTicker(u.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			u.note(ctx, callTimeout)
		case <-ctx.Done():
			u.note(context.WithoutCancel(ctx), lastNotes)
			return
		}
	}
}

// note writes that the keys were used. What cannot be written is tried again the next time.
func (u *uses) note(ctx context.Context, timeout time.Duration) {
	u.mu.Lock()
	keys := u.keys
	u.keys = nil
	u.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for i, key := range keys {
		if _, err := u.kv.Put(ctx, usePrefix+key.grant.Key, nil); err != nil {
			u.log.Debug("the API could not note which keys were used; it tries again later", "keys", len(keys)-i, "err", err)
			u.mu.Lock()
			u.keys = append(u.keys, keys[i:]...)
			u.mu.Unlock()
			return
		}
		key.used.Store(false)
	}
}
