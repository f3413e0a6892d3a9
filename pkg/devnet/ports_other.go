//go:build !linux

package devnet

import "syscall"

// HoldPort would keep a port for a server that is started later; only Linux lets that server have it.
func HoldPort(int) (release func(), err error) { return func() {}, nil }

func exclusive(_, _ string, _ syscall.RawConn) error { return nil }
