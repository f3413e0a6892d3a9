package devnet

import "syscall"

// DieWithParent makes the kernel kill a child process when this process ends, however it ends. The child has its own
// process group, so that a Ctrl-C reaches only this process, which needs the child until drained.
func DieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
