package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket's name; the deployment's setup creates it.
const Bucket = "PROJECTS"

const (
	checkpointKey = "checkpoint"
	callTimeout   = 5 * time.Second
)

// Directory reads and writes the bucket. It is safe for concurrent use.
type Directory struct {
	kv jetstream.KeyValue
	js jetstream.JetStream
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Directory, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Directory{kv: kv, js: js}, nil
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
