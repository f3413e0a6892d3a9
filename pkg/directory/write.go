package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// KV entries as the client library writes them.
const (
	subjectPrefix   = "$KV." + Bucket + "."
	operationHeader = "KV-Operation"
	deleteOperation = "DEL"
)

// Followed returns the checkpoint and its revision, for SetFollowed, Put and Remove; 0 if there is none.
func (d *Directory) Followed(ctx context.Context) (f score.Followed, revision uint64, err error) {
	data, revision, err := d.get(ctx, checkpointKey)
	if err != nil || data == nil {
		return score.Followed{}, 0, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return score.Followed{}, 0, fmt.Errorf("couldn't decode the directory's checkpoint: %w", err)
	}
	return f, revision, nil
}

// SetFollowed replaces the checkpoint at a revision (0: none yet) and returns the new revision. score.ErrFoldMoved:
// another writer was first. After any other error f may be stored, so read the checkpoint again.
func (d *Directory) SetFollowed(ctx context.Context, revision uint64, f score.Followed) (uint64, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return 0, fmt.Errorf("couldn't encode the directory's checkpoint: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var next uint64
	if revision == 0 {
		next, err = d.kv.Create(ctx, checkpointKey, data) // works over a deleted checkpoint
	} else {
		next, err = d.kv.Update(ctx, checkpointKey, data, revision)
	}
	if watched.Moved(err) {
		return 0, score.ErrFoldMoved
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't store the directory's checkpoint: %w", err)
	}
	return next, nil
}

// Put stores a project's record if the checkpoint still has this revision; else it returns score.ErrFoldMoved.
// score.ErrTooBig: the record exceeds the server's limit. After any other error the record may be stored; repeating
// is safe.
func (d *Directory) Put(ctx context.Context, revision uint64, dated score.DatedRecord) error {
	data, err := json.Marshal(dated)
	if err != nil {
		return fmt.Errorf("couldn't encode project %s of the directory: %w", dated.ID, err)
	}
	return d.write(ctx, revision, &nats.Msg{Subject: subjectPrefix + keyOf(dated.ID), Data: data})
}

// Remove is Put of a deletion.
func (d *Directory) Remove(ctx context.Context, revision uint64, id score.ProjectID) error {
	msg := nats.NewMsg(subjectPrefix + keyOf(id))
	msg.Header.Set(operationHeader, deleteOperation)
	return d.write(ctx, revision, msg)
}

func (d *Directory) write(ctx context.Context, revision uint64, msg *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := d.js.PublishMsg(ctx, msg,
		jetstream.WithExpectLastSequenceForSubject(revision, subjectPrefix+checkpointKey), jetstream.WithRetryAttempts(0))
	switch {
	case err == nil:
		return nil
	case watched.Moved(err):
		return score.ErrFoldMoved
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("couldn't store %s (%d bytes): %w", msg.Subject, len(msg.Data), score.ErrTooBig)
	}
	return fmt.Errorf("couldn't store %s in the directory: %w", msg.Subject, err)
}

// Beyond returns the projects with records as of block from or later.
func (d *Directory) Beyond(ctx context.Context, from uint64) (ids []score.ProjectID, err error) {
	err = d.Each(ctx, func(id score.ProjectID, dated score.DatedRecord) error {
		if dated.Block >= from {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}
