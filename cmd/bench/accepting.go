package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

type loadOptions struct {
	name   string
	apis   int
	rate   int // updates per second
	signed int // percent of these in signed groups
}

// accepting is a deployment of processes on a chain with blocks of 30 M gas.
type accepting struct {
	*slowDisk
	dir      string
	anvil    *fresh.Anvil
	redis    *devnet.RedisServer
	natsURL  string
	environ  []string // addresses of dependencies, and keys
	contract common.Address
	urls     []string
	admin    string   // admin listener of the program started last
	children []*child // in order of start

	blocks        time.Duration        // 0: one second
	confirmations int                  // 0: one
	faults        []rpcproxy.Fault     // of endpoints
	endpoints     map[string]*endpoint // by name of the API or relayer; nil: all use the node directly
}

func (d *slowDisk) load(ctx context.Context, dir string, longer time.Duration, o loadOptions) (a accepts, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return a, fmt.Errorf("couldn't make the directory of a load: %w", err)
	}
	s := &accepting{slowDisk: d, dir: dir}
	defer s.close()
	if err := s.start(ctx, longer, o.apis); err != nil {
		return a, err
	}
	return s.send(ctx, o)
}

func (s *accepting) close() {
	for i := len(s.children) - 1; i >= 0; i-- {
		s.children[i].kill() // its data is no longer used
	}
	for _, e := range s.endpoints {
		e.proxy.Close()
	}
	if s.redis != nil {
		s.redis.Close()
	}
	if s.anvil != nil {
		s.anvil.Close()
	}
}

func (s *accepting) start(ctx context.Context, longer time.Duration, apis int) (err error) {
	if s.anvil, err = fresh.StartAnvil(fresh.AnvilOptions{BlockTime: cmp.Or(s.blocks, time.Second), GasLimit: narrow}); err != nil {
		return err
	}
	if s.redis, err = devnet.StartRedis(filepath.Join(s.dir, "redis"), devnet.RedisOptions{}); err != nil {
		return err
	}
	if err := s.startNATS(ctx, longer); err != nil {
		return err
	}
	if err := s.setUp(ctx); err != nil {
		return err
	}
	for i := range s.slowDisk.relayers {
		if _, err := s.startProgram(ctx, s.relayer, replica(i)); err != nil {
			return err
		}
	}
	for i := range apis {
		port, err := devnet.FreePort()
		if err != nil {
			return err
		}
		address := "127.0.0.1:" + strconv.Itoa(port)
		if _, err := s.startProgram(ctx, s.api, "api-"+strconv.Itoa(i), "SCORELAY_LISTEN="+address); err != nil {
			return err
		}
		s.urls = append(s.urls, "http://"+address)
	}
	return nil
}

// startNATS starts a NATS server that syncs every write, and delays each sync by longer.
func (s *accepting) startNATS(ctx context.Context, longer time.Duration) error {
	var ports [2]int
	for i := range ports {
		var err error
		if ports[i], err = devnet.FreePort(); err != nil {
			return err
		}
	}
	config := fmt.Sprintf("listen: \"127.0.0.1:%d\"\nhttp: \"127.0.0.1:%d\"\njetstream { store_dir: %q, sync_interval: always }\n",
		ports[0], ports[1], filepath.Join(s.dir, "nats"))
	path := filepath.Join(s.dir, "nats.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return fmt.Errorf("couldn't write the settings of NATS: %w", err)
	}
	server, err := start(s.dir, "nats", onDisk(longer, s.nats, "-c", path))
	if err != nil {
		return err
	}
	s.children = append(s.children, server)
	s.natsURL = fmt.Sprintf("nats://127.0.0.1:%d", ports[0])
	monitor := fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SCORELAY_") {
			s.environ = append(s.environ, variable)
		}
	}
	for lane := range s.lanes {
		if err := s.addKey(lane); err != nil {
			return err
		}
	}
	s.environ = append(s.environ, "SCORELAY_NATS_URL="+s.natsURL, "SCORELAY_NATS_MONITOR_URL="+monitor,
		"SCORELAY_CHAIN_RPC="+s.anvil.URL, "SCORELAY_REDIS_URL="+s.redis.URL, "SCORELAY_CONFIRMATIONS="+strconv.Itoa(cmp.Or(s.confirmations, 1)),
		"SCORELAY_SIGNER_KEYSTORE="+s.keystore(), "SCORELAY_SIGNER_PASSWORD_FILE="+s.passwordFile(), "SCORELAY_API_KEY_FILE="+s.apiKeyFile())
	return server.await(startTimeout, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, monitor+"/healthz", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("NATS is not healthy: %s", response.Status)
		}
		return nil
	})
}

func (s *accepting) setUp(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, s.scorelay, "setup")
	cmd.Env = append(s.environ, "SCORELAY_DEPLOYER_KEY="+hexOf(accountAdmin))
	out, err := cmd.Output()
	if err != nil {
		return failed("set the deployment up", err)
	}
	var made struct {
		Contract common.Address `json:"contract"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		return fmt.Errorf("couldn't read what setup made: %w", err)
	}
	s.contract = made.Contract
	cmd = exec.CommandContext(ctx, s.scorelay, "keys", "create", "bench", "--rate", "0", "--look-ups", "0", "--gas-per-day", "0")
	cmd.Env = s.environ
	if out, err = cmd.Output(); err != nil {
		return failed("create a key without budgets", err)
	}
	if err := os.WriteFile(s.apiKeyFile(), out, 0o600); err != nil {
		return fmt.Errorf("couldn't keep the key: %w", err)
	}
	return nil
}

// failed adds a failed program's standard error.
func failed(what string, err error) error {
	said := ""
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns it as it is
		said = "\n" + string(exit.Stderr)
	}
	return fmt.Errorf("couldn't %s: %w%s", what, err, said)
}

// startProgram starts an API or a relayer and waits until it is ready.
func (s *accepting) startProgram(ctx context.Context, path, name string, settings ...string) (*child, error) {
	port, err := devnet.FreePort()
	if err != nil {
		return nil, err
	}
	if s.endpoints != nil {
		if s.endpoints[name], err = newEndpoint(s.anvil.URL, 0); err != nil {
			delete(s.endpoints, name)
			return nil, err
		}
		s.endpoints[name].proxy.Add(s.faults...)
		settings = append(settings, "SCORELAY_CHAIN_RPC="+s.endpoints[name].proxy.URL)
	}
	admin := "127.0.0.1:" + strconv.Itoa(port)
	cmd := exec.Command(path)
	cmd.Env = append(append(s.environ[:len(s.environ):len(s.environ)], settings...), "SCORELAY_ADMIN_LISTEN="+admin, "SCORELAY_REPLICA="+name)
	c, err := start(s.dir, name, cmd)
	if err != nil {
		return nil, err
	}
	s.children, s.admin = append(s.children, c), admin
	return c, c.await(startTimeout, func() error { return ready(ctx, admin) })
}

const (
	loadProjects = 32
	loadGroup    = 50
)
