package apikey

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// View holds all keys in memory; Run keeps them current. Safe for concurrent use. It refuses unknown keys, and so
// every key until Run has caught up.
type View struct {
	*kv.View[*known]
	uses *uses
}

type known struct {
	hash  [sha256.Size]byte
	grant *score.Grant // nil: revoked or unreadable
	used  atomic.Bool  // since the last write of its use
}

func (s *Store) NewView(log *slog.Logger) *View {
	view := kv.NewView(s.keys, log, func(e kv.Entry[Key], err error) (*known, bool) {
		var k *known
		if err == nil {
			k, err = knownOf(e)
		}
		if err != nil {
			log.Error("an API key's entry cannot be read; the API refuses the key", "key", e.Key, "err", err)
			return &known{}, true // matches no secret
		}
		return k, true
	})
	return &View{view, &uses{notes: s.uses, log: log, every: useEvery}}
}

// Run keeps the view current and records uses until ctx ends; it returns ctx's error.
func (v *View) Run(ctx context.Context) error {
	var noting sync.WaitGroup
	noting.Go(func() { v.uses.run(ctx) })
	defer noting.Wait()
	return v.RunChecked(ctx)
}

func knownOf(e kv.Entry[Key]) (*known, error) {
	hash, err := hex.DecodeString(e.Document.Hash)
	if err != nil {
		return nil, err
	}
	k := &known{}
	if len(hash) != len(k.hash) || e.Document.ID != e.Key {
		return nil, fmt.Errorf("its id is %q, or its hash is no SHA-256", e.Document.ID)
	}
	copy(k.hash[:], hash)
	if e.Document.Revoked == nil {
		k.grant = e.Document.grant()
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
