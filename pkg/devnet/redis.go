package devnet

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// RequireRedisServer is the environment variable that, if "1", makes StartRedis fail if redis-server is missing, so
// that CI cannot silently test less.
const RequireRedisServer = "SCORELAY_REQUIRE_REDIS_SERVER"

// RedisOptions configures StartRedis. The zero value is redis-server if installed, on a free port.
type RedisOptions struct {
	Port     int
	Embedded bool // even if redis-server is installed
	// Args are further arguments of redis-server, which StartRedis then requires.
	Args []string
}

type RedisServer struct {
	URL  string
	Kind string // "redis-server" or "embedded"
	PID  int    // of redis-server; 0 if embedded

	exited chan struct{}
	stop   func()
}

const (
	redisStartTimeout = time.Minute
	redisPatience     = 5 * time.Second // to save data and exit
)

// StartRedis starts redis-server with its append-only file under dir. If redis-server is missing, an embedded server
// keeps its data in memory.
func StartRedis(dir string, opts RedisOptions) (*RedisServer, error) {
	path, err := exec.LookPath("redis-server")
	if err == nil && !opts.Embedded {
		return startRedisServer(path, dir, opts)
	}
	if len(opts.Args) > 0 || os.Getenv(RequireRedisServer) == "1" && !opts.Embedded {
		return nil, fmt.Errorf("couldn't find redis-server, and the embedded one does not do (arguments, or %s=1)", RequireRedisServer)
	}
	return startEmbeddedRedis(opts.Port)
}

func (r *RedisServer) Close() { r.stop() }

// Exited returns a channel that closes when the server has ended.
func (r *RedisServer) Exited() <-chan struct{} { return r.exited }

func RedisServerCommand(path, dir string, port int) *exec.Cmd {
	cmd := exec.Command(path,
		"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--daemonize", "no",
		"--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
		"--maxmemory-policy", "noeviction", "--loglevel", "warning")
	cmd.SysProcAttr = DieWithParent()
	return cmd
}

func startRedisServer(path, dir string, opts RedisOptions) (*RedisServer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("couldn't make Redis's directory: %w", err)
	}
	r, err := OnPort(opts.Port, func(port int) (*RedisServer, error) { return tryRedisServer(path, dir, port, opts.Args) })
	if err != nil {
		return nil, fmt.Errorf("couldn't start %s: %w", path, err)
	}
	return r, nil
}

func tryRedisServer(path, dir string, port int, args []string) (*RedisServer, error) {
	cmd := RedisServerCommand(path, dir, port)
	cmd.Args = append(cmd.Args, args...)
	return RunRedis(cmd, port)
}

// RunRedis starts a redis-server or a Sentinel by a command, and waits until it answers on a port.
func RunRedis(cmd *exec.Cmd, port int) (*RedisServer, error) {
	p, err := StartProcess(cmd)
	if err != nil {
		return nil, err
	}
	stop := func() { p.Stop(redisPatience) }
	if err := awaitRedis(p, port); err != nil {
		stop()
		return nil, p.Said(err)
	}
	return &RedisServer{
		URL:  fmt.Sprintf("redis://127.0.0.1:%d/0", port),
		Kind: "redis-server", PID: p.PID(), exited: p.exited, stop: stop,
	}, nil
}

func awaitRedis(p *Process, port int) error {
	ctx, cancel := context.WithTimeout(context.Background(), redisStartTimeout)
	defer cancel()
	client := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), MaxRetries: -1,
		DialTimeout: time.Second, ReadTimeout: time.Second, WriteTimeout: time.Second,
	})
	defer func() { _ = client.Close() }()
	return p.Await(ctx, func(ctx context.Context) error {
		info, err := client.Info(ctx, "server").Result()
		if err == nil && !strings.Contains(info, fmt.Sprintf("process_id:%d\r", p.PID())) {
			err = ErrOther
		}
		return err
	})
}

// startEmbeddedRedis advances miniredis's clock so that keys expire.
func startEmbeddedRedis(port int) (*RedisServer, error) {
	const tick = 50 * time.Millisecond
	m := miniredis.NewMiniRedis()
	if err := m.StartAddr(net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err != nil {
		return nil, fmt.Errorf("couldn't start the embedded Redis: %w", err)
	}
	done, exited := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(exited)
		defer m.Close()
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-done:
				return
			case now := <-ticker.C:
				m.FastForward(now.Sub(last))
				last = now
			}
		}
	}()
	var once sync.Once
	return &RedisServer{
		URL: "redis://" + m.Addr() + "/0", Kind: "embedded", exited: exited,
		stop: func() {
			once.Do(func() { close(done) })
			<-exited
		},
	}, nil
}
