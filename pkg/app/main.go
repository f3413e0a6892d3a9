package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/lifecycle"
)

type commands struct {
	ConfigFile
	Version kong.VersionFlag `name:"version" help:"Print the version and end."`

	Run         struct{} `cmd:"" default:"1" help:"Run until SIGTERM (the default)."`
	Healthcheck struct{} `cmd:"" help:"Ask the process that runs here whether it is ready; the exit status tells."`
}

// MainAPI runs the command api and returns the exit status.
func MainAPI(args []string) int {
	var cli struct {
		commands
		APISettings
	}
	return service{
		name: "api", about: "Scorelay's HTTP API: accepts signed score updates and tells what became of them.",
		cli: &cli, common: &cli.Common, admin: &cli.AdminListen,
		run: func(drain, kill context.Context, log *slog.Logger) error {
			return RunAPI(drain, kill, &cli.APISettings, log)
		},
	}.main(args)
}

// MainRelayer runs the command relayer and returns the exit status.
func MainRelayer(args []string) int {
	var cli struct {
		commands
		RelayerSettings
	}
	return service{
		name: "relayer", about: "Scorelay's relayer: brings accepted updates to the chain, each exactly once.",
		cli: &cli, common: &cli.Common, admin: &cli.AdminListen,
		run: func(drain, kill context.Context, log *slog.Logger) error {
			return RunRelayer(drain, kill, &cli.RelayerSettings, log)
		},
	}.main(args)
}

// service is a program that runs until a signal. Parsing the command line sets the settings behind cli, common and
// admin.
type service struct {
	name, about string
	cli         any
	common      *Common
	admin       *string
	run         func(drain, kill context.Context, log *slog.Logger) error
}

func (s service) main(args []string) int {
	failed := func(status int, err error) int {
		fmt.Fprintln(os.Stderr, s.name+": "+err.Error())
		return status
	}
	parser, err := NewParser(s.name, s.about, s.cli)
	if err != nil {
		return failed(2, err)
	}
	command, err := parser.Parse(args)
	mistyped := MistypedVariables(parser, os.Environ())
	if err != nil {
		for _, sentence := range mistyped { // a typo may be the cause
			err = errors.Join(err, errors.New(sentence))
		}
		return failed(2, err)
	}
	secrets, err := SecretArguments(command)
	if err != nil {
		return failed(2, err)
	}
	drain, kill, release := lifecycle.Signals(context.Background())
	defer release()
	if command.Command() == "healthcheck" {
		if err := Healthcheck(drain, *s.admin); err != nil {
			return failed(1, err)
		}
		return 0
	}
	log := s.common.Logger(s.name)
	LogRedis(log)
	for _, sentence := range mistyped {
		log.Warn("an environment variable is ignored", "why", sentence)
	}
	for _, sentence := range secrets {
		log.Warn("a secret is among the process's arguments", "why", sentence)
	}
	if err := s.run(drain, kill, log); err != nil {
		log.Error("ended with an error", "err", err)
		return 1
	}
	log.Info("ended")
	return 0
}

// LogRedis makes the Redis library log at level debug: our own lines report what matters. The library has one logger
// per process, so mains call LogRedis before anything runs.
func LogRedis(log *slog.Logger) { redis.SetLogger(redisLog{log}) }

type redisLog struct{ log *slog.Logger }

func (r redisLog) Printf(ctx context.Context, format string, args ...any) {
	if r.log.Enabled(ctx, slog.LevelDebug) {
		r.log.DebugContext(ctx, "the Redis library says", "text", fmt.Sprintf(format, args...))
	}
}
