// Package store stores the record of top-ups in the roster's KV bucket: every deployment has the bucket, and older
// versions ignore the key. Every write is a compare-and-set on the revision that was read.
package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/topup"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket; package stream creates it.
const Bucket = "LANES"

const key = "topup"

type Store struct{ kv jetstream.KeyValue }

func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{kv}, nil
}

func (s *Store) Get(ctx context.Context) (r topup.Record, revision uint64, err error) {
	data, revision, err := watched.Stored(ctx, s.kv, key)
	if err != nil {
		return r, 0, fmt.Errorf("couldn't read the record of top-ups: %w", err)
	}
	r, err = decode(data)
	return r, revision, err
}

// decode returns the zero Record for nil.
func decode(data []byte) (r topup.Record, err error) {
	if data == nil {
		return r, nil
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%w: %w", topup.ErrCorrupt, err)
	}
	return r, r.Check()
}

func (s *Store) Put(ctx context.Context, r topup.Record, revision uint64) (uint64, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("couldn't encode the record of top-ups: %w", err)
	}
	if revision == 0 { // also after an operator deleted it
		revision, err = s.kv.Create(ctx, key, data)
	} else {
		revision, err = s.kv.Update(ctx, key, data, revision)
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't write the record of top-ups, or another program wrote it meanwhile: %w", err)
	}
	return revision, nil
}

// Resume restarts payments at the account's nonce on the chain. It returns the previous record, and tries until ctx
// ends. After an error it may be done all the same.
func (s *Store) Resume(ctx context.Context) (before topup.Record, err error) {
	err = watched.Change(ctx, s.kv, key, "the record of top-ups", func(stored []byte) ([]byte, error) {
		if before, err = decode(stored); err != nil {
			return nil, err
		}
		return json.Marshal(before.Resumed())
	})
	return before, err
}
