// Command relayer is one replica of Scorelay's relayer. Its settings are in docs/settings.md and `relayer --help`.
package main

import (
	"os"

	"github.com/scorelay/scorelay/pkg/app"
)

func main() { os.Exit(app.MainRelayer(os.Args[1:])) }
