package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// How the client library writes a KV entry.
const (
	subjectPrefix   = "$KV." + Bucket + "."
	operationHeader = "KV-Operation"
	deleteOperation = "DEL"
)

// Followed returns the checkpoint and its revision, which SetFollowed, Put and Remove want; revision 0 and no error when
// there is none.
func (d *Directory) Followed(ctx context.Context) (f evidence.Followed, revision uint64, err error) {
	data, revision, err := d.get(ctx, checkpointKey)
	if err != nil || data == nil {
		return evidence.Followed{}, 0, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return evidence.Followed{}, 0, fmt.Errorf("couldn't decode the directory's checkpoint: %w", err)
	}
	return f, revision, nil
}

// SetFollowed replaces the checkpoint of that revision, 0 for none, and returns the new revision. evidence.ErrMoved:
// another writer was faster. After any other error it may or may not be stored; reading it again tells.
func (d *Directory) SetFollowed(ctx context.Context, revision uint64, f evidence.Followed) (uint64, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return 0, fmt.Errorf("couldn't encode the directory's checkpoint: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var next uint64
	if revision == 0 {
		next, err = d.kv.Create(ctx, checkpointKey, data) // passes over a deleted checkpoint
	} else {
		next, err = d.kv.Update(ctx, checkpointKey, data, revision)
	}
	if watched.Moved(err) {
		return 0, evidence.ErrMoved
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't store the directory's checkpoint: %w", err)
	}
	return next, nil
}

// Put stores a project's record as of the position (block, log index), under a revision of the checkpoint. Errors:
// evidence.ErrMoved, score.ErrTooBig, or the server's, after which it may or may not be stored; storing it again does no harm.
func (d *Directory) Put(ctx context.Context, revision uint64, rec *score.Record, block uint64, logIndex uint) error {
	data, err := json.Marshal(document{rec, block, logIndex})
	if err != nil {
		return fmt.Errorf("couldn't encode project %s of the directory: %w", rec.ID, err)
	}
	return d.write(ctx, revision, &nats.Msg{Subject: subjectPrefix + keyOf(rec.ID), Data: data})
}

// Remove forgets a project, under a revision of the checkpoint. Errors are as of Put.
func (d *Directory) Remove(ctx context.Context, revision uint64, id score.ProjectID) error {
	msg := nats.NewMsg(subjectPrefix + keyOf(id))
	msg.Header.Set(operationHeader, deleteOperation)
	return d.write(ctx, revision, msg)
}

// write stores a message if the checkpoint still has the revision.
func (d *Directory) write(ctx context.Context, revision uint64, msg *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := d.js.PublishMsg(ctx, msg,
		jetstream.WithExpectLastSequenceForSubject(revision, subjectPrefix+checkpointKey), jetstream.WithRetryAttempts(0))
	switch {
	case err == nil:
		return nil
	case watched.Moved(err):
		return evidence.ErrMoved
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("couldn't store %s (%d bytes): %w", msg.Subject, len(msg.Data), score.ErrTooBig)
	}
	return fmt.Errorf("couldn't store %s in the directory: %w", msg.Subject, err)
}

// Beyond lists the projects whose documents are as of a block at or after from.
func (d *Directory) Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error) {
	var ids []score.ProjectID
	err := watched.All(ctx, d.js.Conn(), d.kv, func(entry jetstream.KeyValueEntry) error {
		var doc document
		id, err := score.ParseProjectID("0x" + entry.Key())
		if err == nil && (json.Unmarshal(entry.Value(), &doc) != nil || doc.Block >= from) { // an error: the checkpoint
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't read the directory: %w", err)
	}
	return ids, nil
}
