package devnet

import "syscall"

// DieWithParent makes a child process end when this one does, however it ends, and not before: a Ctrl-C at the terminal
// is for us, who still need it while we drain.
func DieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
