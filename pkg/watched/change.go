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
	callTimeout = 5 * time.Second        // of one call of Change or Stored
	changePause = 200 * time.Millisecond // after one that failed
)

// Stored is what a key holds, and its revision; nil and 0 where that is nothing.
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
	return append([]byte{}, entry.Value()...), entry.Revision(), nil // not nil where what was written is empty
}

// Change replaces what a key holds by what change makes of it, from nil where that is nothing. change runs again when another writer was
// first; its error ends it. A write whose answer is lost is looked up: where it is stored and nothing came after it, it is done. It tries
// until ctx ends; the write may be stored all the same. what names it in errors.
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

// replace writes over what a revision holds, 0 for nothing.
func replace(ctx context.Context, kv jetstream.KeyValue, key string, data []byte, revision uint64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if revision == 0 { // also where an operator deleted it
		_, err = kv.Create(ctx, key, data)
	} else {
		_, err = kv.Update(ctx, key, data, revision)
	}
	return err
}
