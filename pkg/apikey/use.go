package apikey

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/store/kv"
)

const (
	// usePrefix, followed by a key's id, names an entry; its time is the key's last use.
	usePrefix = "used."
	useEvery  = time.Minute
	lastNotes = time.Second // for the last write when a process ends
)

// uses records each key at most once per interval, regardless of the number of requests.
type uses struct {
	notes kv.Map[struct{}]
	log   *slog.Logger
	every time.Duration

	mu   sync.Mutex
	keys []*known // used since the last write
}

func (u *uses) add(key *known) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keys = append(u.keys, key)
}

// run writes uses until ctx ends, and the remaining ones then.
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

// note writes the uses; it keeps failed ones for the next time.
func (u *uses) note(ctx context.Context, timeout time.Duration) {
	u.mu.Lock()
	keys := u.keys
	u.keys = nil
	u.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for i, key := range keys {
		if err := u.notes.Put(ctx, usePrefix+key.grant.Key, struct{}{}, 0); err != nil {
			u.log.Debug("the API could not note which keys were used; it tries again later", "keys", len(keys)-i, "err", err)
			u.mu.Lock()
			u.keys = append(u.keys, keys[i:]...)
			u.mu.Unlock()
			return
		}
		key.used.Store(false)
	}
}
