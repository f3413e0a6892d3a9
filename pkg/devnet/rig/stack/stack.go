// Package stack runs a deployment as separate processes, for tests, drills and benchmarks that kill and replace them:
// NATS servers, Redis, APIs and relayers. The chain runs in the stack's own process, unless --chain-rpc names another.
//
// A process that dies is restarted on its ports. Its data is on disk, except that of the Redis that replaces a missing
// redis-server. Each start continues the stack in the data directory. While the stack is up, dev.json in that directory
// has its addresses, keys and process ids (devnet.Info).
//
// The programs are in a folder that the caller fills: api, relayer, scorelay (for setup) and stack, which is this
// package's own, since it also runs NATS and the embedded Redis. A program that is replaced there runs from its next
// restart on, so an upgrade is a new file and a kill.
package stack

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/signer"
)

const (
	readyTimeout = 2 * time.Minute
	natsCommand  = "nats"
	redisCommand = "redis"
)

// Main runs a stack, or one of its own servers, until SIGINT or SIGTERM, and returns the exit status.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case len(args) > 0 && args[0] == natsCommand:
		err = runNATS(ctx, args[1:])
	case len(args) > 0 && args[0] == redisCommand:
		err = runRedis(ctx, args[1:])
	default:
		var o *options
		if o, err = parse(args); err == nil {
			err = run(ctx, o)
		}
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "stack: "+err.Error())
		return 1
	}
	return 0
}

type stack struct {
	*options
	log  *slog.Logger
	fail context.CancelCauseFunc
	kept

	processes []*process
	chain     *devnet.Chain // nil: an outside one
	rpc       []string

	mu    sync.Mutex
	pids  map[string][]int // by role; 0: not running
	ready bool             // so dev.json is written
}

// kept is for later starts. While Ready is false, the next start discards the data.
type kept struct {
	Ready     bool            `json:"ready"`
	ChainRPC  string          `json:"chainRpc"` // of an outside chain; empty: our own
	Lanes     int             `json:"lanes"`
	Servers   int             `json:"natsServers"`
	Ports     map[string]int  `json:"ports"` // by role and index, such as api.0
	ChainID   uint64          `json:"chainId"`
	Contract  string          `json:"contract"`
	APIKey    string          `json:"apiKey"`
	ProjectID score.ProjectID `json:"projectId"`
}

// run returns when ctx ends, after all processes, or with the error of a process that could not be started.
func run(ctx context.Context, o *options) (err error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s := &stack{options: o, fail: fail, pids: map[string][]int{"dev": {os.Getpid()}}}
	if err := s.prepare(); err != nil {
		return err
	}
	release, err := s.holdPorts()
	if err != nil {
		return err
	}
	defer release()
	defer s.stop()
	if err := s.up(ctx); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	s.say("the stack is up; its addresses are in %s", filepath.Join(s.dir, "dev.json"))
	<-ctx.Done()
	s.say("ending")
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

func (s *stack) say(format string, args ...any) { fmt.Printf("· "+format+"\n", args...) }

// prepare makes the data directory, or reads what a stack stored there. It refuses a folder of anything else.
func (s *stack) prepare() (err error) {
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return fmt.Errorf("couldn't name the data directory: %w", err)
	}
	raw, err := os.ReadFile(s.path(stored))
	switch entries, _ := os.ReadDir(s.dir); {
	case err == nil:
		err = json.Unmarshal(raw, &s.kept)
	case errors.Is(err, fs.ErrNotExist) && len(entries) > 0:
		return fmt.Errorf("%s is not empty and has no %s, so it is no stack's folder: choose another with --data-dir", s.dir, stored)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("couldn't read what the data directory keeps: %w", err)
	}
	if !s.Ready || s.fresh {
		s.kept = kept{Lanes: s.lanes, Servers: s.natsServers, ChainRPC: s.chainRPC, Ports: map[string]int{}}
		for _, name := range []string{"nats", "redis", "chain"} {
			err = errors.Join(err, os.RemoveAll(s.path(name)))
		}
	}
	if s.chainRPC == "" {
		s.chainRPC = s.ChainRPC
	}
	if s.Lanes != s.lanes || s.Servers != s.natsServers || (s.chainRPC == "") != (s.ChainRPC == "") {
		return fmt.Errorf("%s has %d lanes, %d NATS servers and the chain %q, and their numbers and a chain of its own are fixed: begin again with --fresh",
			s.dir, s.Lanes, s.Servers, s.ChainRPC)
	}
	for _, name := range []string{"logs", "redis"} {
		err = errors.Join(err, os.MkdirAll(s.path(name), 0o700))
	}
	if err = errors.Join(err, devnet.WriteJSON(s.path(stored), s.kept)); err != nil {
		return fmt.Errorf("couldn't prepare the data directory: %w", err)
	}
	log, err := os.Create(s.path("logs", "dev.log"))
	if err != nil {
		return fmt.Errorf("couldn't open the log: %w", err)
	}
	s.log = slog.New(slog.NewJSONHandler(log, nil)) // open until the process ends
	return devnet.RemoveInfo(s.dir)
}

