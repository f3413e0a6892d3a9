package devnet

import "syscall"

// dieWithParent makes a child process end when this one does, however it ends.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
