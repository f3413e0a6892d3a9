package watched

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	callTimeout = 5 * time.Second        // per call
	changePause = 200 * time.Millisecond // after a failed attempt
)

// Stored returns a key's value and revision, or nil and 0.
func Stored(ctx context.Context, kv jetstream.KeyValue, key string) (data []byte, revision uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	entry, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return append([]byte{}, entry.Value()...), entry.Revision(), nil // an empty value is not nil
}

// Change replaces a key's value with change's result for the stored one, or for nil. If another writer was first, it
// calls change again; an error of change ends it. If the reply to a write is lost, it reads whether the value is
// stored. It retries until ctx ends; the write may still be stored then. Errors contain what.
func Change(ctx context.Context, kv jetstream.KeyValue, key, what string, change func(stored []byte) ([]byte, error)) error {
	var written []byte
	for {
		stored, revision, err := Stored(ctx, kv, key)
		if err == nil {
			if written != nil && bytes.Equal(stored, written) {
				return nil
			}
			if written, err = change(stored); err != nil {
				return err
			}
			if err = replace(ctx, kv, key, written, revision); err == nil {
				return nil
			}
		}
		if (Moved(err) || errors.Is(err, jetstream.ErrKeyExists)) && ctx.Err() == nil {
			continue
		}
		if retry.Sleep(ctx, changePause) != nil {
			return fmt.Errorf("couldn't change %s: %w", what, err)
		}
	}
}

func replace(ctx context.Context, kv jetstream.KeyValue, key string, data []byte, revision uint64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if revision == 0 { // absent, or deleted by an operator
		_, err = kv.Create(ctx, key, data)
	} else {
		_, err = kv.Update(ctx, key, data, revision)
	}
	return err
}
