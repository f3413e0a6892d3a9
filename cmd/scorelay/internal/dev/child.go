package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet"
)

// restartAfter is the pause before a dead process is restarted, so that others notice the death.
const restartAfter = time.Second

type child struct {
	role    string
	index   int
	command func() *exec.Cmd
	log     *slog.Logger
	say     func(string)
	logDir  string
	running func(pid int) // called at each start, and with 0 at each death
}

func (c *child) run(drain, kill context.Context) error {
	path := filepath.Join(c.logDir, fmt.Sprintf("%s-%d.log", c.role, c.index))
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("couldn't open the log of %s %d: %w", c.role, c.index, err)
	}
	defer func() { _ = out.Close() }()
	for {
		if err := c.once(drain, kill, out); err != nil {
			return err
		}
		if drain.Err() != nil {
			return nil
		}
		c.log.Warn("a process died; starting it again with its data", "role", c.role, "index", c.index, "after", restartAfter)
		select {
		case <-drain.Done():
			return nil
		case <-time.After(restartAfter):
			c.say(fmt.Sprintf("%s %d had ended; it is started again, with its data", c.role, c.index))
		}
	}
}

// once runs the process until it ends. It returns an error only if the process could not be started.
func (c *child) once(drain, kill context.Context, out *os.File) error {
	cmd := c.command()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = devnet.DieWithParent()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("couldn't start %s %d: %w", c.role, c.index, err)
	}
	c.running(cmd.Process.Pid)
	defer c.running(0)
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	select {
	case err := <-exited:
		c.log.Warn("a process ended by itself", "role", c.role, "index", c.index, "err", err)
		return nil
	case <-drain.Done():
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.log.Warn("couldn't ask a process to end; killing it", "role", c.role, "err", err)
		_ = cmd.Process.Kill()
	}
	select {
	case err := <-exited:
		c.log.Debug("a process ended", "role", c.role, "err", err)
	case <-kill.Done():
		_ = cmd.Process.Kill()
		c.log.Debug("a process was killed", "role", c.role, "err", <-exited)
	}
	return nil
}
