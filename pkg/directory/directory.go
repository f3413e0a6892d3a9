// Package directory keeps what is known of every project that exists on the chain in the NATS KV bucket PROJECTS: one
// JSON document per project, keyed by the 64 hex digits of its id, and the checkpoint up to which the chain has been
// followed. One index task writes it (package index, Follower); every API replica watches it into memory (View), so
// that answering "is this signer a member" costs no round trip.
//
// Invariants:
//   - A document is a pure function of the contract's final events up to its position (block, log index), so of two
//     writers the one that is further ahead is right. Put therefore never moves a position back, whoever calls it and
//     however late: a writer that lost its lease can do no harm.
//   - The checkpoint is written after the documents it covers. A crash in between repeats events that the positions
//     recognise.
//   - The directory is a copy. The chain decides again when an update is executed, and Reset followed by a run of the
//     Follower brings all of it back.
//
// Rejected: asking the chain per request (an update costs a round trip, and a slow node stops the API), and one document
// with all projects (each edit would rewrite all of it, and a message has a bounded size).
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

	"github.com/scorelay/scorelay/pkg/score"
)

// Bucket is the KV bucket's name; the deployment's setup creates it.
const Bucket = "PROJECTS"

const (
	checkpointKey = "checkpoint"
	callTimeout   = 5 * time.Second
	casTries      = 8 // lost races of one write before it gives up; there is one writer, so more than one is news
)

var (
	// ErrTooBig says that a project's document does not fit into one message of the server (1 MB by default: tens of
	// thousands of members). The document in the directory stays as it was.
	ErrTooBig = errors.New("the project's document is larger than the NATS server's max_payload")
	// ErrContended says that other writers kept winning; nothing was written.
	ErrContended = errors.New("other writers kept changing the directory's entry")
)

// Directory reads and writes the bucket. It is safe for concurrent use.
type Directory struct {
	kv   jetstream.KeyValue
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
	return &Directory{kv: kv, conn: js.Conn()}, nil
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

// Put stores a project's record as of the position. A record as new or newer that is already there stays, and that is
// success. Errors: ErrTooBig, ErrContended, or the server's.
func (d *Directory) Put(ctx context.Context, rec *score.Record, block uint64, logIndex uint) error {
	return d.swap(ctx, keyOf(rec.ID), document{rec, block, logIndex}, func(data []byte) (bool, error) {
		var stored document
		err := json.Unmarshal(data, &stored)
		return stored.Block < block || stored.Block == block && stored.LogIndex < logIndex, err
	})
}

// checkpoint says how far the directory has followed which contract of which chain: every event of the blocks up to
// Block (inclusive), the one whose hash is Hash, is in the documents.
type checkpoint struct {
	ChainID  uint64         `json:"chainId"`
	Contract common.Address `json:"contract"`
	Block    uint64         `json:"block"`
	Hash     common.Hash    `json:"hash"`
}

// Checkpoint returns the chain, the contract, and the last block (number and hash) the directory has followed; ok is
// false when it has followed none yet.
func (d *Directory) Checkpoint(ctx context.Context) (
	chainID uint64, contract common.Address, block uint64, hash common.Hash, ok bool, err error,
) {
	data, _, err := d.get(ctx, checkpointKey)
	if err != nil || data == nil {
		return 0, common.Address{}, 0, common.Hash{}, false, err
	}
	var c checkpoint
	if err := json.Unmarshal(data, &c); err != nil {
		return 0, common.Address{}, 0, common.Hash{}, false, fmt.Errorf("couldn't decode the directory's checkpoint: %w", err)
	}
	return c.ChainID, c.Contract, c.Block, c.Hash, true, nil
}

// SetCheckpoint records that everything up to the block is in the documents. A checkpoint further ahead stays, and
// that is success.
func (d *Directory) SetCheckpoint(
	ctx context.Context, chainID uint64, contract common.Address, block uint64, hash common.Hash,
) error {
	return d.swap(ctx, checkpointKey, checkpoint{chainID, contract, block, hash}, func(data []byte) (bool, error) {
		var stored checkpoint
		err := json.Unmarshal(data, &stored)
		return stored.Block < block, err
	})
}

// Reset removes everything; the next run of the Follower builds it anew from the chain.
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

// swap replaces the value of key by next, if there is none or next is newer than it, in one compare-and-set; it tries
// again when another writer came in between.
func (d *Directory) swap(ctx context.Context, key string, next any, newer func(stored []byte) (bool, error)) error {
	data, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("couldn't encode the directory's %s: %w", key, err)
	}
	for range casTries {
		stored, revision, err := d.get(ctx, key)
		if err != nil {
			return err
		}
		if stored != nil {
			if ok, err := newer(stored); err != nil {
				return fmt.Errorf("couldn't decode the directory's %s: %w", key, err)
			} else if !ok {
				return nil
			}
		}
		call, cancel := context.WithTimeout(ctx, callTimeout)
		if stored == nil {
			_, err = d.kv.Create(call, key, data)
		} else {
			_, err = d.kv.Update(call, key, data, revision)
		}
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, jetstream.ErrKeyExists), errors.Is(err, jetstream.ErrKeyRevisionMismatch):
			continue
		case errors.Is(err, nats.ErrMaxPayload):
			return fmt.Errorf("couldn't store %s (%d bytes): %w", key, len(data), ErrTooBig)
		default: // failed, or stored with the answer lost: a repetition finds out which
			return fmt.Errorf("couldn't store the directory's %s: %w", key, err)
		}
	}
	return fmt.Errorf("couldn't store the directory's %s: %w", key, ErrContended)
}

// keyOf is the id's 64 hex digits.
func keyOf(id score.ProjectID) string { return id.String()[2:] }
