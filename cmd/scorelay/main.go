// Command scorelay is the operator's tool of Scorelay: it sets deployments up, issues API keys, looks after dead
// letters, audits, makes load, measures gas, and brings up a whole stack for development.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/lifecycle"
)

type cli struct {
	app.ConfigFile

	Dev     devCommand     `cmd:"" help:"Bring up everything on this machine: NATS, Redis, a chain, the contract, APIs and relayers."`
	Setup   setupCommand   `cmd:"" help:"Make a deployment: deploy the contract, grant the relayer role, create the streams."`
	Keys    keysCommand    `cmd:"" help:"Issue, list and revoke API keys."`
	DLQ     dlqCommand     `cmd:"" name:"dlq" help:"Look at dead letters: accepted updates that were rejected."`
	Lanes   lanesCommand   `cmd:"" help:"Look at lanes, and decide what only people can."`
	Audit   auditCommand   `cmd:"" help:"Compare what the stream accepted with the contract's events and scores."`
	Load    loadCommand    `cmd:"" help:"Send signed updates at a fixed rate to any deployment."`
	Gas     gasCommand     `cmd:"" help:"Measure what updates cost, on an EVM of its own."`
	Version versionCommand `cmd:"" help:"Print the version."`

	RunNATS  runNATSCommand  `cmd:"" name:"run-nats" hidden:""`
	RunRedis runRedisCommand `cmd:"" name:"run-redis" hidden:""`
}

// signals are the two contexts a command runs under: drain ends at the first Ctrl-C, kill at the second.
type signals struct{ drain, kill context.Context }

// errFailed ends the program with status 1 without a message: what is wrong was printed as the command's result.
var errFailed = errors.New("failed")

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var c cli
	parser, err := app.NewParser("scorelay", "The operator's tool of Scorelay.", &c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scorelay: "+err.Error())
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		var usage *kong.ParseError
		if errors.As(err, &usage) {
			_ = usage.Context.PrintUsage(true)
		}
		fmt.Fprintln(os.Stderr, "scorelay: "+err.Error())
		return 2
	}
	app.LogRedis(commandLog())
	drain, kill, release := lifecycle.Signals(context.Background())
	defer release()
	err = command.Run(signals{drain, kill})
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	default:
		fmt.Fprintln(os.Stderr, "scorelay: "+err.Error())
		return 1
	}
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run() error {
	fmt.Println(app.Version())
	return nil
}

type runNATSCommand struct {
	Dir         string `name:"dir" required:""`
	Port        int    `name:"port" required:""`
	MonitorPort int    `name:"monitor-port" required:""`
}

// Run runs a NATS server for a stack of separate processes.
func (c *runNATSCommand) Run(s signals) error {
	return dev.RunNATS(s.drain, c.Dir, c.Port, c.MonitorPort)
}

type runRedisCommand struct {
	Port int `name:"port" required:""`
}

// Run runs an embedded Redis for a stack of separate processes.
func (c *runRedisCommand) Run(s signals) error { return dev.RunRedis(s.drain, c.Port) }
