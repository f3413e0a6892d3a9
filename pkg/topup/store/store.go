// Package store keeps the record of top-ups in the KV bucket of the roster, under a key of its own, which every deployment has and
// older versions pass over. Every write is a compare-and-set on the revision that was read.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/topup"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket's name; package stream creates it with everything else a deployment keeps.
const Bucket = "LANES"

const key = "topup"

// Store is a topup.Store.
type Store struct{ kv jetstream.KeyValue }

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{kv}, nil
}

// Get is as of topup.Store.
func (s *Store) Get(ctx context.Context) (r topup.Record, revision uint64, err error) {
	entry, err := s.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, 0, nil
	}
	if err != nil {
		return r, 0, fmt.Errorf("couldn't read the record of top-ups: %w", err)
	}
	if err := json.Unmarshal(entry.Value(), &r); err != nil {
		return topup.Record{}, 0, fmt.Errorf("%w: %w", topup.ErrCorrupt, err)
	}
	return r, entry.Revision(), r.Check()
}

// Put is as of topup.Store.
func (s *Store) Put(ctx context.Context, r topup.Record, revision uint64) (uint64, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("couldn't encode the record of top-ups: %w", err)
	}
	if revision == 0 { // also where an operator deleted it
		revision, err = s.kv.Create(ctx, key, data)
	} else {
		revision, err = s.kv.Update(ctx, key, data, revision)
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't write the record of top-ups, or another program wrote it meanwhile: %w", err)
	}
	return revision, nil
}

// Resume has payments begin again at the account's nonce on the chain, after an operator has looked, and tells what was so before. It tries
// once; after an error it may be done or not.
func (s *Store) Resume(ctx context.Context) (before topup.Record, err error) {
	before, revision, err := s.Get(ctx)
	if err == nil {
		_, err = s.Put(ctx, before.Resumed(), revision)
	}
	return before, err
}
