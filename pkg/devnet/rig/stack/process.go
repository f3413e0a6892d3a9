package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet"
)

const (
	// restartAfter is the pause before a dead process is restarted, so that others notice the death.
	restartAfter = time.Second
	stopTimeout  = 20 * time.Second
)

// process is one of a role's processes, restarted whenever it dies.
type process struct {
	role   string
	index  int
	stop   context.CancelFunc
	ended  chan struct{}
	failed error // couldn't be started; for reading after ended
}

// start starts a process. command returns a new command for each start.
func (s *stack) start(role string, index int, command func() *exec.Cmd) error {
	log, err := os.OpenFile(filepath.Join(s.dir, "logs", fmt.Sprintf("%s-%d.log", role, index)), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("couldn't open the log of %s %d: %w", role, index, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &process{role: role, index: index, stop: stop, ended: make(chan struct{})}
	s.processes = append(s.processes, p)
	go func() {
		defer close(p.ended)
		defer func() { _ = log.Close() }()
		for ctx.Err() == nil {
			if p.failed = s.once(ctx, p, command(), log); p.failed != nil {
				s.fail(p.failed)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(restartAfter):
				s.say("%s %d had ended; it is started again", role, index)
			}
		}
	}()
	return nil
}

// once runs the process until it ends. It returns an error only if the process could not be started.
func (s *stack) once(ctx context.Context, p *process, cmd *exec.Cmd, log *os.File) error {
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, devnet.DieWithParent()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("couldn't start %s %d: %w", p.role, p.index, err)
	}
	s.setPID(p.role, p.index, cmd.Process.Pid)
	defer s.setPID(p.role, p.index, 0)
	exited := make(chan struct{})
	var ended error
	go func() { defer close(exited); ended = cmd.Wait() }()
	select {
	case <-exited:
		s.log.Warn("a process ended by itself", "role", p.role, "index", p.index, "err", ended)
		return nil
	case <-ctx.Done():
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		_ = cmd.Process.Kill()
	}
	select {
	case <-exited:
	case <-time.After(stopTimeout):
		_ = cmd.Process.Kill()
		<-exited
	}
	return nil
}

// stopAll stops the processes of some roles together.
func (s *stack) stopAll(roles ...string) {
	for _, role := range roles {
		for _, p := range s.processes {
			if p.role == role {
				p.stop()
			}
		}
	}
	for _, role := range roles {
		for _, p := range s.processes {
			if p.role == role {
				<-p.ended
			}
		}
	}
}
