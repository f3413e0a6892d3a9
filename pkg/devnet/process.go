package devnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// process is a server that runs as a child of this process, and not longer than it.
type process struct {
	cmd    *exec.Cmd
	out    bytes.Buffer  // what it said; to be read after exited
	exited chan struct{} // closed when it is gone, no matter what ended it
	once   sync.Once
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{})}
	cmd.SysProcAttr = DieWithParent()
	cmd.Stdout, cmd.Stderr = &p.out, &p.out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// stop ends the process: it may take this long to end by itself.
func (p *process) stop(patience time.Duration) {
	p.once.Do(func() {
		if patience > 0 {
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-p.exited:
			case <-time.After(patience):
			}
		}
		_ = p.cmd.Process.Kill()
		<-p.exited
	})
}

// said is an error with what the process said before it was stopped.
func (p *process) said(err error) error {
	return fmt.Errorf("%w: %s", err, bytes.TrimSpace(p.out.Bytes()))
}

// errOther says that the port is another server's; the process will find out and exit.
var errOther = errors.New("another server answers there")

// await asks until the process answers. It gives up when that has exited, or ctx ends.
func (p *process) await(ctx context.Context, ask func(ctx context.Context) error) error {
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return errors.New("it exited at once")
		case <-ctx.Done():
			return fmt.Errorf("it did not answer in time: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Ports of FreeListener. Systems give lower ones to well-known services, and the ones above to all who ask for any: to a listener
// on port 0, and to every connection. So a server that was stopped finds its port free when it comes back.
const (
	firstPort = 20000
	ports     = 32768 - firstPort
)

var (
	portsFrom = rand.Uint32N(ports) // of this process: others that run begin elsewhere
	portsSeen atomic.Uint32         // since portsFrom
)

// FreeListener listens on a TCP port of 127.0.0.1 that no process listens on, or holds by HoldPort, and that stays free for a server that
// comes back to it.
func FreeListener() (net.Listener, error) {
	alone := net.ListenConfig{Control: exclusive}
	for range ports {
		port := firstPort + (portsFrom+portsSeen.Add(1))%ports
		l, err := alone.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.FormatUint(uint64(port), 10)))
		if err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("couldn't find a free port from %d to %d", firstPort, firstPort+ports-1)
}

// FreePort finds a port as FreeListener does, on which no process listens now.
func FreePort() (int, error) {
	l, err := FreeListener()
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// onPort starts a server on a port; 0 is a free one, of which several are tried, since another process may take one
// before the server does.
func onPort[T any](port int, start func(port int) (T, error)) (server T, err error) {
	if port != 0 {
		return start(port)
	}
	for range 5 {
		if port, err = FreePort(); err != nil {
			return server, err
		}
		if server, err = start(port); err == nil {
			return server, nil
		}
	}
	return server, err
}
