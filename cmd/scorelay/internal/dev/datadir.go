package dev

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/scorelay/scorelay/pkg/app"
)

// Label is the file that marks a data directory as ours.
const Label = "scorelay-dev.txt"

const labelText = "This folder belongs to `scorelay dev`. It keeps the chain, NATS, Redis, keys and ports of a development stack here\n" +
	"and may replace any of them. `scorelay dev --fresh` begins again; deleting the folder is fine while no stack runs.\n"

type dataDir struct {
	path string
	lock *flock.Flock
}

func (d *dataDir) nats() string     { return filepath.Join(d.path, "nats") }
func (d *dataDir) redis() string    { return filepath.Join(d.path, "redis") }
func (d *dataDir) chain() string    { return filepath.Join(d.path, "chain") }
func (d *dataDir) logs() string     { return filepath.Join(d.path, "logs") }
func (d *dataDir) settings() string { return filepath.Join(d.path, "kept.json") }

// servers returns the folders of data that are valid only together.
func (d *dataDir) servers() []string { return []string{d.nats(), d.redis(), d.chain()} }

// openDataDir creates a missing directory, and locks it. A directory with content must be labelled.
func openDataDir(path string) (*dataDir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("couldn't name the data directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("couldn't make the data directory: %w", err)
	}
	d := &dataDir{path: path}
	if err := d.mark(); err != nil {
		return nil, err
	}
	if err := d.take(); err != nil {
		return nil, err
	}
	if err := d.refuseLinks(); err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

// mark labels an empty directory. An unlabelled one with content stays unchanged and is an error.
func (d *dataDir) mark() error {
	label := filepath.Join(d.path, Label)
	if _, err := os.Stat(label); err == nil {
		return nil
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("couldn't look into the data directory: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("--data-dir %s is not a folder of `scorelay dev`: it holds %s and no %s. Nothing in it was changed. "+
			"Choose a folder that is empty or does not exist, or empty this one yourself", d.path, some(entries), Label)
	}
	if err := os.WriteFile(label, []byte(labelText), 0o644); err != nil {
		return fmt.Errorf("couldn't mark the data directory as ours: %w", err)
	}
	return nil
}

func some(entries []fs.DirEntry) string {
	const most = 3
	var names []string
	for _, entry := range entries[:min(most, len(entries))] {
		names = append(names, entry.Name())
	}
	if more := len(entries) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// take locks the directory until release or process end.
func (d *dataDir) take() error {
	d.lock = flock.New(filepath.Join(d.path, "lock"))
	if info, err := os.Lstat(d.lock.Path()); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file, so it cannot lock the data directory"+elsewhere, d.lock.Path())
	}
	taken, err := d.lock.TryLock()
	if err == nil && !taken {
		raw, _ := os.ReadFile(d.lock.Path())
		return fmt.Errorf("another `scorelay dev` (process %s) runs with the data directory %s; end it or choose another with --data-dir",
			strings.TrimSpace(string(raw)), d.path)
	}
	if err == nil {
		err = os.WriteFile(d.lock.Path(), []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	if err != nil {
		return fmt.Errorf("couldn't lock the data directory: %w", err)
	}
	return nil
}

const elsewhere = "; remove it, or choose another folder with --data-dir"

// refuseLinks rejects symbolic links, since a cloned repository could contain a labelled folder with links to files
// outside.
func (d *dataDir) refuseLinks() error {
	for _, folder := range append(d.servers(), d.logs()) {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return fmt.Errorf("couldn't look for links in the data directory: %w", err)
			case entry.Type()&fs.ModeSymlink != 0:
				return fmt.Errorf("%s is a symbolic link, and `scorelay dev` writes nothing through links"+elsewhere, path)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *dataDir) hasData() bool {
	for _, folder := range d.servers() {
		if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
			return true
		}
	}
	return false
}

// discard removes only the servers' data and kept.json, so the user's own files stay.
func (d *dataDir) discard() error {
	var errs []error
	for _, path := range append(d.servers(), d.settings()) {
		errs = append(errs, os.RemoveAll(path))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("couldn't begin again in the data directory: %w", err)
	}
	return nil
}

// logger returns a log that writes to logs/dev.log and, unless nil, to also, and a function that closes it. It moves
// earlier logs to logs.old.
func (d *dataDir) logger(also io.Writer) (*slog.Logger, func(), error) {
	err := os.RemoveAll(d.logs() + ".old")
	if err == nil {
		if err = os.Rename(d.logs(), d.logs()+".old"); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.MkdirAll(d.logs(), 0o755)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("couldn't make the log directory: %w", err)
	}
	file, err := os.Create(filepath.Join(d.logs(), "dev.log"))
	if err != nil {
		return nil, nil, fmt.Errorf("couldn't open the log: %w", err)
	}
	var out io.Writer = file
	if also != nil {
		out = io.MultiWriter(file, also)
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: app.LogAttr})), func() { _ = file.Close() }, nil
}

func (d *dataDir) release() { _ = d.lock.Close() }
