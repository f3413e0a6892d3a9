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

	"github.com/scorelay/scorelay/pkg/app"
)

// dataDir is where a stack keeps everything, for itself alone.
type dataDir struct {
	path string
	lock *os.File
}

func (d *dataDir) nats() string  { return filepath.Join(d.path, "nats") }
func (d *dataDir) redis() string { return filepath.Join(d.path, "redis") }
func (d *dataDir) logs() string  { return filepath.Join(d.path, "logs") }

// openDataDir takes the directory and removes what an earlier stack left: its chain is gone, and streams of another
// chain would be refused. said tells what was removed; it is empty when there was nothing.
func openDataDir(path string) (d *dataDir, said string, err error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, "", fmt.Errorf("couldn't make the data directory: %w", err)
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, "", fmt.Errorf("couldn't name the data directory: %w", err)
	}
	d = &dataDir{path: path}
	if err := d.take(); err != nil {
		return nil, "", err
	}
	for _, old := range []string{d.nats(), d.redis(), d.logs(), infoPath(path)} {
		if _, err := os.Stat(old); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(old); err != nil {
			d.release()
			return nil, "", fmt.Errorf("couldn't remove the last run's data: %w", err)
		}
		said = "removed the last run's NATS and Redis data in " + path + ": its chain is gone, so they mean nothing any more"
	}
	if err := os.MkdirAll(d.logs(), 0o755); err != nil {
		d.release()
		return nil, "", fmt.Errorf("couldn't make the log directory: %w", err)
	}
	return d, said, nil
}

// take locks the directory until this process ends, however it ends.
func (d *dataDir) take() error {
	path := filepath.Join(d.path, "lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("couldn't lock the data directory: %w", err)
	}
	if err := lock(file); err != nil {
		raw, _ := os.ReadFile(path)
		_ = file.Close()
		return fmt.Errorf("another `scorelay dev` (process %s) runs with the data directory %s; end it or choose another with --data-dir",
			strings.TrimSpace(string(raw)), d.path)
	}
	d.lock = file
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("couldn't write the lock: %w", err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0); err != nil {
		return fmt.Errorf("couldn't write the lock: %w", err)
	}
	return nil
}

// logger writes to logs/dev.log, and to also unless it is nil.
func (d *dataDir) logger(also io.Writer) (*slog.Logger, func(), error) {
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
