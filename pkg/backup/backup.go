// Package backup copies streams and buckets out of JetStream into a directory, while they are used, and back into servers that
// have none of them. Each copy is as NATS's own tools have it; a manifest, written last, says that all are there.
//
// Rejected: NATS's own tools alone. A server since 2.15 gives a stream that it restores a new time of creation, which is its
// identity: lanes refuse another stream than the one that their journals name.
//
// The copies are made one after the other, so the caller says in which order: what may be older than the rest comes first.
package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/jsm.go"
	"github.com/nats-io/jsm.go/api"
	"github.com/nats-io/nats.go"
)

// Version of the manifest that this program writes, and the only one that it reads.
const Version = 1

const (
	manifestFile = "manifest.json"
	callTimeout  = 30 * time.Second // of one answer of NATS

	codeNameTaken = 10130 // by a stream, or by a restore that a cluster waits for
	codeNoMessage = 10037
)

var (
	// ErrIncomplete says that a directory holds no whole backup.
	ErrIncomplete = errors.New("the directory holds no complete backup")
	// ErrChanged says that a stream changed during the backup which must not; another try may find it at rest.
	ErrChanged = errors.New("it changed during the backup")
	// ErrExists says that a stream is there, so that it cannot be restored.
	ErrExists = errors.New("the stream exists")
)

