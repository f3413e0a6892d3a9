package apikey

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/store/kv"
)

// Bucket is the KV bucket's name; the deployment's setup creates it.
const Bucket = "KEYS"

const (
	callTimeout  = 15 * time.Second // with a retry of a lost reply
	maxNameBytes = 100
)

var (
	ErrNotFound = errors.New("there is no such key")
	ErrRevoked  = errors.New("the key is already revoked")
	ErrName     = fmt.Errorf("a key's name must be 1 to %d bytes without control characters", maxNameBytes)
)

// Store is safe for concurrent use, also with other processes.
type Store struct {
	keys kv.Map[Key]
	uses kv.Map[struct{}] // by usePrefix and key; when a document was stored, the key was used
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	keys, err := kv.OpenMap[Key](ctx, js, Bucket, "*", "a key")
	if err != nil {
		return nil, err
	}
	uses, err := kv.OpenMap[struct{}](ctx, js, Bucket, usePrefix+"*", "the last use of a key")
	return &Store{keys, uses}, err
}

// Create returns the new key's secret, which only the caller has. Errors: ErrName, ErrTerms, or the server's. After a
// server error the key may exist but is useless, since its secret is lost.
func (s *Store) Create(ctx context.Context, name string, terms Terms) (Secret, Key, error) {
	if name == "" || len(name) > maxNameBytes || slices.ContainsFunc([]rune(name), unicode.IsControl) {
		return "", Key{}, ErrName
	}
	if err := terms.check(); err != nil {
		return "", Key{}, err
	}
	secret := newSecret()
	id, _ := secret.id()
	hash := secret.hash()
	key := Key{ID: id, Name: name, Hash: hex.EncodeToString(hash[:]), Terms: terms, Created: time.Now().UTC().Truncate(time.Second)}
	if _, err := s.keys.Replace(ctx, id, key, 0); err != nil {
		return "", Key{}, err
	}
	return secret, key, nil
}

// Revoke takes effect on each replica as soon as its View has the change. Errors: ErrNotFound, ErrRevoked, or the
// server's, after which the caller may retry.
func (s *Store) Revoke(ctx context.Context, id string) error {
	now := time.Now().UTC().Truncate(time.Second) // the same in each try, by which Update knows its own write
	_, err := s.change(ctx, id, func(key *Key) error {
		key.Revoked = &now
		return nil
	})
	return err
}

// Edit changes a key's terms. It may call edit several times, each time with the stored terms. Errors: ErrTerms,
// edit's, and those of Revoke.
func (s *Store) Edit(ctx context.Context, id string, edit func(*Terms) error) (Key, error) {
	return s.change(ctx, id, func(key *Key) error {
		if err := edit(&key.Terms); err != nil {
			return err
		}
		return key.check()
	})
}

// change updates the record of an unrevoked key.
func (s *Store) change(ctx context.Context, id string, change func(*Key) error) (Key, error) {
	if !isID(id) {
		return Key{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return s.keys.Update(ctx, id, func(key *Key) error {
		switch {
		case key.ID == "":
			return fmt.Errorf("%w: %q", ErrNotFound, id)
		case key.Revoked != nil:
			return fmt.Errorf("%w: %s", ErrRevoked, id)
		}
		return change(key)
	})
}

// List returns all keys ever created, oldest first.
func (s *Store) List(ctx context.Context) (keys []Key, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	used := map[string]time.Time{}
	err = s.uses.Each(ctx, func(e kv.Entry[struct{}], _ error) error { // an earlier version stored empty documents
		used[e.Key] = e.Stored.UTC().Truncate(time.Second)
		return nil
	})
	if err == nil {
		err = s.keys.Each(ctx, func(e kv.Entry[Key], err error) error {
			if at, some := used[usePrefix+e.Key]; some {
				e.Document.LastUsed = &at
			}
			keys = append(keys, e.Document)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't list the keys: %w", err)
	}
	slices.SortFunc(keys, func(a, b Key) int { return a.Created.Compare(b.Created) })
	return keys, nil
}
