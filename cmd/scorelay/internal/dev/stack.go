// Package dev runs a whole Scorelay in one process, for trials: NATS, Redis, a chain, the contract, an API key, a demo
// project, an API and a relayer. Only redis-server is another process, if it is installed.
//
// Each start continues the stack in the data directory: the data of servers and chain and, in kept.json, ports, lanes,
// API key and project. A kill at any moment loses no final data: NATS syncs every write, and the chain syncs each block
// before it makes the next. Damaged data, or an outside chain that was reset, is an error.
//
// The accounts have development keys, which anyone can compute.
package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

const (
	readyTimeout   = 2 * time.Minute
	projectTimeout = 2 * time.Minute
	drainTimeout   = 20 * time.Second
)

type Stack struct {
	Info    devnet.Info
	Options Options
	Auditor *index.Auditor
	Project score.ProjectID
	Lanes   int
	DataDir string
	Redis   string // redis-server or embedded

	log     *slog.Logger
	say     func(string)
	dir     *dataDir
	kept    *kept
	nats    *devnet.NATSServer
	redis   *devnet.RedisServer
	chain   *devnet.Chain // nil: an outside one
	rpc     []string
	client  *chain.Client
	signers []app.Secret
	close   []func()
	held    []func() // release ports
}

// Run starts a stack, calls use, and stops everything when use returns or drain ends. It returns use's errors
// unchanged, unless a part fails.
func Run(drain, kill context.Context, opts Options, say func(string), use func(ctx context.Context, s *Stack) error) error {
	dir, err := openDataDir(opts.DataDir)
	if err != nil {
		return err
	}
	defer dir.release()
	s := &Stack{Options: opts, say: say, dir: dir, DataDir: dir.path}
	defer s.releasePorts()
	if err := s.prepare(); err != nil {
		return err
	}
	log, closeLog, err := dir.logger(opts.LogTo)
	if err != nil {
		return err
	}
	defer closeLog()
	s.log = log
	if s.kept.Ready {
		say(fmt.Sprintf("going on with the stack in %s: its API key, project, ports and scores (--fresh begins again)", dir.path))
	} else {
		say("making a new stack in " + dir.path + "; this takes some seconds")
	}
	if err := devnet.RemoveInfo(dir.path); err != nil { // left by a killed stack
		return err
	}
	// lifecycle reports a part that returns early as failed. So after use, this part ends the drain itself and then
	// waits for its ctx to end.
	drain, end := context.WithCancel(drain)
	defer end()
	var used error
	parts := append(s.parts(), lifecycle.Part{
		Name: "the stack's user",
		Run: func(ctx, _ context.Context) error {
			used = use(ctx, s)
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

// prepare reads the kept settings, and chooses the ports that clients know.
func (s *Stack) prepare() error {
	if s.Options.Fresh {
		if err := s.dir.discard(); err != nil {
			return err
		}
	}
	before, err := s.dir.readKept()
	if err != nil {
		return err
	}
	if s.kept, err = s.Options.merge(before); err != nil {
		return err
	}
	if before == nil && s.dir.hasData() {
		return fmt.Errorf("%s has data of a stack, but no %s%s", s.dir.path, filepath.Base(s.dir.settings()), begin)
	}
	if !s.kept.Ready { // what an incomplete start left
		if err := s.dir.discard(); err != nil {
			return err
		}
	}
	s.Lanes, s.Options.ChainRPC = s.kept.Lanes, s.kept.ChainRPC
	if s.kept.Port == s.kept.RPCPort && s.kept.Port != 0 {
		return errors.New("--port and --rpc-port are the same")
	}
	if s.kept.Port, err = s.holdPort(s.kept.Port, "the API", "--port"); err != nil {
		return err
	}
	if len(s.kept.ChainRPC) == 0 {
		if s.kept.RPCPort, err = s.holdPort(s.kept.RPCPort, "the chain's JSON-RPC", "--rpc-port"); err != nil {
			return err
		}
	}
	if s.kept.Ready {
		return nil // ready stores changes, once the data was compared with the chain
	}
	return s.dir.writeKept(s.kept)
}

// parts returns the parts in starting order.
func (s *Stack) parts() []lifecycle.Part {
	return []lifecycle.Part{
		{Name: "chain", Start: s.startChain, Stop: func(context.Context) error {
			if s.chain != nil {
				s.chain.Close()
			}
			return nil
		}},
		{Name: "nats", Start: func(ctx context.Context) (err error) {
			s.nats, err = starting(ctx, func() (*devnet.NATSServer, error) { return devnet.StartNATS(s.dir.nats(), devnet.NATSOptions{}) })
			return s.damaged(err)
		}, Stop: func(context.Context) error { s.nats.Close(); return nil }},
		{Name: "redis", Start: s.startRedis, Run: s.watchRedis, Stop: func(context.Context) error { s.redis.Close(); return nil }},
		{Name: "the deployment", Start: s.setUp, Stop: s.disconnect},
		{Name: "relayer", Run: func(drain, kill context.Context) error {
			settings, err := s.relayerSettings()
			if err != nil {
				return err
			}
			return app.RunRelayer(drain, kill, settings, s.log.With("service", "relayer"))
		}},
		{Name: "api", Run: func(drain, kill context.Context) error {
			settings, err := s.apiSettings()
			if err != nil {
				return err
			}
			return app.RunAPI(drain, kill, settings, s.log.With("service", "api"))
		}},
		{Name: "the demo project", Start: s.ready, Stop: func(context.Context) error { return devnet.RemoveInfo(s.dir.path) }},
	}
}

func (s *Stack) startChain(context.Context) (err error) {
	if s.rpc = s.kept.ChainRPC; len(s.rpc) > 0 {
		return nil
	}
	if s.chain, err = devnet.StartChain(chainOptions(s.dir, s.kept, s.Options.BlockTime)); err == nil {
		s.rpc = []string{s.chain.URL}
	}
	return s.damaged(err)
}

// chainOptions must yield the same genesis at each start.
func chainOptions(d *dataDir, k *kept, blockTime time.Duration) devnet.ChainOptions {
	return devnet.ChainOptions{Dir: d.chain(), Port: k.RPCPort, Interval: blockTime, Accounts: devnet.AccountSigner + k.Lanes}
}

// starting returns early if ctx ends, since a server may read its data for minutes. The process ends soon then.
func starting[T any](ctx context.Context, start func() (T, error)) (server T, err error) {
	type result struct {
		server T
		err    error
	}
	started := make(chan result, 1)
	go func() { server, err := start(); started <- result{server, err} }()
	select {
	case r := <-started:
		return r.server, r.err
	case <-ctx.Done():
		return server, ctx.Err()
	}
}

func (s *Stack) startRedis(ctx context.Context) (err error) {
	s.redis, err = starting(ctx, func() (*devnet.RedisServer, error) { return devnet.StartRedis(s.dir.redis(), devnet.RedisOptions{}) })
	if err == nil {
		s.Redis = s.redis.Kind
	}
	return err
}

func (s *Stack) watchRedis(drain, _ context.Context) error {
	select {
	case <-drain.Done():
		return nil
	case <-s.redis.Exited():
		return errors.New("redis-server ended by itself")
	}
}

func (s *Stack) natsSettings() app.NATS {
	return app.NATS{NATSURL: app.Secret(s.nats.URL), NATSMonitorURL: s.nats.MonitorURL}
}

func chainSettings(urls []string) app.Chain {
	s := app.Chain{ChainTimeout: 10 * time.Second}
	for _, url := range urls {
		s.ChainRPC = append(s.ChainRPC, app.Secret(url))
	}
	return s
}

// common returns the settings that API and relayer share, with a longer StartTimeout than in production.
func (s *Stack) common() (app.Common, app.NATS, app.Chain, app.Secret) {
	return app.Common{LogLevel: "info", LogFormat: "json", StartTimeout: readyTimeout, DrainTimeout: drainTimeout / 2},
		s.natsSettings(), chainSettings(s.rpc), app.Secret(s.redis.URL)
}

func (s *Stack) apiSettings() (*app.APISettings, error) {
	settings := &app.APISettings{}
	if err := defaults(settings); err != nil {
		return nil, err
	}
	settings.Common, settings.NATS, settings.Chain, settings.RedisURL = s.common()
	settings.OTLPEndpoint, settings.TraceSampler = s.Options.OTLPEndpoint, "always_on"
	settings.Listen, settings.AdminListen = loopback(s.kept.Port), strings.TrimPrefix(s.Info.AdminURLs[0], "http://")
	settings.OpsToken = app.Secret(s.kept.APIKey) // so that users copy only one secret
	return settings, settings.Validate()
}

func (s *Stack) relayerSettings() (*app.RelayerSettings, error) {
	settings := &app.RelayerSettings{}
	if err := defaults(settings); err != nil {
		return nil, err
	}
	settings.Common, settings.NATS, settings.Chain, settings.RedisURL = s.common()
	settings.AdminListen, settings.RawKeys = strings.TrimPrefix(s.Info.AdminURLs[1], "http://"), s.signers
	settings.Replica, settings.Confirmations, settings.OTLPEndpoint = "relayer-0", s.Options.Confirmations, s.Options.OTLPEndpoint
	settings.LeaseTTL = 3 * time.Second                    // short, so that a start after a kill waits less
	settings.WebhookAllow = []string{"127.0.0.0/8", "::1"} // receivers on this machine, without TLS
	settings.PollInterval = min(settings.PollInterval, max(s.Options.BlockTime/4, 10*time.Millisecond))
	return settings, settings.Validate()
}

// ready waits for API and relayer, creates the demo project if the stack is new, and publishes dev.json.
func (s *Stack) ready(all context.Context) error {
	ctx, cancel := context.WithTimeout(all, readyTimeout)
	defer cancel()
	for _, url := range s.Info.AdminURLs {
		err := retry.Do(ctx, math.MaxInt, 50*time.Millisecond, func() error { return app.Healthcheck(ctx, strings.TrimPrefix(url, "http://")) })
		if err != nil {
			return fmt.Errorf("the service at %s did not become ready in time: %w", url, err)
		}
	}
	if !s.kept.Ready {
		ctx, cancel := s.patient(all, projectTimeout)
		defer cancel()
		if err := s.createProject(ctx, sdk.NewClient(s.Info.APIURL, s.kept.APIKey, nil)); err != nil {
			return err
		}
	}
	s.Project, s.kept.Ready = s.kept.ProjectID, true
	if err := s.dir.writeKept(s.kept); err != nil {
		return err
	}
	s.Info.Demo(s.Project)
	self := []int{os.Getpid()}
	s.Info.PIDs = map[string][]int{"dev": self, "chain": self, "nats": self, "redis": self, "api": self, "relayer": self}
	if s.redis.PID != 0 {
		s.Info.PIDs["redis"] = []int{s.redis.PID}
	}
	if s.chain == nil {
		delete(s.Info.PIDs, "chain")
	}
	return s.Info.Write(s.dir.path)
}

// patient returns a context with a timeout; without one if blocks are final by the chain's tag, which may take hours.
func (s *Stack) patient(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if s.Options.Confirmations == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timeout)
}

func (s *Stack) createProject(ctx context.Context, client *sdk.Client) error {
	s.kept.ProjectID = score.ProjectID(randomWord())
	if err := sdk.Retry(ctx, func() error { return client.CreateProject(ctx, devnet.DemoProject(s.kept.ProjectID)) }); err != nil {
		return fmt.Errorf("couldn't create the demo project: %w", err)
	}
	var state *sdk.ProjectState
	err := retry.Do(ctx, math.MaxInt, 100*time.Millisecond, func() (err error) {
		if state, err = client.Project(ctx, s.kept.ProjectID); err == nil && !state.Final() {
			err = errors.New("it is not final")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the demo project did not become final: %w", err)
	}
	if state.Outcome != "" && state.Outcome != score.Applied.String() {
		return fmt.Errorf("the demo project became final with outcome %s", state.Outcome)
	}
	return nil
}
