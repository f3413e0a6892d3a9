package main

import "syscall"

// dieWithParent makes a child end when the benchmark does, however it ends, and keeps a Ctrl-C at the terminal from it.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
