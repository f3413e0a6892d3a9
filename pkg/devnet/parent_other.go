//go:build !linux

package devnet

import "syscall"

// dieWithParent would make a child process end when this one does; only Linux can.
func dieWithParent() *syscall.SysProcAttr { return nil }
