package apikey

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// View holds all keys in memory; Run keeps them current. Safe for concurrent use. It refuses unknown keys, and so
// every key until Run has caught up.
type View struct {
	*watched.View[*known]
	uses *uses
}

type known struct {
	hash  [sha256.Size]byte
	grant *score.Grant // nil: revoked or unreadable
	used  atomic.Bool  // since the last write of its use
}

func (s *Store) NewView(log *slog.Logger) *View {
	view := watched.NewView(s.js.Conn(), s.kv, log, func(entry jetstream.KeyValueEntry) (*known, bool) {
		if strings.HasPrefix(entry.Key(), usePrefix) {
			return nil, false
		}
		k, err := read(entry)
		if err != nil {
			log.Error("an API key's entry cannot be read; the API refuses the key", "key", entry.Key(), "err", err)
		}
		return k, true
	})
	return &View{view, &uses{kv: s.kv, log: log, every: useEvery}}
}

// Run keeps the view current and records uses until ctx ends; it returns ctx's error.
func (v *View) Run(ctx context.Context) error {
	var noting sync.WaitGroup
	noting.Go(func() { v.uses.run(ctx) })
	defer noting.Wait()
	return v.RunChecked(ctx)
}

// If read fails, the returned key matches no secret.
func read(entry jetstream.KeyValueEntry) (*known, error) {
	var key Key
	if err := json.Unmarshal(entry.Value(), &key); err != nil {
		return &known{}, err
	}
	k := &known{}
	hash, err := hex.DecodeString(key.Hash)
	switch {
	case err != nil:
		return &known{}, err
	case len(hash) != len(k.hash) || key.ID != entry.Key():
		return &known{}, errors.New("it is no key's")
	}
	copy(k.hash[:], hash)
	if key.Revoked == nil {
		k.grant = key.grant()
	}
	return k, nil
}

// Authenticate returns nil if the key is missing, revoked or wrong. Its duration is the same however much of the
// secret is right.
func (v *View) Authenticate(secret string) *score.Grant {
	id, wellFormed := Secret(secret).id()
	if !wellFormed {
		return nil
	}
	key, found := v.Get(id)
	if !found {
		return nil
	}
	hash := Secret(secret).hash()
	if subtle.ConstantTimeCompare(key.hash[:], hash[:]) != 1 {
		return nil
	}
	if key.grant != nil && !key.used.Load() && key.used.CompareAndSwap(false, true) {
		v.uses.add(key)
	}
	return key.grant
}
