package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// How the client library writes a KV entry.
const (
	subjectPrefix   = "$KV." + Bucket + "."
	operationHeader = "KV-Operation"
	deleteOperation = "DEL"
)

// beyondQuiet bounds the wait for the next document while all are read.
const beyondQuiet = 10 * time.Second

var errWatchQuiet = errors.New("the server fell silent while it told all of the directory")

// checkpoint is the stored form of evidence.Followed.
type checkpoint struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	Block    uint64         `json:"block"`
	Hash     common.Hash    `json:"hash"`
	Ahead    *evidence.Ref  `json:"ahead,omitempty"`
	Suspect  bool           `json:"suspect,omitempty"`
	Trail    evidence.Trail `json:"trail,omitempty"`
}

// Followed returns the checkpoint and its revision, which SetFollowed, Put and Remove want; revision 0 and no error when
// there is none.
func (d *Directory) Followed(ctx context.Context) (f evidence.Followed, revision uint64, err error) {
	data, revision, err := d.get(ctx, checkpointKey)
	if err != nil {
		return evidence.Followed{}, 0, err
	}
	if data == nil {
		return evidence.Followed{}, 0, nil
	}
	var c checkpoint
	if err := json.Unmarshal(data, &c); err != nil {
		return evidence.Followed{}, 0, fmt.Errorf("couldn't decode the directory's checkpoint: %w", err)
	}
	return evidence.Followed{
		ChainID: c.ChainID, Contract: c.Contract, At: evidence.Ref{Number: c.Block, Hash: c.Hash},
		Ahead: c.Ahead, Suspect: c.Suspect, Trail: c.Trail,
	}, revision, nil
}

// SetFollowed replaces the checkpoint of that revision, 0 for none, and returns the new revision. ErrMoved: another writer
// was faster. After any other error it may or may not be stored; reading it again tells.
func (d *Directory) SetFollowed(ctx context.Context, revision uint64, f evidence.Followed) (uint64, error) {
	data, err := json.Marshal(checkpoint{
		ChainID: f.ChainID, Contract: f.Contract, Block: f.At.Number, Hash: f.At.Hash,
		Ahead: f.Ahead, Suspect: f.Suspect, Trail: f.Trail,
	})
	if err != nil {
		return 0, fmt.Errorf("couldn't encode the directory's checkpoint: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var next uint64
	if revision == 0 {
		next, err = d.kv.Create(ctx, checkpointKey, data) // passes over what Reset left
	} else {
		next, err = d.kv.Update(ctx, checkpointKey, data, revision)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || isMismatch(err) {
		return 0, ErrMoved
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't store the directory's checkpoint: %w", err)
	}
	return next, nil
}

// Put stores a project's record as of the position (block, log index), under a revision of the checkpoint. Errors:
// ErrMoved, ErrTooBig, or the server's, after which it may or may not be stored; storing it again does no harm.
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
	case isMismatch(err):
		return ErrMoved
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("couldn't store %s (%d bytes): %w", msg.Subject, len(msg.Data), ErrTooBig)
	}
	return fmt.Errorf("couldn't store %s in the directory: %w", msg.Subject, err)
}

// isMismatch tells whether the server refused a write because a sequence was not the expected one. A cluster also says so
// while another write under the same condition is on its way.
func isMismatch(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// Beyond lists the projects whose documents are as of a block at or after from.
func (d *Directory) Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watcher, err := d.kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("couldn't read the directory: %w", err)
	}
	defer func() { _ = watcher.Stop() }()
	var ids []score.ProjectID
	for {
		entry, err := nextOf(ctx, watcher)
		if err != nil {
			return nil, fmt.Errorf("couldn't read the directory: %w", err)
		}
		if entry == nil {
			return ids, nil
		}
		id, err := score.ParseProjectID("0x" + entry.Key())
		if err != nil {
			continue // the checkpoint
		}
		var doc document
		if json.Unmarshal(entry.Value(), &doc) != nil || doc.Block >= from {
			ids = append(ids, id)
		}
	}
}

func nextOf(ctx context.Context, watcher jetstream.KeyWatcher) (jetstream.KeyValueEntry, error) {
	quiet := time.NewTimer(beyondQuiet)
	defer quiet.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-quiet.C:
		return nil, errWatchQuiet
	case entry, ok := <-watcher.Updates():
		if !ok {
			return nil, errWatchEnded
		}
		return entry, nil
	}
}