// stored is the file of what a stack keeps, by which later starts know its folder.
const stored = "stack.json"

func (s *stack) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// holdPorts chooses the missing ports, and holds all for the processes, which may start later, or again.
func (s *stack) holdPorts() (release func(), err error) {
	asked := map[string]int{"rpc.0": s.rpcPort, "nats.0": s.natsPort}
	var names []string
	for i := range s.apis {
		names = append(names, port("api", i), port("apiAdmin", i))
		if s.port > 0 {
			asked[port("api", i)] = s.port + i
		}
	}
	for i := range s.relayers {
		names = append(names, port("relayerAdmin", i))
	}
	for i := range s.natsServers {
		names = append(names, port("nats", i), port("monitor", i), port("route", i))
	}
	if s.chainRPC == "" {
		names = append(names, "rpc.0")
	}
	var held []func()
	release = func() {
		for _, one := range held {
			one()
		}
	}
	for _, name := range append(names, "redis.0") {
		if asked[name] > 0 {
			s.Ports[name] = asked[name]
		}
		if s.Ports[name] == 0 {
			if s.Ports[name], err = devnet.FreePort(); err != nil {
				release()
				return nil, err
			}
		}
		one, err := devnet.HoldPort(s.Ports[name])
		if err != nil {
			release()
			return nil, fmt.Errorf("the port of %s: %w", name, err)
		}
		held = append(held, one)
	}
	return release, nil
}

func port(role string, i int) string { return role + "." + strconv.Itoa(i) }

func (s *stack) address(role string, i int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Ports[port(role, i)]))
}

// up starts everything in the order of its dependencies, and publishes dev.json.
func (s *stack) up(all context.Context) error {
	ctx, cancel := context.WithTimeout(all, readyTimeout)
	defer cancel()
	if s.rpc = s.endpoints(); s.rpc == nil {
		var err error
		s.chain, err = devnet.StartChain(devnet.ChainOptions{
			Dir: s.path("chain"), Port: s.Ports["rpc.0"], Interval: s.blockTime, Accounts: devnet.AccountSigner + s.lanes,
		})
		if err != nil {
			return err
		}
		s.rpc, s.pids["chain"] = []string{s.chain.URL}, []int{os.Getpid()}
	}
	if err := s.startServers(); err != nil {
		return err
	}
	err := s.jetStream(ctx, func(ctx context.Context, js jetstream.JetStream) error { _, err := js.AccountInfo(ctx); return err })
	if err != nil {
		return err
	}
	if !s.Ready {
		if err := s.setUp(ctx); err != nil {
			return err
		}
	}
	for i := range s.relayers {
		if err := s.start("relayer", i, s.service("relayer", i)); err != nil {
			return err
		}
	}
	for i := range s.apis {
		if err := s.start("api", i, s.service("api", i)); err != nil {
			return err
		}
	}
	for _, url := range s.adminURLs() {
		err := retry.Do(ctx, math.MaxInt, 50*time.Millisecond, func() error { return app.Healthcheck(ctx, strings.TrimPrefix(url, "http://")) })
		if err != nil {
			return fmt.Errorf("the process at %s did not become ready in time; see %s: %w", url, s.path("logs"), err)
		}
	}
	if err := s.project(all); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	return s.publish()
}

