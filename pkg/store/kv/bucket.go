package kv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const callTimeout = 5 * time.Second

// ErrAnyCopy reports a bucket with allow_direct: copies that lag behind answer reads, too.
var ErrAnyCopy = errors.New("any copy answers reads (allow_direct), also one that is behind: run `scorelay setup` again")

// ErrMoved reports that another process changed a document first.
var ErrMoved = errors.New("another process changed it meanwhile")

// Names of buckets, which `scorelay setup` creates.
const (
	backlogBucket  = "BACKLOG"
	lanesBucket    = "LANES"
	leasesBucket   = "LEASES"
	noticesBucket  = "NOTICES"
	projectsBucket = "PROJECTS"
)

type bucket struct {
	name string
	js   jetstream.JetStream
	kv   jetstream.KeyValue
}

// stream returns the name of the stream behind the bucket.
func (b bucket) stream() string { return "KV_" + b.name }

// subject returns the subject of that stream for a key's values.
func (b bucket) subject(key string) string { return "$KV." + b.name + "." + key }

// open returns ErrAnyCopy if reads are unsafe.
func open(ctx context.Context, js jetstream.JetStream, name string) (bucket, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	opened, err := js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) { // a silent server needs no setup
		return bucket{}, fmt.Errorf("couldn't open the KV bucket %s (does `scorelay setup` still have to run?): %w", name, err)
	}
	var status jetstream.KeyValueStatus
	if err == nil {
		status, err = opened.Status(ctx)
	}
	if err != nil {
		return bucket{}, fmt.Errorf("couldn't open the KV bucket %s: %w", name, err)
	}
	if s, is := status.(*jetstream.KeyValueBucketStatus); is {
		if c := s.StreamInfo().Config; c.AllowDirect && c.Replicas > 1 {
			return bucket{}, fmt.Errorf("bucket %s: %w", name, ErrAnyCopy)
		}
	}
	return bucket{name, js, opened}, nil
}

// moved reports whether the server refused a write because the document has another revision. A cluster uses its own
// error code, also while another such write is in flight.
func moved(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// get returns nil, nil for a missing key.
func (b bucket) get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	entry, err := b.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	return entry, err
}

// put writes a value. It has no timeout of its own. After an error the value may be stored.
func (b bucket) put(ctx context.Context, key string, data []byte, opts ...jetstream.PublishOpt) (revision uint64, err error) {
	ack, err := b.js.PublishMsg(ctx, &nats.Msg{Subject: b.subject(key), Data: data}, opts...)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// replace writes over a revision, and returns the new one. Revision 0 means a missing or deleted key. After an error
// other than ErrMoved, the value may be stored.
func (b bucket) replace(ctx context.Context, key string, data []byte, revision uint64) (next uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if revision == 0 {
		next, err = b.kv.Create(ctx, key, data)
	} else {
		next, err = b.kv.Update(ctx, key, data, revision)
	}
	if moved(err) {
		err = ErrMoved
	}
	return next, err
}
