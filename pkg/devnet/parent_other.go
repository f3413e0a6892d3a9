//go:build !linux

package devnet

import "syscall"

// DieWithParent would make a child process end when this one does; only Linux can.
func DieWithParent() *syscall.SysProcAttr { return nil }
