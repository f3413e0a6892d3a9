package devnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// RequireRedisServer is the environment variable that, set to 1, makes StartRedis fail where it would otherwise fall
// back to the embedded server: so a CI run cannot silently test less.
const RequireRedisServer = "SCORELAY_REQUIRE_REDIS_SERVER"

// RedisOptions of StartRedis. The zero value takes a free port and the best server there is.
type RedisOptions struct {
	Port     int  // 0 takes a free one
	Embedded bool // use the embedded server even where redis-server is installed
}

// RedisServer is a Redis on 127.0.0.1.
type RedisServer struct {
	URL  string // redis://127.0.0.1:port/0
	Kind string // "redis-server" or "embedded"
	PID  int    // of redis-server; 0 for the embedded one

	exited chan struct{} // closed when the server is gone
	stop   func()
}

const redisStartTimeout = 10 * time.Second

// StartRedis starts redis-server with its append-only file under dir when it is installed, and otherwise an embedded
// server that keeps everything in memory.
func StartRedis(dir string, opts RedisOptions) (*RedisServer, error) {
	path, err := exec.LookPath("redis-server")
	if err == nil && !opts.Embedded {
		return startRedisServer(path, dir, opts.Port)
	}
	if os.Getenv(RequireRedisServer) == "1" {
		return nil, fmt.Errorf("couldn't find redis-server, and %s=1 rules the embedded one out", RequireRedisServer)
	}
	return startEmbeddedRedis(opts.Port)
}

// Close stops the server.
func (r *RedisServer) Close() { r.stop() }

// Exited is closed when the server is gone, whoever stopped it.
func (r *RedisServer) Exited() <-chan struct{} { return r.exited }

// RedisServerCommand is the command that runs redis-server on a port of 127.0.0.1 with its data under dir.
func RedisServerCommand(path, dir string, port int) *exec.Cmd {
	cmd := exec.Command(path,
		"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--daemonize", "no",
		"--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
		"--maxmemory-policy", "noeviction", "--loglevel", "warning")
	cmd.SysProcAttr = dieWithParent()
	return cmd
}

func startRedisServer(path, dir string, port int) (*RedisServer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("couldn't make Redis's directory: %w", err)
	}
	var err error
	for range 5 { // a free port may be taken by another process before redis-server binds it
		p := port
		if p == 0 {
			if p, err = FreePort(); err != nil {
				return nil, err
			}
		}
		var r *RedisServer
		if r, err = tryRedisServer(path, dir, p); err == nil {
			return r, nil
		}
		if port != 0 {
			break
		}
	}
	return nil, fmt.Errorf("couldn't start %s: %w", path, err)
}

func tryRedisServer(path, dir string, port int) (*RedisServer, error) {
	cmd := RedisServerCommand(path, dir, port)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	var once sync.Once
	stop := func() {
		once.Do(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-exited:
			case <-time.After(5 * time.Second):
				_ = cmd.Process.Kill()
				<-exited
			}
		})
	}
	r := &RedisServer{
		URL:  fmt.Sprintf("redis://127.0.0.1:%d/0", port),
		Kind: "redis-server", PID: cmd.Process.Pid, exited: exited, stop: stop,
	}
	if err := waitRedis(port, cmd.Process.Pid, exited); err != nil {
		stop()
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(out.Bytes()))
	}
	return r, nil
}

// waitRedis returns when the server on port answers and is the process pid.
func waitRedis(port, pid int, exited <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), redisStartTimeout)
	defer cancel()
	client := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), MaxRetries: -1,
		DialTimeout: time.Second, ReadTimeout: time.Second, WriteTimeout: time.Second,
	})
	defer func() { _ = client.Close() }()
	for {
		info, err := client.Info(ctx, "server").Result()
		if err == nil && strings.Contains(info, fmt.Sprintf("process_id:%d\r", pid)) {
			return nil
		}
		if err == nil {
			err = errors.New("another server answers there")
		}
		select {
		case <-exited:
			return errors.New("it exited at once")
		case <-ctx.Done():
			return fmt.Errorf("no answer after %v: %w", redisStartTimeout, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// startEmbeddedRedis runs miniredis, whose keys expire only as far as its clock is pushed: a ticker pushes it.
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

// FreePort finds a TCP port of 127.0.0.1 nobody listens on now.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("couldn't find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
