// Command api is one replica of Scorelay's HTTP API. Its settings are in the README; `api --help` lists them.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/lifecycle"
)

type cli struct {
	app.ConfigFile
	Version kong.VersionFlag `name:"version" help:"Print the version and end."`
	app.APISettings

	Run         struct{} `cmd:"" default:"1" help:"Run until SIGTERM (the default)."`
	Healthcheck struct{} `cmd:"" help:"Ask the API that runs here whether it is ready; the exit status tells."`
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var c cli
	parser, err := app.NewParser("api", "Scorelay's HTTP API: accepts signed score updates and tells what became of them.", &c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "api: "+err.Error())
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "api: "+err.Error())
		return 2
	}
	drain, kill, release := lifecycle.Signals(context.Background())
	defer release()
	if command.Command() == "healthcheck" {
		if err := app.Healthcheck(drain, c.AdminListen); err != nil {
			fmt.Fprintln(os.Stderr, "api: "+err.Error())
			return 1
		}
		return 0
	}
	log := c.Logger("api")
	if err := app.RunAPI(drain, kill, &c.APISettings, log); err != nil {
		log.Error("ended with an error", "err", err)
		return 1
	}
	log.Info("ended")
	return 0
}
