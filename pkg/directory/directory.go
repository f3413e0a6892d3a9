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

// Bucket is the KV bucket's name; `scorelay setup` creates it.
const Bucket = "PROJECTS"

const (
	checkpointKey = "checkpoint"
	callTimeout   = 5 * time.Second
)

// Directory is safe for concurrent use.
type Directory struct {
	kv jetstream.KeyValue
	js jetstream.JetStream
}

// Open needs an existing bucket.
func Open(ctx context.Context, js jetstream.JetStream) (*Directory, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Directory{kv: kv, js: js}, nil
}

// Project returns nil without an error if the project is unknown.
func (d *Directory) Project(ctx context.Context, id score.ProjectID) (*score.Record, error) {
	dated, err := d.Dated(ctx, id)
	if err == nil && dated.Block == unreadable {
		err = fmt.Errorf("couldn't decode project %s of the directory", id)
	}
	return dated.Record, err
}

// Dated returns a project's record and its place; the zero value if the project is unknown. For an invalid document,
// Record is nil and Block is above every chain's.
func (d *Directory) Dated(ctx context.Context, id score.ProjectID) (score.DatedRecord, error) {
	data, _, err := d.get(ctx, keyOf(id))
	if err != nil || data == nil {
		return score.DatedRecord{}, err
	}
	return decode(data), nil
}

const unreadable = 1<<63 - 1 // block of an invalid document

func decode(data []byte) score.DatedRecord {
	var dated score.DatedRecord
	if json.Unmarshal(data, &dated) != nil || dated.Record == nil {
		return score.DatedRecord{Block: unreadable}
	}
	return dated
}

// Each ends with the first error of fn.
func (d *Directory) Each(ctx context.Context, fn func(score.ProjectID, score.DatedRecord) error) error {
	err := watched.All(ctx, d.js.Conn(), d.kv, func(entry jetstream.KeyValueEntry) error {
		if id, err := score.ParseProjectID("0x" + entry.Key()); err == nil {
			return fn(id, decode(entry.Value()))
		}
		return nil // the checkpoint
	})
	if err != nil {
		return fmt.Errorf("couldn't read the directory: %w", err)
	}
	return nil
}

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

func keyOf(id score.ProjectID) string { return id.String()[2:] }
