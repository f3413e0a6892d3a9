package dev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/lifecycle"
)

// The hidden commands of this program that run one server, for Separate.
const (
	NATSCommand  = "run-nats"
	RedisCommand = "run-redis"
)

// servers are the parts that run NATS, Redis and the chain.
func (b *builder) servers() []lifecycle.Part {
	chainPart := lifecycle.Part{Name: "chain", Start: b.startChain, Stop: func(context.Context) error {
		if b.devnet != nil {
			b.devnet.Close()
		}
		return nil
	}}
	if b.opts.Separate {
		return []lifecycle.Part{b.natsChild(), b.redisChild(), chainPart}
	}
	return []lifecycle.Part{b.natsPart(), b.redisPart(), chainPart}
}

func (b *builder) startChain(context.Context) error {
	if len(b.opts.ChainRPC) > 0 {
		b.rpcURLs = b.opts.ChainRPC
		return nil
	}
	c, err := devnet.StartChain(devnet.ChainOptions{
		Port: b.ports.rpc, Interval: b.opts.BlockTime, Accounts: firstSigner + b.opts.Lanes,
	})
	if err != nil {
		return err
	}
	b.devnet, b.rpcURLs = c, []string{c.URL}
	return b.info.setPID("chain", 0, os.Getpid())
}

func (b *builder) natsPart() lifecycle.Part {
	var server *devnet.NATSServer
	return lifecycle.Part{
		Name: "nats",
		Start: func(context.Context) (err error) {
			server, err = devnet.StartNATS(b.dir.nats(), devnet.NATSOptions{Port: b.ports.nats, MonitorPort: b.ports.natsMonitor})
			if err != nil {
				return err
			}
			return b.info.setPID("nats", 0, os.Getpid())
		},
		Stop: func(context.Context) error { server.Close(); return nil },
	}
}

func (b *builder) redisPart() lifecycle.Part {
	var server *devnet.RedisServer
	return lifecycle.Part{
		Name: "redis",
		Start: func(context.Context) (err error) {
			if server, err = devnet.StartRedis(b.dir.redis(), devnet.RedisOptions{Port: b.ports.redis}); err != nil {
				return err
			}
			b.redis = server.Kind
			pid := server.PID
			if pid == 0 {
				pid = os.Getpid()
			}
			return b.info.setPID("redis", 0, pid)
		},
		Stop: func(context.Context) error { server.Close(); return nil },
	}
}

func (b *builder) natsChild() lifecycle.Part {
	command := selfCommand(NATSCommand, "--dir", b.dir.nats(),
		"--port", strconv.Itoa(b.ports.nats), "--monitor-port", strconv.Itoa(b.ports.natsMonitor))
	return lifecycle.Part{Name: "nats", Run: func(drain, kill context.Context) error {
		return b.child("nats", 0, command).run(drain, kill)
	}}
}

func (b *builder) redisChild() lifecycle.Part {
	command := selfCommand(RedisCommand, "--port", strconv.Itoa(b.ports.redis))
	b.redis = "embedded"
	if path, err := exec.LookPath("redis-server"); err == nil {
		b.redis = "redis-server"
		command = func() *exec.Cmd { return devnet.RedisServerCommand(path, b.dir.redis(), b.ports.redis) }
	}
	return lifecycle.Part{
		Name:  "redis",
		Start: func(context.Context) error { return os.MkdirAll(b.dir.redis(), 0o755) },
		Run: func(drain, kill context.Context) error {
			return b.child("redis", 0, command).run(drain, kill)
		},
	}
}

// child is a process of this stack whose id dev.json shows.
func (b *builder) child(role string, index int, command func() *exec.Cmd) *child {
	return &child{
		role: role, index: index, command: command, log: b.log, logDir: b.dir.logs(),
		running: func(pid int) {
			if err := b.info.setPID(role, index, pid); err != nil {
				b.log.Warn("couldn't note a process id; dev.json is out of date", "role", role, "err", err)
			}
		},
	}
}

// selfCommand runs one of this program's own commands.
func selfCommand(args ...string) func() *exec.Cmd {
	return func() *exec.Cmd {
		self, err := os.Executable()
		if err != nil {
			self = os.Args[0]
		}
		return exec.Command(self, args...)
	}
}

// programCommand runs a program with exactly these settings: of our own environment only what is not a setting of ours.
func programCommand(path string, environ []string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(path)
		cmd.Env = append(withoutSettings(os.Environ()), environ...)
		return cmd
	}
}

func withoutSettings(environ []string) []string {
	var kept []string
	for _, variable := range environ {
		if len(variable) < len("SCORELAY_") || variable[:len("SCORELAY_")] != "SCORELAY_" {
			kept = append(kept, variable)
		}
	}
	return kept
}

// RunNATS is the hidden command NATSCommand: a NATS server until drain ends.
func RunNATS(drain context.Context, dir string, port, monitorPort int) error {
	server, err := startAgain(drain, func() (*devnet.NATSServer, error) {
		return devnet.StartNATS(dir, devnet.NATSOptions{Port: port, MonitorPort: monitorPort})
	})
	if err != nil {
		return err
	}
	<-drain.Done()
	server.Close()
	return nil
}

// RunRedis is the hidden command RedisCommand: an embedded Redis until drain ends.
func RunRedis(drain context.Context, port int) error {
	server, err := startAgain(drain, func() (*devnet.RedisServer, error) {
		return devnet.StartRedis("", devnet.RedisOptions{Port: port, Embedded: true})
	})
	if err != nil {
		return err
	}
	<-drain.Done()
	server.Close()
	return nil
}

// startAgain tries a few times: right after a kill the port may still be the dead process's.
func startAgain[T any](ctx context.Context, start func() (T, error)) (T, error) {
	var errs []error
	for range 10 {
		server, err := start()
		if err == nil {
			return server, nil
		}
		errs = append(errs, err)
		select {
		case <-ctx.Done():
			return server, errors.Join(errs...)
		case <-time.After(200 * time.Millisecond):
		}
	}
	var none T
	return none, fmt.Errorf("couldn't start after several tries: %w", errors.Join(errs...))
}
