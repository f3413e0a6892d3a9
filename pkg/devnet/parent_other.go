//go:build !unix

package devnet

import "syscall"

// DieWithParent returns nil: a child ends together with this process on Linux alone.
func DieWithParent() *syscall.SysProcAttr { return nil }
