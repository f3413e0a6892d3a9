//go:build !linux

package devnet

import "syscall"

// DieWithParent returns nil: only Linux can end a child process together with this one.
func DieWithParent() *syscall.SysProcAttr { return nil }
