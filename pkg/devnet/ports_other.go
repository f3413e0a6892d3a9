//go:build !linux

package devnet

import "syscall"

// HoldPort does nothing: only Linux lets a server listen on a port that is held.
func HoldPort(int) (release func(), err error) { return func() {}, nil }

func exclusive(_, _ string, _ syscall.RawConn) error { return nil }