// startServers starts NATS and Redis.
func (s *stack) startServers() error {
	for i := range s.natsServers {
		args := []string{
			natsCommand, "--dir", s.path("nats", strconv.Itoa(i)), "--port", strconv.Itoa(s.Ports[port("nats", i)]),
			"--monitor-port", strconv.Itoa(s.Ports[port("monitor", i)]),
		}
		if s.natsServers > 1 {
			args = append(args, s.cluster(i)...)
		}
		if err := s.start("nats", i, func() *exec.Cmd { return exec.Command(s.program("stack"), args...) }); err != nil {
			return err
		}
	}
	redis := func() *exec.Cmd {
		return exec.Command(s.program("stack"), redisCommand, "--port", strconv.Itoa(s.Ports["redis.0"]))
	}
	if path, err := exec.LookPath("redis-server"); err == nil {
		redis = func() *exec.Cmd { return devnet.RedisServerCommand(path, s.path("redis"), s.Ports["redis.0"]) }
	}
	return s.start("redis", 0, redis)
}

func (s *stack) program(name string) string { return filepath.Join(s.programs, name) }

// cluster returns the arguments of a server among several.
func (s *stack) cluster(i int) []string {
	args := []string{"--index", strconv.Itoa(i)}
	if i < len(s.natsRoutes) {
		m := route.FindStringSubmatch(s.natsRoutes[i])
		return append(args, "--cluster-port", m[1], "--routes", strings.ReplaceAll(m[2], "+", ","), "--unlisted")
	}
	var routes []string
	for j := range s.natsServers {
		if j != i {
			routes = append(routes, s.address("route", j))
		}
	}
	return append(args, "--cluster-port", strconv.Itoa(s.Ports[port("route", i)]), "--routes", strings.Join(routes, ","))
}

