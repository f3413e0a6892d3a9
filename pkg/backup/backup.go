// Package backup copies JetStream streams and KV buckets into a directory while they are in use, and restores them on
// servers without them. The format is that of NATS's own tools; a manifest, written last, marks the backup complete.
//
// Streams are copied in the caller's order: those that may be older than the rest come first.
//
// Rejected: NATS's own tools alone. Since 2.15 a server gives a restored stream a new creation time, its identity,
// and lanes refuse any stream except the one in their journals.
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

// Version is the only format that this program writes and reads.
const Version = 1

const (
	manifestFile = "manifest.json"
	callTimeout  = 30 * time.Second // per NATS request

	codeNameTaken = 10130 // by a stream, or by a pending restore in a cluster
	codeNoMessage = 10037
)

var (
	ErrIncomplete = errors.New("the directory holds no complete backup")
	// ErrChanged reports a change in Kept.Steady; a retry may succeed.
	ErrChanged = errors.New("it changed during the backup")
	ErrExists  = errors.New("the stream exists")
)

type Manifest struct {
	Version int       `json:"version"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Streams []Stream  `json:"streams"` // in copying order
}

type Stream struct {
	Name     string    `json:"name"`
	Created  time.Time `json:"created"` // its identity, which a restore preserves
	Last     uint64    `json:"last"`    // sequence
	Messages uint64    `json:"messages"`

	marks bool // the server appends delete markers when a message's time to live ends
}

// Kept selects the streams of a backup.
type Kept struct {
	Streams    []string
	Steady     string // a stream in which Subjects must stay unchanged during the backup
	Subjects   []string
	CreatedKey string // metadata key for a restored stream's original creation time; servers set a new one
}

// Write copies the streams into an empty or missing directory. Errors: ErrChanged.
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
	if err := syncAll(dir); err != nil { // before the manifest, which vouches for all files
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

// steady returns each subject's last sequence; 0 if empty.
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

func readMeta(dir string) (meta api.JSApiStreamRestoreRequest, err error) {
	data, err := os.ReadFile(filepath.Join(dir, jsm.SnapshotMetaFile))
	if err == nil {
		err = json.Unmarshal(data, &meta)
	}
	return meta, err
}

// stateOf returns a stream's state, with the creation time before any restore.
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

// Read returns a backup's manifest, or ErrIncomplete if the backup did not end.
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

// Restore restores in copying order, and calls restored for each stream. It may be retried until it succeeds, since
// it skips streams restored earlier. It deletes a partly restored stream, unless the program was killed. ErrExists: a
// name belongs to a different stream, or to one used since. replicas is 1 to 5; 0: the original number.
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
	for i, s := range m.Streams { // check all first, to restore none next to a foreign stream
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
	begins := jsm.RestoreNotify(func(jsm.RestoreProgress) { begun = true }) // once the server has reserved the name
	_, _, err = manager.RestoreSnapshotFromDirectory(ctx, s.Name, dir, jsm.RestoreConfiguration(meta.Config), begins)
	if err != nil && meta.Config.Replicas > 1 && manager.NatsConn().ConnectedClusterName() == "" {
		err = fmt.Errorf("%w: it has %d replicas in the backup, and this server is in no cluster; restore with --replicas 1", err, meta.Config.Replicas)
	}
	var answer api.ApiError
	switch {
	case err != nil && begun: // a cluster would keep the name of a partial restore
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

// same reports whether s and o, an earlier state, are of the same stream, and the end is the same. Only delete
// markers of expired messages may have moved the end.
func (s Stream) same(o Stream) bool {
	return s.Created.Equal(o.Created) && (s.Last == o.Last || s.marks && s.Last > o.Last)
}
