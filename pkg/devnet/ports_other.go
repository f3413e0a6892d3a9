//go:build !linux

package devnet

import "syscall"

// HoldPort has no effect: only Linux lets a server listen on a held port.
func HoldPort(int) (release func(), err error) { return func() {}, nil }

func exclusive(_, _ string, _ syscall.RawConn) error { return nil }