func runNATS(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet(natsCommand, flag.ContinueOnError)
	var o devnet.NATSOptions
	var cluster devnet.NATSCluster
	dir := flags.String("dir", "", "")
	flags.IntVar(&o.Port, "port", 0, "")
	flags.IntVar(&o.MonitorPort, "monitor-port", 0, "")
	flags.IntVar(&cluster.Index, "index", 0, "")
	flags.IntVar(&cluster.Port, "cluster-port", 0, "")
	routes := flags.String("routes", "", "")
	flags.BoolVar(&cluster.Unlisted, "unlisted", false, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if cluster.Port > 0 {
		cluster.Routes = strings.Split(*routes, ",")
		o.Cluster = &cluster
	}
	server, err := devnet.StartNATS(*dir, o)
	if err != nil {
		return err
	}
	<-ctx.Done()
	server.Close()
	return nil
}

func runRedis(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet(redisCommand, flag.ContinueOnError)
	port := flags.Int("port", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	server, err := devnet.StartRedis("", devnet.RedisOptions{Port: *port, Embedded: true})
	if err != nil {
		return err
	}
	<-ctx.Done()
	server.Close()
	return nil
}

func (s *stack) natsURLs() (urls, monitors string) {
	var all, of []string
	for i := range s.natsServers {
		all, of = append(all, "nats://"+s.address("nats", i)), append(of, "http://"+s.address("monitor", i))
	}
	return strings.Join(all, ","), strings.Join(of, ",")
}

// jetStream calls use once JetStream answers; in a cluster, once it has a leader.
func (s *stack) jetStream(ctx context.Context, use func(ctx context.Context, js jetstream.JetStream) error) error {
	urls, _ := s.natsURLs()
	var conn *nats.Conn
	err := retry.Do(ctx, math.MaxInt, 100*time.Millisecond, func() (err error) {
		conn, err = nats.Connect(urls)
		return err
	})
	if err != nil {
		return fmt.Errorf("NATS did not come up; see %s: %w", s.path("logs"), err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return fmt.Errorf("couldn't reach JetStream: %w", err)
	}
	return retry.Do(ctx, math.MaxInt, 100*time.Millisecond, func() error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return use(ctx, js)
	})
}

// setUp pays the accounts on an outside chain, has scorelay make the deployment, and makes an unlimited API key. In a
// cluster that has just elected its leader, the first tries may fail.
func (s *stack) setUp(ctx context.Context) error {
	if s.chain == nil {
		if err := s.fund(ctx); err != nil {
			return err
		}
	}
	err := retry.Do(ctx, s.natsServers*3, time.Second, func() error {
		cmd := exec.CommandContext(ctx, s.program("scorelay"), "setup")
		cmd.Env = append(s.environ(), "SCORELAY_DEPLOYER_KEY="+devnet.HexKey(devnet.AccountAdmin),
			"SCORELAY_STREAM_REPLICAS="+strconv.Itoa(s.natsServers))
		var told bytes.Buffer
		cmd.Stderr = &told
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("couldn't set the deployment up: %w\n%s", err, &told)
		}
		var made struct {
			ChainID  uint64         `json:"chainId"`
			Contract common.Address `json:"contract"`
		}
		if err := json.Unmarshal(out, &made); err != nil {
			return fmt.Errorf("couldn't read the deployment: %w", err)
		}
		s.ChainID, s.Contract = made.ChainID, made.Contract.Hex()
		return nil
	})
	if err != nil {
		return err
	}
	return s.jetStream(ctx, func(ctx context.Context, js jetstream.JetStream) error {
		store, err := apikey.Open(ctx, js)
		if err != nil {
			return err
		}
		secret, _, err := store.Create(ctx, "stack", apikey.Terms{})
		s.APIKey = secret.Reveal()
		return err
	})
}

var fundEach = new(big.Int).Mul(big.NewInt(100), big.NewInt(params.Ether))

func (s *stack) fund(ctx context.Context) error {
	settings := app.Chain{ChainTimeout: 10 * time.Second}
	for _, url := range s.rpc {
		settings.ChainRPC = append(settings.ChainRPC, app.Secret(url))
	}
	c, err := app.DialChain(ctx, &settings, s.log, prometheus.NewRegistry())
	if err != nil {
		return err
	}
	defer c.Close()
	chainID, err := app.Connector{Log: s.log}.ChainID(ctx, c)
	if err != nil {
		return err
	}
	funder, err := signer.FromHex(s.chainKey, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("--chain-key: %w", err)
	}
	for i := range devnet.AccountSigner + s.lanes {
		if i != devnet.AccountAdmin && i < devnet.AccountSigner {
			continue
		}
		if err := c.Pay(ctx, funder.For(chainID), devnet.Address(i), fundEach); err != nil {
			return fmt.Errorf("couldn't fund %s from %s on chain %d: %w", devnet.Address(i), funder.Address(), chainID, err)
		}
	}
	return nil
}

// environ returns settings that setup, APIs and relayers share, and our own environment without Scorelay's settings.
func (s *stack) environ() []string {
	var keys []string
	for lane := range s.lanes {
		keys = append(keys, devnet.HexKey(devnet.AccountSigner+lane))
	}
	urls, monitors := s.natsURLs()
	environ := []string{
		"SCORELAY_NATS_URL=" + urls, "SCORELAY_NATS_MONITOR_URL=" + monitors, "SCORELAY_CHAIN_RPC=" + strings.Join(s.rpc, ","),
		"SCORELAY_SIGNER_KEYS=" + strings.Join(keys, ","), "SCORELAY_START_TIMEOUT=" + readyTimeout.String(),
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SCORELAY_") {
			environ = append(environ, variable)
		}
	}
	return environ
}

