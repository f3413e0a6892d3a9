package dev

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/lifecycle"
)

// Hidden commands. With Options.Separate, each runs one process of the stack.
const (
	NATSCommand    = "run-nats"
	RedisCommand   = "run-redis"
	APICommand     = "run-api"
	RelayerCommand = "run-relayer"
)

func (b *builder) servers() []lifecycle.Part {
	chainPart := lifecycle.Part{Name: "chain", Start: b.startChain, Stop: func(context.Context) error {
		if b.devnet != nil {
			b.devnet.Close()
		}
		return nil
	}}
	return append(b.natsParts(), b.redisPart(), chainPart)
}

func (b *builder) startChain(context.Context) error {
	if len(b.kept.ChainRPC) > 0 {
		b.rpcURLs = b.kept.ChainRPC
		return nil
	}
	c, err := devnet.StartChain(chainOptions(b.dir, b.kept, b.kept.Ports.RPC, b.opts.BlockTime))
	if err != nil {
		return b.damaged(err)
	}
	b.devnet, b.rpcURLs = c, []string{c.URL}
	return b.info.setPID("chain", 0, os.Getpid())
}

// chainOptions must yield the same genesis at each start.
func chainOptions(d *dataDir, k *kept, port int, blockTime time.Duration) devnet.ChainOptions {
	return devnet.ChainOptions{Dir: d.chain(), Port: port, Interval: blockTime, Accounts: firstSigner + k.Lanes}
}

func (b *builder) natsParts() (parts []lifecycle.Part) {
	all := b.kept.Ports.natsServers()
	for i, at := range all {
		dir, opts := b.dir.nats(), devnet.NATSOptions{Port: at.Client, MonitorPort: at.Monitor}
		args := []string{NATSCommand, "--port", strconv.Itoa(at.Client), "--monitor-port", strconv.Itoa(at.Monitor)}
		if len(all) > 1 {
			dir = b.dir.natsOf(i)
			args = append(args, b.clusterArgs(i)...)
		}
		parts = append(parts, b.server("nats", i, selfCommand(append(args, "--dir", dir)...),
			func(drain, _ context.Context) error { return b.damaged(RunNATS(drain, dir, opts)) }))
	}
	return parts
}

func (b *builder) clusterArgs(i int) []string {
	all := b.kept.Ports.natsServers()
	if i < len(b.opts.NATSRoutes) {
		m := route.FindStringSubmatch(b.opts.NATSRoutes[i])
		return []string{"--index", strconv.Itoa(i), "--cluster-port", m[1], "--routes", strings.ReplaceAll(m[2], "+", ","), "--unlisted"}
	}
	var routes []string
	for j, other := range all {
		if j != i {
			routes = append(routes, loopback(other.Route))
		}
	}
	return []string{"--index", strconv.Itoa(i), "--cluster-port", strconv.Itoa(all[i].Route), "--routes", strings.Join(routes, ",")}
}

func (b *builder) redisPart() lifecycle.Part {
	port := b.kept.Ports.Redis
	path, err := exec.LookPath("redis-server")
	if err != nil {
		b.redis = "embedded"
		return b.server("redis", 0, selfCommand(RedisCommand, "--port", strconv.Itoa(port)),
			func(drain, _ context.Context) error { return RunRedis(drain, port) })
	}
	b.redis = "redis-server"
	return lifecycle.Part{
		Name:  "redis",
		Start: func(context.Context) error { return os.MkdirAll(b.dir.redis(), 0o755) },
		Run:   b.child("redis", 0, func() *exec.Cmd { return devnet.RedisServerCommand(path, b.dir.redis(), port) }).run,
	}
}

func (b *builder) server(role string, index int, command func() *exec.Cmd, run func(drain, kill context.Context) error) lifecycle.Part {
	if b.opts.Separate {
		return lifecycle.Part{Name: role, Run: b.child(role, index, command).run}
	}
	return lifecycle.Part{Name: role, Run: run, Start: func(context.Context) error { return b.info.setPID(role, index, os.Getpid()) }}
}

func (b *builder) child(role string, index int, command func() *exec.Cmd) *child {
	return &child{
		role: role, index: index, command: command, log: b.log, logDir: b.dir.logs(), say: b.say,
		running: func(pid int) {
			if err := b.info.setPID(role, index, pid); err != nil {
				b.log.Warn("couldn't note a process id; dev.json is out of date", "role", role, "err", err)
			}
		},
	}
}

func selfCommand(args ...string) func() *exec.Cmd {
	return func() *exec.Cmd {
		self, err := os.Executable()
		if err != nil {
			self = os.Args[0]
		}
		return exec.Command(self, args...)
	}
}

// serviceCommand makes commands that have settings in place of our own SCORELAY_ variables.
func serviceCommand(command string, settings []string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := selfCommand(command)()
		cmd.Env = append(withoutSettings(os.Environ()), settings...)
		return cmd
	}
}

func withoutSettings(environ []string) []string {
	return slices.DeleteFunc(environ, func(variable string) bool { return strings.HasPrefix(variable, "SCORELAY_") })
}

func RunNATS(drain context.Context, dir string, opts devnet.NATSOptions) error {
	server, err := devnet.StartNATS(dir, opts)
	if err != nil {
		return err
	}
	<-drain.Done()
	server.Close()
	return nil
}

func RunRedis(drain context.Context, port int) error {
	server, err := devnet.StartRedis("", devnet.RedisOptions{Port: port, Embedded: true})
	if err != nil {
		return err
	}
	<-drain.Done()
	server.Close()
	return nil
}
