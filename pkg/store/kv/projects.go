package kv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

const checkpointKey = "checkpoint"

// Projects is the directory: a record of every project on the chain, under the 64 hex digits of the project's id. A
// checkpoint marks how far the records include the ledger. A relayer writes them (package index, DirectoryFold).
// Every API replica watches them into memory (ProjectView), so that checking a membership costs no round trip.
//
// Invariants:
//   - A record is a pure function of the contract's final events up to the checkpoint's position, or up to a later
//     position if a writer crashed. While the checkpoint lacks a position, or has Gaps set, records may be older.
//   - The checkpoint is the fence. Each write of a record names a revision of the checkpoint. The server stores the
//     record, in one step, only if that revision is still the newest (Nats-Expected-Last-Subject-Sequence-Subject).
//     So a stored record was computed from the current checkpoint, and a writer that slept, or follows a replaced
//     chain, is refused.
//   - The directory is a copy. The contract checks again when an update is executed, and the fold rebuilds an emptied
//     bucket.
//
// Rejected: asking the chain per request (a round trip, and a slow node stops the API). One document with all
// projects (each edit would rewrite it, and messages have a maximum size). Letting the record with the higher
// position win (after a reorg the right one may be the lower).
//
// Projects is safe for concurrent use.
type Projects struct {
	records Map[score.DatedRecord]
	follows Doc[score.Followed]
}

// OpenProjects has the errors of OpenMap.
func OpenProjects(ctx context.Context, js jetstream.JetStream) (*Projects, error) {
	records, err := OpenMap[score.DatedRecord](ctx, js, projectsBucket, "*", "the directory's record of a project")
	if err != nil {
		return nil, err
	}
	return &Projects{records, Doc[score.Followed]{Map[score.Followed]{records.bucket, checkpointKey, "the directory's checkpoint"}}}, nil
}

// Project returns nil without an error if the project is unknown.
func (p *Projects) Project(ctx context.Context, id score.ProjectID) (*score.Record, error) {
	e, err := p.records.Get(ctx, projectKey(id))
	dated := datedOf(e)
	if err == nil && e.Revision > 0 && dated.Record == nil {
		err = fmt.Errorf("%s: %w: it has no project, another one, or no members", p.records.name(e.Key), ErrInvalid)
	}
	return dated.Record, err
}

// Dated returns a project's record and its place; the zero value if the project is unknown. For an invalid record,
// Record is nil and Block is above every chain's.
func (p *Projects) Dated(ctx context.Context, id score.ProjectID) (score.DatedRecord, error) {
	e, err := p.records.Get(ctx, projectKey(id))
	if e.Revision == 0 {
		return score.DatedRecord{}, err
	}
	return datedOf(e), nil
}

func datedOf(e Entry[score.DatedRecord]) score.DatedRecord {
	if r := e.Document.Record; r == nil || projectKey(r.ID) != e.Key || r.Members == nil {
		return score.DatedRecord{Block: 1<<63 - 1}
	}
	return e.Document
}

// Each ends with the first error of fn. Records are as those of Dated.
func (p *Projects) Each(ctx context.Context, fn func(score.ProjectID, score.DatedRecord) error) error {
	err := p.records.Each(ctx, func(e Entry[score.DatedRecord], _ error) error {
		if id, err := score.ParseProjectID("0x" + e.Key); err == nil {
			return fn(id, datedOf(e))
		}
		return nil // the checkpoint
	})
	if err != nil {
		return fmt.Errorf("couldn't read the directory: %w", err)
	}
	return nil
}

// Beyond returns the projects with records as of block from or later.
func (p *Projects) Beyond(ctx context.Context, from uint64) (ids []score.ProjectID, err error) {
	err = p.Each(ctx, func(id score.ProjectID, dated score.DatedRecord) error {
		if dated.Block >= from {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// Followed returns the checkpoint and its revision, for SetFollowed, Put and Remove; 0 if there is none.
func (p *Projects) Followed(ctx context.Context) (f score.Followed, revision uint64, err error) {
	return p.follows.Get(ctx)
}

// SetFollowed replaces the checkpoint at a revision (0: none yet) and returns the new revision. score.ErrFoldMoved:
// another writer was first. After any other error f may be stored, so read the checkpoint again.
func (p *Projects) SetFollowed(ctx context.Context, revision uint64, f score.Followed) (uint64, error) {
	next, err := p.follows.Replace(ctx, f, revision)
	if errors.Is(err, ErrMoved) {
		return 0, score.ErrFoldMoved
	}
	return next, err
}

// Put stores a project's record if the checkpoint still has a revision; else it returns score.ErrFoldMoved.
// score.ErrTooBig: the record exceeds the server's limit. After any other error the record may be stored; repeating
// is safe.
func (p *Projects) Put(ctx context.Context, checkpoint uint64, dated score.DatedRecord) error {
	data, err := json.Marshal(dated)
	if err != nil {
		return fmt.Errorf("couldn't encode the directory's record of project %s: %w", dated.ID, err)
	}
	return p.write(ctx, checkpoint, &nats.Msg{Subject: p.records.bucket.subject(projectKey(dated.ID)), Data: data})
}

// Remove is Put of a deletion.
func (p *Projects) Remove(ctx context.Context, checkpoint uint64, id score.ProjectID) error {
	msg := nats.NewMsg(p.records.bucket.subject(projectKey(id)))
	msg.Header.Set("KV-Operation", "DEL") // as the client library deletes
	return p.write(ctx, checkpoint, msg)
}

func (p *Projects) write(ctx context.Context, checkpoint uint64, msg *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := p.records.bucket.js.PublishMsg(ctx, msg,
		jetstream.WithExpectLastSequenceForSubject(checkpoint, p.records.bucket.subject(checkpointKey)), jetstream.WithRetryAttempts(0))
	switch {
	case err == nil:
		return nil
	case moved(err):
		return score.ErrFoldMoved
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("couldn't store %s (%d bytes): %w", msg.Subject, len(msg.Data), score.ErrTooBig)
	}
	return fmt.Errorf("couldn't store %s in the directory: %w", msg.Subject, err)
}

func projectKey(id score.ProjectID) string { return id.String()[2:] }

// ProjectView is the whole directory in memory, kept current by Run, and unchanged while NATS is away. It is safe for
// concurrent use.
type ProjectView struct{ *View[*score.Record] }

func (p *Projects) View(log *slog.Logger) *ProjectView {
	return &ProjectView{NewView(p.records, log, func(e Entry[score.DatedRecord], err error) (*score.Record, bool) {
		if e.Key == checkpointKey {
			return nil, false
		}
		dated := datedOf(e)
		if dated.Record == nil {
			log.Error("an entry of the project directory cannot be read; the API keeps what it knew of that project", "key", e.Key, "err", err)
			return nil, false
		}
		dated.Record.Created = dated.Created
		return dated.Record, true
	})}
}

// After returns up to most records by id, from the first above id (nil: from the start). They are read-only.
func (v *ProjectView) After(id *score.ProjectID, most int) []*score.Record {
	if id == nil {
		return v.View.After("", most)
	}
	return v.View.After(projectKey(*id), most)
}

// Project returns a final project's record, read-only.
func (v *ProjectView) Project(id score.ProjectID) (*score.Record, bool) { return v.Get(projectKey(id)) }
