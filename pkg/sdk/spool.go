package sdk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"github.com/scorelay/scorelay/pkg/score"
)

// A spool is an append-only file of lines, in one format for Go and TypeScript. A line begins with the first eight
// hex digits of the SHA-256 of its JSON:
//
//	5e0d8a34 {"n":7,"update":{"updateId":"0x…",…}}  queued, as number 7
//	1c22ab09 {"n":7,"state":"accepted"}             accepted, and followed
//	90ff0112 {"n":7,"state":"done"}                 reported for the last time
//
// An update is pending until it is done. A crash may tear the last line; if that is an update's, Enqueue has not
// returned. Marks (accepted, done) are written without a sync: if one is lost, the update is sent or polled again.
const (
	spoolAccepted = "accepted"
	spoolDone     = "done"

	sumSize      = 8       // hex digits before a line's JSON
	compactBytes = 1 << 20 // size at which put compacts the file; then, twice the compacted size, if larger

	damagedCopies = 9
)

type spoolLine struct {
	N      uint64       `json:"n"`
	Update *NamedUpdate `json:"update,omitempty"`
	State  string       `json:"state,omitempty"`
}

type spooled struct {
	n        uint64
	update   NamedUpdate
	accepted bool
}

func (l spoolLine) append(to []byte) []byte {
	raw, _ := json.Marshal(l) // numbers and texts cannot fail
	sum := sha256.Sum256(raw)
	to = hex.AppendEncode(to, sum[:sumSize/2])
	return append(append(append(to, ' '), raw...), '\n')
}

// parseSpool returns the pending updates, sorted by number and each id once, and the highest number. damaged counts
// unreadable lines, except a torn last one.
func parseSpool(raw []byte) (entries []spooled, last uint64, damaged int) {
	live := map[uint64]spooled{}
	for line := range bytes.Lines(raw) {
		l, whole := parseSpoolLine(line)
		switch {
		case !whole && bytes.HasSuffix(line, []byte{'\n'}):
			damaged++
		case !whole:
		case l.State == spoolDone:
			delete(live, l.N) // a later line may reuse the number of a done update
		case l.State == spoolAccepted:
			if e, held := live[l.N]; held {
				e.accepted = true
				live[l.N] = e
			}
		case l.Update != nil:
			live[l.N] = spooled{n: l.N, update: *l.Update}
		}
		last = max(last, l.N)
	}
	entries = slices.SortedFunc(maps.Values(live), func(a, b spooled) int { return cmp.Compare(a.n, b.n) })
	// An id occurs twice if it was queued again during its last report and the process died before the mark. The
	// newer update counts.
	newest := map[score.UpdateID]uint64{}
	for _, e := range entries {
		newest[e.update.UpdateID] = e.n
	}
	entries = slices.DeleteFunc(entries, func(e spooled) bool { return newest[e.update.UpdateID] != e.n })
	return entries, last, damaged
}

func parseSpoolLine(line []byte) (l spoolLine, whole bool) {
	sum, raw, _ := bytes.Cut(bytes.TrimSuffix(line, []byte{'\n'}), []byte{' '})
	want := sha256.Sum256(raw)
	if !bytes.HasSuffix(line, []byte{'\n'}) || string(sum) != hex.EncodeToString(want[:sumSize/2]) || json.Unmarshal(raw, &l) != nil {
		return spoolLine{}, false
	}
	return l, true
}

type spool struct {
	path    string
	lock    *flock.Flock
	damaged int  // unreadable lines
	copied  bool // the damaged file was copied, or is intact

	syncing sync.Mutex // held during a sync or replacement of the file; locked before mu

	mu        sync.Mutex
	file      *os.File
	live      map[uint64]spooled
	last      uint64
	updates   int   // approximate number in the file, done ones included
	size      int64 // bytes of the file
	compactAt int64
	appended  int64 // bytes appended since the opening
	synced    int64 // bytes of appended on disk
	broken    error // why the spool is unusable
}

