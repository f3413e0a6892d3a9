// Package dev brings up a whole Scorelay on one machine, for people who try it and for tests that attack it: NATS,
// Redis, a chain, the contract, an API key, a demo project, APIs and relayers.
//
// It runs everything in this process, or, with Separate, the servers, APIs and relayers as processes of their own, which
// are the binaries an operator runs; each of those is started again, on its ports and with its data, a second after it dies.
// Only the chain stays in this process then: its state is in memory.
//
// All of its keys are development keys that anyone can compute.
package dev

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Accounts of devnet.Key by what they do in a stack. Those of the lanes' signers begin at firstSigner.
const (
	accountAdmin = iota // deploys the contract
	accountOwner
	accountUpdater
	accountUpdater2
	accountUpdater3
	firstSigner = 10
)

// How long the stack may take to come up, and to end.
const (
	readyTimeout = 2 * time.Minute
	drainTimeout = 20 * time.Second
)

// Stack is a running stack, for whoever uses it once it is ready.
type Stack struct {
	Info    Info
	Options Options
	Chain   *chain.Client
	Stream  *stream.Stream
	Auditor *index.Auditor
	Client  *load.Client
	Meter   *Meter
	Place   *load.Place // the demo project
	Redis   string      // what kind of Redis it is
	LogDir  string
}

// builder holds what is known while a stack comes up.
type builder struct {
	opts    Options
	log     *slog.Logger
	say     func(string) // a line for people
	dir     *dataDir
	ports   ports
	info    *infoFile
	devnet  *devnet.Chain // nil with an external chain
	rpcURLs []string
	redis   string // kind
	secrets []app.Secret
	api     string // path of the program, with Separate
	relayer string
	stack   *Stack
	close   []func()
}

// Run brings a stack up, calls use, and takes everything down when use returns or drain ends. say gets a line for each
// step people should know of. An error of use is returned as it is.
func Run(drain, kill context.Context, opts Options, say func(string), use func(ctx context.Context, s *Stack) error) error {
	if err := opts.Validate(); err != nil {
		return err
	}
	ports, err := choosePorts(&opts)
	if err != nil {
		return err
	}
	dir, removed, err := openDataDir(opts.DataDir)
	if err != nil {
		return err
	}
	defer dir.release()
	if removed != "" {
		say(removed)
	}
	log, closeLog, err := dir.logger(opts.LogTo)
	if err != nil {
		return err
	}
	defer closeLog()
	b := &builder{opts: opts, log: log, say: say, dir: dir, ports: ports, info: &infoFile{dataDir: dir.path}}
	if err := b.info.setPID("dev", 0, os.Getpid()); err != nil {
		return err
	}
	if opts.Separate {
		if b.api, b.relayer, err = binaries(drain, dir.path, say); err != nil {
			return err
		}
	}
	// use decides when the stack ends, so its end is no failure, and only its own error counts.
	drain, end := context.WithCancel(drain)
	defer end()
	var used error
	parts := append(b.parts(), lifecycle.Part{
		Name: "the stack's user",
		Run: func(ctx, _ context.Context) error {
			used = use(ctx, b.stack)
			end()
			<-ctx.Done()
			return nil
		},
	})
	if err := lifecycle.Run(drain, kill, log, drainTimeout, parts...); err != nil {
		return fmt.Errorf("%w (logs are in %s)", err, dir.logs())
	}
	return used
}

// parts in the order they start; each may lean on those before it.
func (b *builder) parts() []lifecycle.Part {
	var parts []lifecycle.Part
	parts = append(parts, b.servers()...)
	parts = append(parts, lifecycle.Part{Name: "the deployment", Start: b.setUp, Stop: b.disconnect})
	for i := range b.opts.Relayers {
		parts = append(parts, b.relayerPart(i))
	}
	for i := range b.opts.APIs {
		parts = append(parts, b.apiPart(i))
	}
	return append(parts, lifecycle.Part{
		Name: "dev.json", Start: b.ready,
		Stop: func(context.Context) error { return b.info.remove() },
	})
}

// common settings of the APIs and relayers. They wait longer for each other than in production.
func (b *builder) common() app.Common {
	return app.Common{LogLevel: "info", LogFormat: "json", StartTimeout: readyTimeout, DrainTimeout: drainTimeout / 2}
}

func (b *builder) natsSettings() app.NATS {
	return app.NATS{
		NATSURL:        app.Secret("nats://" + loopback(b.ports.nats)),
		NATSMonitorURL: httpURL(b.ports.natsMonitor),
	}
}

func (b *builder) redisURL() string { return "redis://" + loopback(b.ports.redis) + "/0" }

func (b *builder) chainSettings() app.Chain {
	s := app.Chain{ChainTimeout: 10 * time.Second, Confirmations: b.opts.Confirmations}
	for _, url := range b.rpcURLs {
		s.ChainRPC = append(s.ChainRPC, app.Secret(url))
	}
	return s
}

// apiSettings are the defaults of cmd/api but for what the stack decides.
func (b *builder) apiSettings(i int) (*app.APISettings, error) {
	s := &app.APISettings{}
	if err := app.Defaults(s); err != nil {
		return nil, err
	}
	s.Common, s.NATS, s.Chain, s.RedisURL = b.common(), b.natsSettings(), b.chainSettings(), app.Secret(b.redisURL())
	s.Listen, s.AdminListen = loopback(b.ports.api[i]), loopback(b.ports.apiAdmin[i])
	return s, s.Validate()
}

// relayerSettings are the defaults of cmd/relayer but for what the stack decides.
func (b *builder) relayerSettings(i int) (*app.RelayerSettings, error) {
	s := &app.RelayerSettings{}
	if err := app.Defaults(s); err != nil {
		return nil, err
	}
	s.Common, s.NATS, s.Chain, s.RedisURL = b.common(), b.natsSettings(), b.chainSettings(), app.Secret(b.redisURL())
	s.AdminListen, s.RawKeys, s.Replica = loopback(b.ports.relayerAdmin[i]), b.secrets, fmt.Sprintf("relayer-%d", i)
	s.LeaseTTL = 3 * time.Second // people watch how soon a killed relayer is replaced
	s.PollInterval = min(s.PollInterval, max(b.opts.BlockTime/4, 10*time.Millisecond))
	return s, s.Validate()
}

func (b *builder) apiPart(i int) lifecycle.Part {
	run := func(drain, kill context.Context) error {
		s, err := b.apiSettings(i)
		if err != nil {
			return err
		}
		if b.opts.Separate {
			return b.child("api", i, programCommand(b.api, append(app.Environ(s), b.opts.overrides("api", i)...))).run(drain, kill)
		}
		_ = b.info.setPID("api", i, os.Getpid())
		return app.RunAPI(drain, kill, s, b.log.With("service", "api", "index", i))
	}
	return lifecycle.Part{Name: fmt.Sprintf("api %d", i), Run: run}
}

func (b *builder) relayerPart(i int) lifecycle.Part {
	run := func(drain, kill context.Context) error {
		s, err := b.relayerSettings(i)
		if err != nil {
			return err
		}
		if b.opts.Separate {
			return b.child("relayer", i, programCommand(b.relayer, append(app.Environ(s), b.opts.overrides("relayer", i)...))).run(drain, kill)
		}
		_ = b.info.setPID("relayer", i, os.Getpid())
		return app.RunRelayer(drain, kill, s, b.log.With("service", "relayer", "index", i))
	}
	return lifecycle.Part{Name: fmt.Sprintf("relayer %d", i), Run: run}
}