// Manifest says what a backup holds.
type Manifest struct {
	Version int       `json:"version"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Streams []Stream  `json:"streams"` // in the order in which they were copied, and are restored
}

// Stream is one copy; a bucket is a stream too.
type Stream struct {
	Name     string    `json:"name"`
	Created  time.Time `json:"created"` // its identity, which a restore keeps
	Last     uint64    `json:"last"`    // its last sequence
	Messages uint64    `json:"messages"`

	marks bool // the server writes into it itself, when a message's time to live ends
}

// Kept says what a deployment keeps in JetStream.
type Kept struct {
	Streams    []string // in the order in which they are copied
	Steady     string   // one of them in which these subjects may not change meanwhile
	Subjects   []string
	CreatedKey string // of metadata that tells when a stream that was restored was made first; servers give it a new time
}

// Write copies what is kept into a directory that is empty or not there. ErrChanged if what must be steady was not.
func (k Kept) Write(ctx context.Context, nc *nats.Conn, dir string) (Manifest, error) {
	m := Manifest{Version: Version, Began: time.Now().UTC()}
	manager, err := jsm.New(nc, jsm.WithTimeout(callTimeout))
	if err != nil {
		return m, fmt.Errorf("couldn't use JetStream: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return m, err
	}
	files, err := os.ReadDir(dir)
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	if err != nil {
		return m, err
	}
	before, err := k.steady(manager)
	if err != nil {
		return m, err
	}
	for _, name := range k.Streams {
		copied, err := k.write(ctx, manager, name, filepath.Join(dir, name))
		if err != nil {
			return m, fmt.Errorf("couldn't back the stream %s up: %w", name, err)
		}
		m.Streams = append(m.Streams, copied)
	}
	after, err := k.steady(manager)
	if err == nil && !slices.Equal(after, before) {
		err = fmt.Errorf("the stream %s: %w", k.Steady, ErrChanged)
	}
	if err != nil {
		return m, err
	}
	m.Ended = time.Now().UTC()
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	if err := syncAll(dir); err != nil { // before the manifest, which vouches for all
		return m, err
	}
	if err := os.WriteFile(filepath.Join(dir, manifestFile), data, 0o600); err != nil {
		return m, err
	}
	return m, syncAll(dir)
}

func (k Kept) write(ctx context.Context, manager *jsm.Manager, name, dir string) (Stream, error) {
	is, err := k.stateOf(manager, name)
	if err != nil {
		return Stream{}, err
	}
	stream, err := manager.LoadStream(name)
	if err != nil {
		return Stream{}, err
	}
	if _, err := stream.SnapshotToDirectory(ctx, dir, jsm.SnapshotHealthCheck()); err != nil {
		return Stream{}, err
	}
	taken, err := readMeta(dir)
	if err != nil {
		return Stream{}, err
	}
	is.Last, is.Messages = taken.State.LastSeq, taken.State.Msgs
	return is, nil
}

// steady are the newest sequences of what must be steady; 0 where there is none.
func (k Kept) steady(manager *jsm.Manager) (newest []uint64, err error) {
	stream, err := manager.LoadStream(k.Steady)
	if err != nil {
		return nil, fmt.Errorf("couldn't find the stream %s: %w", k.Steady, err)
	}
	for _, subject := range k.Subjects {
		last, err := stream.ReadLastMessageForSubject(subject)
		switch {
		case api.IsNatsErr(err, codeNoMessage):
			last = &api.StoredMsg{}
		case err != nil:
			return nil, fmt.Errorf("couldn't read the stream %s: %w", k.Steady, err)
		}
		newest = append(newest, last.Sequence)
	}
	return newest, nil
}

// readMeta is what NATS says of a copy.
func readMeta(dir string) (meta api.JSApiStreamRestoreRequest, err error) {
	data, err := os.ReadFile(filepath.Join(dir, jsm.SnapshotMetaFile))
	if err == nil {
		err = json.Unmarshal(data, &meta)
	}
	return meta, err
}

// stateOf is a stream as it is now.
func (k Kept) stateOf(manager *jsm.Manager, name string) (Stream, error) {
	stream, err := manager.LoadStream(name)
	if err != nil {
		return Stream{}, fmt.Errorf("couldn't find the stream %s: %w", name, err)
	}
	info, err := stream.LatestInformation()
	if err != nil {
		return Stream{}, fmt.Errorf("couldn't read the stream %s: %w", name, err)
	}
	created := info.Created
	if text, restored := info.Config.Metadata[k.CreatedKey]; restored {
		if created, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return Stream{}, fmt.Errorf("the stream %s: %w", name, err)
		}
	}
	return Stream{Name: name, Created: created, Last: info.State.LastSeq, Messages: info.State.Msgs, marks: info.Config.SubjectDeleteMarkerTTL > 0}, nil
}

// syncAll has all files of a directory, and what it lists, on disk.
func syncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Read reads a backup's manifest. ErrIncomplete if the backup did not end.
func Read(dir string) (m Manifest, err error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	if m.Version != Version {
		return m, fmt.Errorf("the backup has format %d, this program reads %d", m.Version, Version)
	}
	return m, nil
}

// Restore brings back what a backup holds, in its order, and says which streams it brings. It may be repeated until it succeeds: what
// an earlier try brought is passed over, and what it broke off is removed, unless the program was killed. ErrExists if another stream of the
// name is there, or one that was used since. Each stream gets so many replicas, 1 to 5; with 0 as many as it had.
func (k Kept) Restore(ctx context.Context, nc *nats.Conn, dir string, replicas int, restored func(Stream)) (Manifest, error) {
	m, err := Read(dir)
	if err != nil {
		return m, err
	}
	manager, err := jsm.New(nc, jsm.WithTimeout(callTimeout))
	if err != nil {
		return m, fmt.Errorf("couldn't use JetStream: %w", err)
	}
	missing := make([]bool, len(m.Streams))
	for i, s := range m.Streams { // all of them first: nothing is brought beside something else
		known, err := manager.IsKnownStream(s.Name)
		if err != nil {
			return m, fmt.Errorf("couldn't look for the stream %s: %w", s.Name, err)
		}
		if missing[i] = !known; !known {
			continue
		}
		is, err := k.stateOf(manager, s.Name)
		if err == nil && !is.same(s) {
			err = fmt.Errorf("%s: %w and is not what the backup holds: name servers that have none of the deployment", s.Name, ErrExists)
		}
		if err != nil {
			return m, err
		}
	}
	for i, s := range m.Streams {
		if !missing[i] {
			continue
		}
		if err := k.restore(ctx, manager, s, filepath.Join(dir, s.Name), replicas); err != nil {
			return m, fmt.Errorf("couldn't restore the stream %s: %w", s.Name, err)
		}
		restored(s)
	}
	return m, nil
}

func (k Kept) restore(ctx context.Context, manager *jsm.Manager, s Stream, dir string, replicas int) error {
	meta, err := readMeta(dir)
	if err != nil {
		return err
	}
	if meta.Config.Metadata == nil {
		meta.Config.Metadata = map[string]string{}
	}
	meta.Config.Metadata[k.CreatedKey] = s.Created.Format(time.RFC3339Nano)
	if replicas > 0 {
		meta.Config.Replicas = replicas
	}
	begun := false
	begins := jsm.RestoreNotify(func(jsm.RestoreProgress) { begun = true }) // the server took the name
	_, _, err = manager.RestoreSnapshotFromDirectory(ctx, s.Name, dir, jsm.RestoreConfiguration(meta.Config), begins)
	if err != nil && meta.Config.Replicas > 1 && manager.NatsConn().ConnectedClusterName() == "" {
		err = fmt.Errorf("%w: it has %d replicas in the backup, and this server is in no cluster; restore with --replicas 1", err, meta.Config.Replicas)
	}
	var answer api.ApiError
	switch {
	case err != nil && begun: // a cluster keeps the name for what was not restored whole
		_ = manager.DeleteStream(s.Name)
		return err
	case errors.As(err, &answer) && answer.NatsErrorCode() == codeNameTaken:
		return fmt.Errorf("%w, which has no such stream: if a restore was killed, delete what it left by NATS's own tools, and restore again", err)
	case err != nil:
		return err
	}
	is, err := k.stateOf(manager, s.Name)
	if err == nil && !is.same(s) {
		err = fmt.Errorf("it is not what the backup holds: %+v instead of %+v", is, s)
	}
	return err
}

// same tells whether it is the same stream, at the same end. Messages may have gone since, those that have a time to live, and left marks.
func (s Stream) same(o Stream) bool {
	return s.Created.Equal(o.Created) && (s.Last == o.Last || s.marks && s.Last > o.Last)
}
