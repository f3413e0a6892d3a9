package kv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
)

const changePause = 200 * time.Millisecond // after a failed attempt of Update

var (
	// ErrInvalid reports a stored document that is malformed, or contradicts itself.
	ErrInvalid = errors.New("it cannot be read")
	// ErrFull reports that a Map already has as many documents as Add allows.
	ErrFull = errors.New("there are too many already")
)

// Map is the JSON documents of one type in a bucket. Each, Add and views cover the keys that match a pattern, as of
// NATS subjects; the other methods take any key. A type with invariants checks them in its UnmarshalJSON. A Map is
// safe for concurrent use, also across processes.
type Map[T any] struct {
	bucket bucket
	keys   string
	what   string
}

// Entry is a stored document. If it is invalid, Document is zero.
type Entry[T any] struct {
	Key      string
	Document T
	Revision uint64    // 0: the document is missing
	Stored   time.Time // by the clock of NATS
}

// OpenMap opens documents by a pattern of keys. Errors of its methods call a document what, for example "an endpoint".
// OpenMap returns ErrAnyCopy, jetstream.ErrBucketNotFound, or the server's error.
func OpenMap[T any](ctx context.Context, js jetstream.JetStream, name, keys, what string) (Map[T], error) {
	b, err := open(ctx, js, name)
	return Map[T]{b, keys, what}, err
}

// Get returns the zero Entry for a missing document, and its revision with ErrInvalid.
func (m Map[T]) Get(ctx context.Context, key string) (e Entry[T], err error) {
	stored, err := m.bucket.get(ctx, key)
	if err != nil {
		return e, fmt.Errorf("couldn't read %s: %w", m.name(key), err)
	}
	if stored == nil {
		return e, nil
	}
	return m.decode(stored)
}

// Replace writes a document over a revision (0: missing), and returns the new one. It returns ErrMoved if another
// process was first. After any other error the document may be stored.
func (m Map[T]) Replace(ctx context.Context, key string, document T, revision uint64) (uint64, error) {
	data, err := m.encode(key, document)
	if err != nil {
		return 0, err
	}
	if revision, err = m.bucket.replace(ctx, key, data, revision); err != nil {
		return 0, fmt.Errorf("couldn't write %s: %w", m.name(key), err)
	}
	return revision, nil
}

// Put writes a document over any revision. It expires after lifetime, in whole seconds; 0: never. After an error it may
// be stored.
func (m Map[T]) Put(ctx context.Context, key string, document T, lifetime time.Duration) error {
	data, err := m.encode(key, document)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var expires []jetstream.PublishOpt
	if lifetime > 0 {
		expires = append(expires, jetstream.WithMsgTTL(lifetime))
	}
	if _, err := m.bucket.put(ctx, key, data, expires...); err != nil {
		return fmt.Errorf("couldn't write %s: %w", m.name(key), err)
	}
	return nil
}

// Update stores a document as change leaves it, and returns it. change gets the stored document, or the zero T. It
// runs again if another process was first, and its error ends Update. After a write without an answer, Update takes the
// stored document for its own if that has the same bytes. It retries until ctx ends; the write may still be stored
// then. An invalid document is an error at once.
func (m Map[T]) Update(ctx context.Context, key string, change func(*T) error) (document T, err error) {
	var unanswered []byte // by the last write without an answer
	for {
		stored, err := m.bucket.get(ctx, key)
		if err == nil {
			var e Entry[T]
			if stored != nil {
				if unanswered != nil && bytes.Equal(stored.Value(), unanswered) {
					return document, nil
				}
				if e, err = m.decode(stored); err != nil {
					return document, err
				}
			}
			document = e.Document
			if err := change(&document); err != nil {
				return document, err
			}
			data, invalid := m.encode(key, document)
			if invalid != nil {
				return document, invalid
			}
			if _, err = m.bucket.replace(ctx, key, data, e.Revision); err == nil {
				return document, nil
			}
			if errors.Is(err, ErrMoved) && ctx.Err() == nil {
				continue
			}
			unanswered = data
		}
		if retry.Sleep(ctx, changePause) != nil {
			return document, fmt.Errorf("couldn't change %s: %w", m.name(key), err)
		}
	}
}

