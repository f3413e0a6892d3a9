// Command api is one replica of Scorelay's HTTP API. Its settings are in docs/settings.md and `api --help`.
package main

import (
	"os"

	"github.com/scorelay/scorelay/pkg/app"
)

func main() { os.Exit(app.MainAPI(os.Args[1:])) }
