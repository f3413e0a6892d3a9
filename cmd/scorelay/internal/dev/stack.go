// Package dev runs a whole Scorelay on one machine, for trials and tests. A stack contains NATS, Redis, a chain, the
// contract, an API key, a demo project, APIs and relayers.
//
// Everything runs in this process, except redis-server if installed. With Separate, all but the chain are child
// processes. A child that dies is restarted on its ports and with its data.
//
// Each start continues the stack in the data directory: the data of servers and chain and, in kept.json, ports,
// lanes, API key and project. A kill at any moment loses no final data: NATS syncs every write, and the chain syncs
// each block before it makes the next. Damaged data, or an outside chain that was reset, is an error.
//
// The stack's accounts have development keys, which anyone can compute.
package dev

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/score"
)

// Indexes of devnet.Key; lanes' signers begin at firstSigner.
const (
	accountAdmin = iota
	accountOwner
	accountUpdater
	accountUpdater2
	accountUpdater3
	firstSigner = 10
)

const (
	readyTimeout = 2 * time.Minute
	drainTimeout = 20 * time.Second
)

type Stack struct {
	Info    Info
	Options Options
	Auditor *index.Auditor
	Meter   *Meter
	Project score.ProjectID
	Redis   string // redis-server or embedded
	Lanes   int
	DataDir string

	chain *chain.Client
	say   func(string)
}

type builder struct {
	opts    Options
	log     *slog.Logger
	say     func(string)
	dir     *dataDir
	kept    *kept
	info    *infoFile
	devnet  *devnet.Chain
	rpcURLs []string
	redis   string
	waiting int
	secrets []app.Secret
	stack   *Stack
	close   []func()
}