// service returns the command of an API or a relayer. The lease is short, so that a killed relayer is soon replaced.
func (s *stack) service(role string, i int) func() *exec.Cmd {
	environ := append(s.environ(), "SCORELAY_REDIS_URL=redis://"+s.address("redis", 0)+"/0", "SCORELAY_LOG_FORMAT=json",
		"SCORELAY_DRAIN_TIMEOUT=10s", "SCORELAY_ADMIN_LISTEN="+s.address(role+"Admin", i))
	if role == "api" {
		environ = append(environ, "SCORELAY_LISTEN="+s.address("api", i), "SCORELAY_OPS_TOKEN="+s.APIKey)
	} else {
		environ = append(environ, "SCORELAY_REPLICA=relayer-"+strconv.Itoa(i), "SCORELAY_LEASE_TTL=3s", "SCORELAY_WEBHOOK_ALLOW=127.0.0.0/8,::1",
			"SCORELAY_CONFIRMATIONS="+strconv.FormatUint(s.confirmations, 10),
			"SCORELAY_POLL_INTERVAL="+min(500*time.Millisecond, max(s.blockTime/4, 10*time.Millisecond)).String())
	}
	environ = append(environ, s.settings(role, i)...)
	return func() *exec.Cmd {
		cmd := exec.Command(s.program(role))
		cmd.Env = environ
		return cmd
	}
}

func (s *stack) adminURLs() (urls []string) {
	for i := range s.apis {
		urls = append(urls, "http://"+s.address("apiAdmin", i))
	}
	for i := range s.relayers {
		urls = append(urls, "http://"+s.address("relayerAdmin", i))
	}
	return urls
}

// project creates the demo project, waits until it is final, and stores that the stack is complete.
func (s *stack) project(ctx context.Context) error {
	if s.Ready {
		return nil
	}
	if s.confirmations > 0 { // the finalized tag may take hours
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readyTimeout)
		defer cancel()
	}
	_, _ = rand.Read(s.ProjectID[:])
	client, project := sdk.NewClient("http://"+s.address("api", 0), s.APIKey, nil), devnet.DemoProject(s.ProjectID)
	if err := sdk.Retry(ctx, func() error { return client.CreateProject(ctx, project) }); err != nil {
		return fmt.Errorf("couldn't create the demo project: %w", err)
	}
	var state *sdk.ProjectState
	err := retry.Do(ctx, math.MaxInt, 100*time.Millisecond, func() (err error) {
		if state, err = client.Project(ctx, s.ProjectID); err == nil && !state.Final() {
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
	s.Ready = true
	return devnet.WriteJSON(s.path(stored), s.kept)
}

// publish writes dev.json; s.mu is held.
func (s *stack) publish() error {
	urls, monitors := s.natsURLs()
	info := &devnet.Info{
		APIKey: s.APIKey, RPCURL: s.rpc[0], ChainID: s.ChainID, Contract: s.Contract, NATSURL: urls, MonitorURL: monitors,
		RedisURL: "redis://" + s.address("redis", 0) + "/0", AdminURLs: s.adminURLs(), Confirmations: s.confirmations, PIDs: map[string][]int{},
	}
	for i := range s.apis {
		info.APIURLs = append(info.APIURLs, "http://"+s.address("api", i))
	}
	info.APIURL = info.APIURLs[0]
	info.Demo(s.ProjectID)
	for role, pids := range s.pids {
		info.PIDs[role] = []int{}
		for _, pid := range pids {
			if pid != 0 {
				info.PIDs[role] = append(info.PIDs[role], pid)
			}
		}
	}
	return info.Write(s.dir)
}

func (s *stack) setPID(role string, i, pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pids[role]) <= i {
		s.pids[role] = append(s.pids[role], 0)
	}
	if s.pids[role][i] = pid; !s.ready {
		return
	}
	if err := s.publish(); err != nil {
		s.log.Warn("couldn't note a process id; dev.json is out of date", "role", role, "err", err)
	}
}

// stop ends the processes, those first that use others.
func (s *stack) stop() {
	s.mu.Lock()
	s.ready = false
	_ = devnet.RemoveInfo(s.dir)
	s.mu.Unlock()
	s.stopAll("api", "relayer")
	s.stopAll("nats", "redis")
	if s.chain != nil {
		s.chain.Close()
	}
}
