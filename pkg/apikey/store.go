package apikey

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket's name; the deployment's setup creates it.
const Bucket = "KEYS"

const (
	callTimeout  = 5 * time.Second
	casTries     = 8
	maxNameBytes = 100
)

var (
	ErrNotFound = errors.New("there is no such key")
	ErrRevoked  = errors.New("the key is already revoked")
	ErrName     = fmt.Errorf("a key's name must be 1 to %d bytes without control characters", maxNameBytes)
)

// Store is safe for concurrent use, also with other processes.
type Store struct {
	js jetstream.JetStream
	kv jetstream.KeyValue
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{js, kv}, nil
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
	data, err := json.Marshal(key)
	if err != nil {
		return "", Key{}, fmt.Errorf("couldn't encode a key: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := s.kv.Create(ctx, id, data); err != nil {
		return "", Key{}, fmt.Errorf("couldn't store a key: %w", err)
	}
	return secret, key, nil
}

// Revoke takes effect on each replica as soon as its View has the change. Errors: ErrNotFound, ErrRevoked, or the
// server's, after which the caller may retry.
func (s *Store) Revoke(ctx context.Context, id string) error {
	_, err := s.change(ctx, id, func(key *Key) error {
		now := time.Now().UTC().Truncate(time.Second)
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

// change updates the record of an unrevoked key by compare-and-set.
func (s *Store) change(ctx context.Context, id string, change func(*Key) error) (key Key, err error) {
	if !isID(id) {
		return Key{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for range casTries {
		entry, err := s.kv.Get(ctx, id)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return Key{}, fmt.Errorf("%w: %q", ErrNotFound, id)
		}
		if err != nil {
			return Key{}, fmt.Errorf("couldn't read key %s: %w", id, err)
		}
		key = Key{}
		if err := json.Unmarshal(entry.Value(), &key); err != nil {
			return Key{}, fmt.Errorf("couldn't decode key %s: %w", id, err)
		}
		if key.Revoked != nil {
			return Key{}, fmt.Errorf("%w: %s", ErrRevoked, id)
		}
		if err := change(&key); err != nil {
			return Key{}, err
		}
		data, err := json.Marshal(key)
		if err != nil {
			return Key{}, fmt.Errorf("couldn't encode key %s: %w", id, err)
		}
		_, err = s.kv.Update(ctx, id, data, entry.Revision())
		if watched.Moved(err) {
			continue
		}
		if err != nil {
			return Key{}, fmt.Errorf("couldn't change key %s: %w", id, err)
		}
		return key, nil
	}
	return Key{}, fmt.Errorf("couldn't change key %s: others keep changing it", id)
}

// List returns all keys ever created, oldest first.
func (s *Store) List(ctx context.Context) ([]Key, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var keys []Key
	used := map[string]time.Time{}
	err := watched.All(ctx, s.js.Conn(), s.kv, func(entry jetstream.KeyValueEntry) error {
		if id, isUse := strings.CutPrefix(entry.Key(), usePrefix); isUse {
			used[id] = entry.Created().UTC().Truncate(time.Second)
			return nil
		}
		var key Key
		if err := json.Unmarshal(entry.Value(), &key); err != nil {
			return fmt.Errorf("couldn't decode key %s: %w", entry.Key(), err)
		}
		keys = append(keys, key)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't list the keys: %w", err)
	}
	for i := range keys {
		if at, some := used[keys[i].ID]; some {
			keys[i].LastUsed = &at
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return a.Created.Compare(b.Created) })
	return keys, nil
}
