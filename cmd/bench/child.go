package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet"
)

const stopTimeout = 15 * time.Second

// child is a process with its own log file.
type child struct {
	name   string
	cmd    *exec.Cmd
	log    string
	exited chan struct{}
}

// starts numbers the log files, so that a restarted process keeps its earlier log.
var starts atomic.Int64

// start starts cmd and logs its standard error and, unless cmd.Stdout is set, its standard output.
func start(logDir, name string, cmd *exec.Cmd) (*child, error) {
	path := filepath.Join(logDir, fmt.Sprintf("%03d-%s.log", starts.Add(1), name))
	log, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("couldn't open the log of %s: %w", name, err)
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor
	cmd.Stderr = log
	if cmd.Stdout == nil {
		cmd.Stdout = log
	}
	cmd.SysProcAttr = devnet.DieWithParent()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("couldn't start %s: %w", name, err)
	}
	c := &child{name: name, cmd: cmd, log: path, exited: make(chan struct{})}
	go func() {
		defer close(c.exited)
		_ = cmd.Wait()
	}()
	return c, nil
}

func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.exited:
	case <-time.After(stopTimeout):
		c.kill()
	}
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.exited
}

func (c *child) gone() error {
	return fmt.Errorf("%s ended by itself (%s); its log is %s", c.name, c.cmd.ProcessState, c.log)
}

// await polls until ready returns nil. It fails if the child ends, or with ready's last error after the timeout.
func (c *child) await(timeout time.Duration, ready func() error) error {
	deadline := time.After(timeout)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-c.exited:
			return c.gone()
		case <-deadline:
			return fmt.Errorf("%s was not ready after %s: %w (its log is %s)", c.name, timeout, err, c.log)
		case <-ticker.C:
		}
	}
}
