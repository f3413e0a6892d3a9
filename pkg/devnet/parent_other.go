//go:build !linux

package devnet

import "syscall"

// DieWithParent returns nil: only Linux can end a child together with this process.
func DieWithParent() *syscall.SysProcAttr { return nil }
