package dev

import "syscall"

// dieWithParent gives the child a process group of its own and makes it end when this process does, however it ends.
func dieWithParent(attr *syscall.SysProcAttr) {
	attr.Setpgid = true
	attr.Pdeathsig = syscall.SIGKILL
}
