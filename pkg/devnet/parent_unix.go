//go:build unix && !linux

package devnet

import "syscall"

// DieWithParent only gives the child a process group of its own, so that a Ctrl-C does not reach it: a child ends
// together with this process on Linux alone.
func DieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
