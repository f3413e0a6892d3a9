//go:build unix

package dev

import (
	"os"
	"syscall"
)

// lock fails when another process holds the file; the lock ends with the process.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
