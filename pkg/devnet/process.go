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
//
// A process takes them from blocks of its own: between the choice of a port and the start of a server there, no other process
// chooses it. It owns a block as long as it runs, by listening on the first port.
const (
	firstPort  = 20000
	blockPorts = 64
	blocks     = (32768 - firstPort) / blockPorts
	ownBlocks  = 16 // at most; then their ports are given again
)

var (
	portsMu    sync.Mutex
	portBlocks []net.Listener // of this process
	portsGiven int            // of those in portBlocks
)

// FreeListener listens on a TCP port of 127.0.0.1 that no process listens on, or holds by HoldPort, and that stays free for a server that
// comes back to it.
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

// freeBlock listens on the first port of a block that no process owns; nil: there is none, or this process has as many as it may.
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

// listenAlone listens on a port that no other socket is bound to.
func listenAlone(port int) (net.Listener, error) {
	alone := net.ListenConfig{Control: exclusive}
	return alone.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// FreePort finds a port as FreeListener does, on which no process listens now.
func FreePort() (int, error) {
	l, err := FreeListener()
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// onPort starts a server on a port; 0 is a free one. If something else takes the free port before the server does, the server
// starts on another one.
func onPort[T any](port int, start func(port int) (T, error)) (server T, err error) {
	if port != 0 {
		return start(port)
	}
	for range 5 {
		if port, err = FreePort(); err != nil {
			return server, err
		}
		if server, err = start(port); err == nil || !strings.Contains(strings.ToLower(err.Error()), "address already in use") {
			return server, err
		}
	}
	return server, err
}
