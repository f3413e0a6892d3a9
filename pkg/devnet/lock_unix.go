//go:build unix

package devnet

import (
	"os"
	"syscall"
)

// lockFile waits until this process has the file for itself; closing the file, or the process's end, lets go of it.
func lockFile(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }
