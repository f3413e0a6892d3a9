package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const syncsCommand = "syncs"

// onDisk returns a command, each of its syncs delayed by longer. The process that starts is the command itself, since
// strace runs beside it (-D) and ends with it.
func onDisk(longer time.Duration, name string, args ...string) *exec.Cmd {
	if longer == 0 {
		return exec.Command(name, args...)
	}
	tracer := []string{
		"-D", "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull, "-e", "signal=none", "-e", "trace=fsync,fdatasync",
		"-e", "inject=fsync,fdatasync:delay_enter=" + strconv.FormatInt(longer.Microseconds(), 10), name,
	}
	return exec.Command("strace", append(tracer, args...)...)
}

// syncTime returns the duration of a sync, ms.
func (d *slowDisk) syncTime(ctx context.Context, longer time.Duration) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("couldn't find this program: %w", err)
	}
	out, err := onDisk(longer, self, syncsCommand, d.dir).Output()
	if err != nil {
		return 0, fmt.Errorf("couldn't measure how long a sync takes: %w", errors.Join(err, ctx.Err()))
	}
	took, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		return 0, fmt.Errorf("couldn't read how long a sync takes: %w", err)
	}
	return took, nil
}

// tellSyncs prints the median of 100 syncs of 4 KiB, ms.
func tellSyncs(args []string) (err error) {
	if len(args) != 1 {
		return errors.New("syncs takes a directory")
	}
	file, err := os.Create(filepath.Join(args[0], "syncs"))
	if err != nil {
		return fmt.Errorf("couldn't make a file to sync: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	var took []float64
	for range 100 {
		if _, err := file.Write(make([]byte, 4<<10)); err != nil {
			return fmt.Errorf("couldn't write: %w", err)
		}
		begun := time.Now()
		if err := file.Sync(); err != nil {
			return fmt.Errorf("couldn't sync: %w", err)
		}
		took = append(took, time.Since(begun).Seconds()*1000)
	}
	fmt.Println(median(took))
	return nil
}
