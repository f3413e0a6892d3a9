package devnet

import (
	"errors"
	"fmt"
	"syscall"
)

// HoldPort reserves a TCP port of 127.0.0.1 for a later server. Until release, FreeListener skips the port in every
// process. HoldPort only binds, so servers that set SO_REUSEADDR (Go's, Redis, NATS) can listen.
func HoldPort(port int) (release func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("couldn't hold port %d: %w", port, err)
	}
	err = errors.Join(
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("couldn't hold port %d: %w", port, err), syscall.Close(fd))
	}
	return func() { _ = syscall.Close(fd) }, nil
}

// exclusive clears SO_REUSEADDR, so that binding a port that HoldPort reserves fails.
func exclusive(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0) })
	return errors.Join(err, failed)
}