func openSpool(path string) (*spool, []spooled, error) {
	s := &spool{path: path, lock: flock.New(path + ".lock"), live: map[uint64]spooled{}}
	switch locked, err := s.lock.TryLock(); {
	case err != nil:
		return nil, nil, fmt.Errorf("couldn't lock the spool: %w", err)
	case !locked:
		return nil, nil, fmt.Errorf("another sender has the spool %s", path)
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var entries []spooled
	if err == nil {
		entries, s.last, s.damaged = parseSpool(raw)
		s.copied = s.damaged == 0
	}
	for _, e := range entries {
		s.live[e.n] = e
	}
	s.updates = len(entries)
	if err == nil {
		if err = s.compact(); err != nil && s.file == nil && s.reuse(raw) == nil {
			err = nil // if the disk is full, sending the existing updates makes room
		}
	}
	if err != nil {
		_ = s.file.Close() // nil is allowed
		_ = s.lock.Unlock()
		return nil, nil, fmt.Errorf("couldn't open the spool: %w", err)
	}
	return s, entries, nil
}

// reuse continues the existing file, minus a torn end.
func (s *spool) reuse(raw []byte) error {
	file, err := os.OpenFile(s.path, os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	s.size = int64(bytes.LastIndexByte(raw, '\n') + 1)
	if err := errors.Join(file.Truncate(s.size), file.Sync()); err != nil {
		_ = file.Close()
		return err
	}
	s.file, s.compactAt = file, max(compactBytes, 2*s.size)
	return nil
}

// put appends and syncs updates. After ErrSpool they may be stored.
func (s *spool) put(all []*held) error {
	var lines []byte
	for _, h := range all {
		lines = spoolLine{N: h.n, Update: &h.update}.append(lines)
	}
	for {
		upTo, err := s.tryPut(all, lines)
		if err == nil {
			return s.sync(upTo)
		}
		if !s.shrink() {
			return err
		}
	}
}

func (s *spool) tryPut(all []*held, lines []byte) (upTo int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.append(lines); err != nil {
		return 0, err
	}
	for _, h := range all {
		s.live[h.n] = spooled{n: h.n, update: h.update}
	}
	s.updates += len(all)
	return s.appended, nil
}

// shrink compacts the file if more than half of its updates are done, and reports whether it did.
func (s *spool) shrink() bool {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil || 2*len(s.live) >= s.updates {
		return false
	}
	s.updates = len(s.live) // otherwise each call on a full disk would retry it
	return s.compact() == nil
}

func (s *spool) mark(n uint64, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := spoolLine{N: n, State: spoolAccepted}
	if done {
		line.State = spoolDone
		delete(s.live, n)
	} else if e, held := s.live[n]; held {
		e.accepted = true
		s.live[n] = e
	}
	_ = s.append(line.append(nil))
}

// append writes lines; s.mu is held. It removes a partial line, which would corrupt the next one. If that fails, the
// spool is broken.
func (s *spool) append(lines []byte) error {
	if s.broken != nil {
		return fmt.Errorf("%w: %w", ErrSpool, s.broken)
	}
	if _, err := s.file.Write(lines); err != nil {
		if cut := s.file.Truncate(s.size); cut != nil {
			s.broken = cut
		}
		return fmt.Errorf("%w: %w", ErrSpool, err)
	}
	s.size += int64(len(lines))
	s.appended += int64(len(lines))
	return nil
}

// sync returns when the first upTo appended bytes are on disk. It may compact.
func (s *spool) sync(upTo int64) error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	file, appended := s.file, s.appended
	if s.broken == nil && s.synced < upTo && s.size >= s.compactAt {
		if s.compact() != nil {
			s.compactAt = 2 * s.size // the disk may be full, but the file is still usable
		}
	}
	done, broken := s.synced >= upTo, s.broken
	s.mu.Unlock()
	if broken == nil && done {
		return nil
	}
	if broken == nil {
		broken = file.Sync()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if broken != nil { // the kernel may have dropped the dirty pages
		s.broken = broken
		return fmt.Errorf("%w: %w", ErrSpool, broken)
	}
	s.synced = appended
	return nil
}

// compact rewrites the file with the pending updates; s.mu is held, or only the caller has s.
func (s *spool) compact() error {
	if !s.copied {
		if err := s.copyDamaged(); err != nil {
			return err
		}
		s.copied = true
	}
	var lines []byte
	for _, n := range slices.Sorted(maps.Keys(s.live)) {
		e := s.live[n]
		lines = spoolLine{N: n, Update: &e.update}.append(lines)
		if e.accepted {
			lines = spoolLine{N: n, State: spoolAccepted}.append(lines)
		}
	}
	file, err := replaceSynced(s.path, lines)
	if err != nil {
		return err
	}
	old := s.file
	s.file, s.size, s.synced, s.updates = file, int64(len(lines)), s.appended, len(s.live)
	s.compactAt = max(compactBytes, 2*s.size)
	if old != nil {
		_ = old.Close()
	}
	if err := syncDirectory(filepath.Dir(s.path)); err != nil {
		s.broken = err // after a crash the directory may still name the old file, without later lines
		return err
	}
	return nil
}

// copyDamaged copies a damaged file before compact drops its unreadable lines. Earlier copies stay, except the last:
// number damagedCopies is overwritten.
func (s *spool) copyDamaged() error {
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		path := s.path + ".damaged"
		if i > 1 {
			path = fmt.Sprintf("%s-%d", path, i)
		}
		if kept, err := os.ReadFile(path); err == nil && bytes.Equal(kept, raw) {
			return nil // copied before: the process died before it compacted the spool
		}
		var file *os.File
		if i < damagedCopies {
			file, err = writeSynced(path, os.O_EXCL, raw)
		} else {
			file, err = replaceSynced(path, raw)
		}
		if err == nil {
			return file.Close()
		}
		if i == damagedCopies || !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// writeSynced creates a synced file. After a failure it removes the file.
func writeSynced(path string, flag int, raw []byte) (*os.File, error) {
	file, err := os.OpenFile(path, flag|os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = file.Write(raw); err == nil {
		err = file.Sync()
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(path) // frees the space, since the disk may be full
		return nil, err
	}
	return file, nil
}

// replaceSynced replaces a file atomically by a synced one. If it fails, the old file stays.
func replaceSynced(path string, raw []byte) (*os.File, error) {
	next := path + ".new"
	file, err := writeSynced(next, os.O_TRUNC, raw)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(next, path); err != nil {
		_ = file.Close()
		_ = os.Remove(next)
		return nil, err
	}
	return file, nil
}

// syncDirectory makes a rename durable. Windows lacks such a call.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Sync()
}

func (s *spool) close() {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = fs.ErrClosed
	_ = s.file.Close()
	_ = s.lock.Unlock()
}
