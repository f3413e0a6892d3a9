//go:build !linux

package main

import "syscall"

// dieWithParent would make a child end when the benchmark does; only Linux can.
func dieWithParent() *syscall.SysProcAttr { return nil }
