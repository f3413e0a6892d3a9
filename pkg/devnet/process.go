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
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a server that is another program. It dies with this process.
type Process struct {
	cmd    *exec.Cmd
	out    bytes.Buffer // for reading only after exited
	exited chan struct{}
	once   sync.Once
}

func StartProcess(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, exited: make(chan struct{})}
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

// Stop sends SIGTERM and waits up to patience before it kills the process; 0 kills at once.
func (p *Process) Stop(patience time.Duration) {
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

func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited returns a channel that closes when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Said adds the whole output of a process, which must have stopped, to err.
func (p *Process) Said(err error) error {
	return fmt.Errorf("%w: %s", err, bytes.TrimSpace(p.out.Bytes()))
}

// ErrOther means that the port belongs to another server; the process will notice and exit.
var ErrOther = errors.New("another server answers there")

// Await calls ask until it succeeds, the process exits, or ctx ends.
func (p *Process) Await(ctx context.Context, ask func(ctx context.Context) error) error {
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

// Ports of FreeListener are below the ephemeral ones, so that a stopped server finds its port free when it restarts.
//
// A process takes ports from its own blocks, because another process could choose the same port before a server
// listens on it. A process owns a block while it listens on the block's first port.
const (
	firstPort  = 20000
	blockPorts = 64
	blocks     = (32768 - firstPort) / blockPorts
	ownBlocks  = 16 // at most; after that, ports are reused
)

var (
	portsMu    sync.Mutex
	portBlocks []net.Listener
	portsGiven int
)

// FreeListener listens on a free TCP port of 127.0.0.1, and skips ports of HoldPort.
func FreeListener() (net.Listener, error) {
	portsMu.Lock()
	defer portsMu.Unlock()
	for range ownBlocks * blockPorts {
		if portsGiven == len(portBlocks)*(blockPorts-1) {
			if l := freeBlock(); l != nil {
				portBlocks = append(portBlocks, l)
			} else {
				portsGiven = 0
			}
		}
		if len(portBlocks) == 0 {
			break
		}
		first := portBlocks[portsGiven/(blockPorts-1)].Addr().(*net.TCPAddr).Port
		port := first + 1 + portsGiven%(blockPorts-1)
		portsGiven++
		if l, err := listenAlone(port); err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("couldn't find a free port from %d to %d", firstPort, firstPort+blocks*blockPorts-1)
}

// freeBlock listens on the first port of a free block; nil if all are taken or this process has ownBlocks.
func freeBlock() net.Listener {
	if len(portBlocks) == ownBlocks {
		return nil
	}
	for _, block := range rand.Perm(blocks) {
		if l, err := listenAlone(firstPort + block*blockPorts); err == nil {
			return l
		}
	}
	return nil
}

// listenAlone fails if another socket is bound to the port.
func listenAlone(port int) (net.Listener, error) {
	alone := net.ListenConfig{Control: exclusive}
	return alone.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

func FreePort() (int, error) {
	l, err := FreeListener()
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// portPatience is how long a closed port may stay taken: a program that is just being started has a copy of each of our
// sockets between fork and exec.
const portPatience = 2 * time.Second

// OnPort starts a server. With port 0 it tries up to 5 free ports, because another process may take one first. It
// retries a port that was asked for during portPatience.
func OnPort[T any](port int, start func(port int) (T, error)) (server T, err error) {
	asked, deadline := port != 0, time.Now().Add(portPatience)
	for tries := 1; ; tries++ {
		if !asked {
			if port, err = FreePort(); err != nil {
				return server, err
			}
		}
		server, err = start(port)
		taken := err != nil && strings.Contains(strings.ToLower(err.Error()), "address already in use")
		if !taken || asked && time.Now().After(deadline) || !asked && tries == 5 {
			return server, err
		}
		if asked {
			time.Sleep(20 * time.Millisecond)
		}
	}
}
