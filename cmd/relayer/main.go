// Command relayer is one replica of Scorelay's relayer. Its settings are in the README; `relayer --help` lists them.
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
	app.RelayerSettings

	Run         struct{} `cmd:"" default:"1" help:"Run until SIGTERM (the default)."`
	Healthcheck struct{} `cmd:"" help:"Ask the relayer that runs here whether it is ready; the exit status tells."`
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var c cli
	parser, err := app.NewParser("relayer", "Scorelay's relayer: brings accepted updates to the chain, each exactly once.", &c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "relayer: "+err.Error())
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "relayer: "+err.Error())
		return 2
	}
	drain, kill, release := lifecycle.Signals(context.Background())
	defer release()
	if command.Command() == "healthcheck" {
		if err := app.Healthcheck(drain, c.AdminListen); err != nil {
			fmt.Fprintln(os.Stderr, "relayer: "+err.Error())
			return 1
		}
		return 0
	}
	log := c.Logger("relayer")
	if err := app.RunRelayer(drain, kill, &c.RelayerSettings, log); err != nil {
		log.Error("ended with an error", "err", err)
		return 1
	}
	log.Info("ended")
	return 0
}
