package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bucket is the KV bucket's name; the deployment's setup creates it.
const Bucket = "PROJECTS"

const (
	checkpointKey = "checkpoint"
	callTimeout   = 5 * time.Second
)

var (
	// ErrTooBig says that a project's document does not fit into one message of the server (1 MB by default: tens of
	// thousands of members). The document in the directory stays as it was.
	ErrTooBig = errors.New("the project's document is larger than the NATS server's max_payload")
	// ErrMoved says that the checkpoint is not the one that the writer read: another writer moved it. Nothing was written.
	ErrMoved = errors.New("another writer moved the directory's checkpoint")
)

// Directory reads and writes the bucket. It is safe for concurrent use.
type Directory struct {
	kv   jetstream.KeyValue
	js   jetstream.JetStream
	conn *nats.Conn
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Directory, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	kv, err := js.KeyValue(ctx, Bucket)
	if err != nil {
		return nil, fmt.Errorf("couldn't open the KV bucket %s (does `scorelay setup` still have to run?): %w", Bucket, err)
	}
	return &Directory{kv: kv, js: js, conn: js.Conn()}, nil
}

// document is the stored form of a project.
type document struct {
	*score.Record

	Block    uint64 `json:"block"`    // of the newest event folded in
	LogIndex uint   `json:"logIndex"` // of that event, in its block
}

// Project returns a project's record and the position (block number, index of the log in its block) of the newest
// event in it; nil and no error when the directory does not know the project.
func (d *Directory) Project(ctx context.Context, id score.ProjectID) (*score.Record, uint64, uint, error) {
	data, _, err := d.get(ctx, keyOf(id))
	if err != nil || data == nil {
		return nil, 0, 0, err
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, 0, 0, fmt.Errorf("couldn't decode project %s of the directory: %w", id, err)
	}
	return doc.Record, doc.Block, doc.LogIndex, nil
}

// Reset removes everything; the next run of the Follower builds it again from the chain.
func (d *Directory) Reset(ctx context.Context) error {
	listing, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	keys, err := d.kv.Keys(listing)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("couldn't list the directory: %w", err)
	}
	// The checkpoint goes first: without it the Follower starts over, whatever else is left.
	for _, key := range append([]string{checkpointKey}, keys...) {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		err := d.kv.Purge(call, key)
		cancel()
		if err != nil {
			return fmt.Errorf("couldn't remove %s from the directory: %w", key, err)
		}
	}
	return nil
}

// get reads a key; no data and no error say that it is not there.
func (d *Directory) get(ctx context.Context, key string) (data []byte, revision uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	entry, err := d.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("couldn't read %s from the directory: %w", key, err)
	}
	return entry.Value(), entry.Revision(), nil
}

// keyOf is the id's 64 hex digits.
func keyOf(id score.ProjectID) string { return id.String()[2:] }
