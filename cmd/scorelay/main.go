// Command scorelay is the operator's tool. It sets up and operates deployments, estimates gas, and runs a whole stack
// for development.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/lifecycle"
)

type cli struct {
	app.ConfigFile
	Version kong.VersionFlag `name:"version" help:"Print the version and end."`

	Dev      devCommand      `cmd:"" help:"Bring up everything on this machine, in one process: NATS, Redis, a chain, the contract, an API and a relayer."`
	Setup    setupCommand    `cmd:"" help:"Make a deployment: deploy the contract, grant the relayer role, create the streams."`
	Keys     keysCommand     `cmd:"" help:"Issue, change, list and revoke API keys."`
	Projects projectsCommand `cmd:"" help:"Show projects, and edit them by an owner's signature."`
	Webhooks webhooksCommand `cmd:"" help:"Have projects' events be sent to endpoints, as signed POSTs."`
	DLQ      dlqCommand      `cmd:"" name:"dlq" help:"List, show and replay dead letters: accepted updates that were rejected."`
	Status   statusCommand   `cmd:"" help:"Show at a glance whether everything moves, and if not, why not."`
	Pause    pauseCommand    `cmd:"" help:"Have a lane, or all, bind nothing new, or nothing new of a project, while accepting continues or not."`
	Resume   resumeCommand   `cmd:"" help:"Have what was paused resume."`
	Lanes    lanesCommand    `cmd:"" help:"List, add, remove, replace and cut lanes, and let a halted one resume."`
	TopUp    topUpCommand    `cmd:"" name:"topup" help:"Have top-ups of lanes' signers begin again after they stopped."`
	Halt     haltCommand     `cmd:"" help:"Show why accepting halts after NATS went back in time, and have it resume."`
	Backup   backupCommand   `cmd:"" help:"Copy all that NATS keeps of a deployment into a directory, while it runs."`
	Restore  restoreCommand  `cmd:"" help:"Bring a backup into NATS servers that have nothing of the deployment."`
	Audit    auditCommand    `cmd:"" help:"Compare what the stream accepted with the contract's events and scores."`
	Export   exportCommand   `cmd:"" help:"Export a project's updates or scores as CSV or NDJSON, from the chain."`
	Send     sendCommand     `cmd:"" help:"Sign an update and send it, to check a deployment from a shell."`
	Gas      gasCommand      `cmd:"" help:"Estimate what updates cost."`
	Chain    chainCommand    `cmd:"" help:"Show what kind of chain the endpoints lead to, and what of it can be verified."`

	ShowVersion versionCommand `cmd:"" name:"version" help:"Tell version, commit and the formats of what is stored."`
}

// signals are contexts: drain ends at the first Ctrl-C, kill at the second.
type signals struct{ drain, kill context.Context }

type statusError struct {
	error
	status int
}

// errFailed makes the command exit with status 1 and no message, since the printed result shows the failure.
var errFailed = errors.New("failed")

func main() { os.Exit(run(os.Args[1:])) }

// say prints to standard error; results go to standard output.
func say(sentence string) { fmt.Fprintln(os.Stderr, "scorelay: "+sentence) }

func run(args []string) int {
	var c cli
	parser, err := app.NewParser("scorelay", "The operator's tool of Scorelay.", &c)
	if err != nil {
		say(err.Error())
		return 2
	}
	command, err := parser.Parse(args)
	for _, sentence := range app.MistypedVariables(parser, os.Environ()) {
		say(sentence)
	}
	if err != nil {
		var usage *kong.ParseError
		if errors.As(err, &usage) {
			_ = usage.Context.PrintUsage(true)
		}
		say(err.Error())
		return 2
	}
	secrets, err := app.SecretArguments(command)
	if err != nil {
		say(err.Error())
		return 2
	}
	for _, sentence := range secrets {
		say(sentence)
	}
	app.LogRedis(commandLog())
	drain, kill, release := lifecycle.Signals(context.Background())
	defer release()
	if err = command.Run(signals{drain, kill}); err != nil && !errors.Is(err, errFailed) {
		say(err.Error())
	}
	return exitStatus(err)
}

func exitStatus(err error) int {
	var of statusError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &of):
		return of.status
	}
	return 1
}