// Add writes a document under a new key, unless there are most documents already: ErrFull. It retries while other
// processes write to the bucket. After any other error the document may be stored.
func (m Map[T]) Add(ctx context.Context, key string, document T, most int) error {
	data, err := m.encode(key, document)
	if err != nil {
		return err
	}
	for {
		if err = m.add(ctx, key, data, most); !moved(err) {
			return err
		}
	}
}

// add returns a moved error if the bucket changed after its documents were counted.
func (m Map[T]) add(ctx context.Context, key string, data []byte, most int) error {
	s, err := m.bucket.js.Stream(ctx, m.bucket.stream()) // from the stream's leader
	if err != nil {
		return fmt.Errorf("couldn't find the end of the bucket %s: %w", m.bucket.name, err)
	}
	count := 0
	err = m.Each(ctx, func(Entry[T], error) error { count++; return nil })
	if err != nil {
		return err
	}
	if count >= most {
		return ErrFull
	}
	if _, err := m.bucket.put(ctx, key, data, jetstream.WithExpectLastSequence(s.CachedInfo().State.LastSeq), jetstream.WithRetryAttempts(0)); err != nil {
		return fmt.Errorf("couldn't write %s: %w", m.name(key), err)
	}
	return nil
}

// Each calls fn for each document in the order they were stored, with ErrInvalid for an invalid one. It ends with the
// first error of fn.
func (m Map[T]) Each(ctx context.Context, fn func(Entry[T], error) error) error {
	return m.bucket.each(ctx, m.keys, func(stored jetstream.KeyValueEntry) error { return fn(m.decode(stored)) })
}

// Remove deletes a document, if there is one, and its history.
func (m Map[T]) Remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := m.bucket.kv.Purge(ctx, key); err != nil {
		return fmt.Errorf("couldn't remove %s: %w", m.name(key), err)
	}
	return nil
}

// NewView returns a View of what read makes of each document. read gets ErrInvalid for an invalid document. If it
// returns false, the View keeps what it has for the key.
func NewView[T, V any](m Map[T], log *slog.Logger, read func(Entry[T], error) (V, bool)) *View[V] {
	return newView(m.bucket, m.keys, log, func(stored jetstream.KeyValueEntry) (V, bool) { return read(m.decode(stored)) })
}

func (m Map[T]) encode(key string, document T) ([]byte, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode %s: %w", m.name(key), err)
	}
	return data, nil
}

func (m Map[T]) decode(stored jetstream.KeyValueEntry) (Entry[T], error) {
	e := Entry[T]{Key: stored.Key(), Revision: stored.Revision(), Stored: stored.Created()}
	if err := json.Unmarshal(stored.Value(), &e.Document); err != nil {
		var none T
		e.Document = none
		return e, fmt.Errorf("%s: %w: %w", m.name(e.Key), ErrInvalid, err)
	}
	return e, nil
}

// name contains what `nats kv get` needs.
func (m Map[T]) name(key string) string { return m.what + " (" + m.bucket.name + "/" + key + ")" }

// Doc is a single document.
type Doc[T any] struct{ of Map[T] }

// OpenDoc opens the document under a key. Its errors are those of OpenMap.
func OpenDoc[T any](ctx context.Context, js jetstream.JetStream, name, key, what string) (Doc[T], error) {
	m, err := OpenMap[T](ctx, js, name, key, what)
	return Doc[T]{m}, err
}

// Get returns a document and its revision: zero values if it is missing, the revision with ErrInvalid.
func (d Doc[T]) Get(ctx context.Context) (document T, revision uint64, err error) {
	e, err := d.of.Get(ctx, d.of.keys)
	return e.Document, e.Revision, err
}

// Replace is Map.Replace.
func (d Doc[T]) Replace(ctx context.Context, document T, revision uint64) (uint64, error) {
	return d.of.Replace(ctx, d.of.keys, document, revision)
}

// Put is Map.Put.
func (d Doc[T]) Put(ctx context.Context, document T) error {
	return d.of.Put(ctx, d.of.keys, document, 0)
}

// Update is Map.Update.
func (d Doc[T]) Update(ctx context.Context, change func(*T) error) (T, error) {
	return d.of.Update(ctx, d.of.keys, change)
}
