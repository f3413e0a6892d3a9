// Command stack runs a deployment of separate processes: see package stack.
package main

import (
	"os"

	"github.com/scorelay/scorelay/pkg/devnet/rig/stack"
)

func main() { os.Exit(stack.Main(os.Args[1:])) }