// Run starts a stack, calls use, and stops everything when use returns or drain ends. It returns use's errors
// unchanged.
func Run(drain, kill context.Context, opts Options, say func(string), use func(ctx context.Context, s *Stack) error) error {
	dir, err := openDataDir(opts.DataDir) // first, since another stack's lock explains taken ports
	if err != nil {
		return err
	}
	defer dir.release()
	k, releasePorts, err := dir.prepare(&opts, say)
	if err != nil {
		return err
	}
	defer releasePorts()
	log, closeLog, err := dir.logger(opts.LogTo)
	if err != nil {
		return err
	}
	defer closeLog()
	if k.Ready {
		say(fmt.Sprintf("going on with the stack in %s: its API key, project, ports and scores (--fresh begins again)", dir.path))
	} else {
		say("making a new stack in " + dir.path + "; this takes some seconds")
		if err := dir.writeKept(k); err != nil {
			return err
		}
	}
	opts.ChainRPC = k.ChainRPC
	b := &builder{opts: opts, log: log, say: say, dir: dir, kept: k, info: &infoFile{dataDir: dir.path}}
	if err := b.info.remove(); err != nil { // left by a killed stack
		return err
	}
	if err := b.info.setPID("dev", 0, os.Getpid()); err != nil {
		return err
	}
	// lifecycle reports a part that returns early as failed. So after use, this part ends the drain itself and then
	// waits for its ctx to end.
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

func (d *dataDir) prepare(opts *Options, say func(string)) (k *kept, releasePorts func(), err error) {
	if opts.Fresh {
		if err := d.discard(); err != nil {
			return nil, nil, err
		}
	}
	before, err := d.readKept()
	if err != nil {
		return nil, nil, err
	}
	if k, err = opts.merge(before); err != nil {
		return nil, nil, err
	}
	if before == nil && d.hasData() {
		return nil, nil, fmt.Errorf("%s has data of a stack, but no %s: begin again with --fresh, or choose another folder with --data-dir",
			d.path, filepath.Base(d.settings()))
	}
	if !k.Ready { // what an incomplete start left
		k.forget()
		if err := d.discard(); err != nil {
			return nil, nil, err
		}
	}
	releasePorts, err = choosePorts(k, opts.APIs, opts.Relayers, say)
	return k, releasePorts, err
}

// parts returns the parts in starting order.
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

// common returns the settings that APIs and relayers share, with a longer StartTimeout than in production.
func (b *builder) common() (app.Common, app.NATS, app.Chain, app.Secret) {
	return app.Common{LogLevel: "info", LogFormat: "json", StartTimeout: readyTimeout, DrainTimeout: drainTimeout / 2},
		b.natsSettings(), chainSettings(b.rpcURLs), app.Secret(b.redisURL())
}

func (b *builder) natsSettings() app.NATS {
	var urls, monitors []string
	for _, at := range b.kept.Ports.natsServers() {
		urls, monitors = append(urls, "nats://"+loopback(at.Client)), append(monitors, httpURL(at.Monitor))
	}
	return app.NATS{NATSURL: app.Secret(strings.Join(urls, ",")), NATSMonitorURL: strings.Join(monitors, ",")}
}

func (b *builder) redisURL() string { return "redis://" + loopback(b.kept.Ports.Redis) + "/0" }

func chainSettings(urls []string) app.Chain {
	s := app.Chain{ChainTimeout: 10 * time.Second}
	for _, url := range urls {
		s.ChainRPC = append(s.ChainRPC, app.Secret(url))
	}
	return s
}

func (b *builder) apiSettings(i int) (*app.APISettings, error) {
	s := &app.APISettings{}
	if err := defaults(s); err != nil {
		return nil, err
	}
	s.Common, s.NATS, s.Chain, s.RedisURL = b.common()
	s.OTLPEndpoint, s.TraceSampler = b.opts.OTLPEndpoint, "always_on"
	s.Listen, s.AdminListen = loopback(b.kept.Ports.API[i]), loopback(b.kept.Ports.APIAdmin[i])
	s.OpsToken = app.Secret(b.kept.APIKey) // so that users copy only one secret
	return s, s.Validate()
}

func (b *builder) relayerSettings(i int) (*app.RelayerSettings, error) {
	s := &app.RelayerSettings{}
	if err := defaults(s); err != nil {
		return nil, err
	}
	s.Common, s.NATS, s.Chain, s.RedisURL = b.common()
	s.AdminListen, s.RawKeys, s.Replica = loopback(b.kept.Ports.RelayerAdmin[i]), b.secrets, fmt.Sprintf("relayer-%d", i)
	s.OTLPEndpoint, s.Confirmations = b.opts.OTLPEndpoint, b.opts.Confirmations
	s.LeaseTTL = 3 * time.Second                    // short, since users watch how soon a killed relayer is replaced
	s.WebhookAllow = []string{"127.0.0.0/8", "::1"} // receivers on this machine, without TLS
	s.PollInterval = min(s.PollInterval, max(b.opts.BlockTime/4, 10*time.Millisecond))
	return s, s.Validate()
}

func (b *builder) apiPart(i int) lifecycle.Part {
	return service(b, "api", i, APICommand, b.apiSettings, app.RunAPI)
}

func (b *builder) relayerPart(i int) lifecycle.Part {
	return service(b, "relayer", i, RelayerCommand, b.relayerSettings, app.RunRelayer)
}

func service[S any](b *builder, role string, i int, command string, settings func(i int) (S, error),
	run func(drain, kill context.Context, s S, log *slog.Logger) error,
) lifecycle.Part {
	return lifecycle.Part{Name: fmt.Sprintf("%s %d", role, i), Run: func(drain, kill context.Context) error {
		s, err := settings(i)
		if err != nil {
			return err
		}
		if b.opts.Separate {
			return b.child(role, i, serviceCommand(command, append(environ(s), b.opts.overrides(role, i)...))).run(drain, kill)
		}
		_ = b.info.setPID(role, i, os.Getpid())
		return run(drain, kill, s, b.log.With("service", role, "index", i))
	}}
}
