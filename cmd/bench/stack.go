package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	replicas     = 2
	pollInterval = 500 * time.Millisecond // SCORELAY_POLL_INTERVAL
	startTimeout = time.Minute
)

// stack is a deployment in a world: NATS, which syncs every write, Redis, and two relayers, each a process. A leg may
// change default settings.
type stack struct {
	*world
	bench     *bench
	nats      *devnet.NATSServer
	redis     *devnet.RedisServer
	conn      *nats.Conn
	stream    *stream.Stream
	js        jetstream.JetStream
	settings  []string // except addresses and keys
	relayers  []*child
	admin     []string // listeners
	enveloped int      // envelopes published so far, for message ids
}

type stackOptions struct {
	maxBatch int // 0: the default
	waiting  int // updates per lane that are published before the relayers start
}

// newStack starts a deployment. Close the result.
func (b *bench) newStack(ctx context.Context, w *world, o stackOptions) (s *stack, err error) {
	s = &stack{world: w, bench: b, relayers: make([]*child, replicas)}
	if o.maxBatch > 0 {
		s.settings = append(s.settings, "SCORELAY_MAX_BATCH="+strconv.Itoa(o.maxBatch))
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.nats, err = devnet.StartNATS(s.path("nats"), devnet.NATSOptions{}); err != nil {
		return s, err
	}
	if s.redis, err = devnet.StartRedis(s.path("redis"), devnet.RedisOptions{}); err != nil {
		return s, err
	}
	if err := s.setUp(ctx); err != nil {
		return s, err
	}
	if err := s.publish(ctx, o.waiting); err != nil {
		return s, err
	}
	for i := range s.relayers {
		port, err := devnet.FreePort()
		if err != nil {
			return s, err
		}
		s.admin = append(s.admin, "127.0.0.1:"+strconv.Itoa(port))
		if err := s.startRelayer(ctx, i); err != nil {
			return s, err
		}
	}
	return s, s.awaitShared(ctx)
}

func (b *bench) deployed(ctx context.Context, leg string, o worldOptions, maxBatch int, measure func(*stack) (figures, error)) (figures, error) {
	w, err := b.newWorld(ctx, leg, o)
	if err != nil {
		return figures{}, err
	}
	defer w.close()
	s, err := b.newStack(ctx, w, stackOptions{maxBatch: maxBatch})
	if err != nil {
		return figures{}, err
	}
	defer s.close()
	return measure(s)
}

func (s *stack) close() {
	for _, relayer := range s.relayers {
		if relayer != nil {
			relayer.kill() // its data is no longer used
		}
	}
	if s.conn != nil {
		s.conn.Close()
	}
	if s.redis != nil {
		s.redis.Close()
	}
	if s.nats != nil {
		s.nats.Close()
	}
}

func (s *stack) setUp(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, s.bench.scorelay, "setup")
	cmd.Env = append(s.environ(s.anvil.URL), "SCORELAY_DEPLOYER_KEY="+hexOf(accountAdmin), "SCORELAY_CONTRACT="+s.contract.Hex(),
		"SCORELAY_DEPLOY_BLOCK="+strconv.FormatUint(s.deployed, 10))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("couldn't set the deployment up: %w\n%s", err, out)
	}
	var err error
	if s.conn, err = nats.Connect(s.nats.URL); err != nil {
		return fmt.Errorf("couldn't reach NATS: %w", err)
	}
	if s.js, err = jetstream.New(s.conn); err != nil {
		return fmt.Errorf("couldn't reach JetStream: %w", err)
	}
	if s.stream, err = stream.Open(ctx, s.js); err != nil {
		return fmt.Errorf("couldn't open the stream: %w", err)
	}
	return nil
}

// environ returns addresses, keys, and the benchmark's environment except Scorelay's settings.
func (s *stack) environ(chain string) []string {
	var keys []string
	for lane := range s.projects {
		keys = append(keys, hexOf(firstSigner+lane))
	}
	environ := []string{
		"SCORELAY_NATS_URL=" + s.nats.URL, "SCORELAY_NATS_MONITOR_URL=" + s.nats.MonitorURL, "SCORELAY_CHAIN_RPC=" + chain,
		"SCORELAY_SIGNER_KEYS=" + strings.Join(keys, ","),
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SCORELAY_") {
			environ = append(environ, variable)
		}
	}
	return environ
}

func (s *stack) startRelayer(ctx context.Context, i int) error {
	cmd := exec.Command(s.bench.relayer)
	cmd.Env = append(s.environ(s.endpoint.proxy.URL), s.settings...)
	cmd.Env = append(cmd.Env, "SCORELAY_REDIS_URL="+s.redis.URL, "SCORELAY_CONFIRMATIONS=1",
		"SCORELAY_POLL_INTERVAL="+pollInterval.String(), "SCORELAY_ADMIN_LISTEN="+s.admin[i], "SCORELAY_REPLICA="+replica(i))
	relayer, err := start(s.dir, replica(i), cmd)
	if err != nil {
		return err
	}
	s.relayers[i] = relayer
	return relayer.await(startTimeout, func() error { return ready(ctx, s.admin[i]) })
}

func replica(i int) string { return "relayer-" + strconv.Itoa(i) }

func ready(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if err == nil && strings.TrimSpace(string(answer)) != "ok" {
		err = errors.New(strings.TrimSpace(string(answer)))
	}
	return err
}

// holders returns the index of each lane's relayer, or -1.
func (s *stack) holders(ctx context.Context) ([]int, error) {
	drivers, err := kv.Drivers(ctx, s.js)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(s.projects))
	for lane := range out {
		out[lane] = -1
		for i := range s.relayers {
			if drivers[score.Lane(lane)] == replica(i) {
				out[lane] = i
			}
		}
	}
	return out, nil
}

// awaitShared waits until the relayers drive all lanes, evenly.
func (s *stack) awaitShared(ctx context.Context) error {
	fair := (len(s.projects) + replicas - 1) / replicas
	return s.relayers[0].await(startTimeout, func() error {
		holders, err := s.holders(ctx)
		if err != nil {
			return err
		}
		held := map[int]int{}
		for _, i := range holders {
			held[i]++
		}
		if held[-1] > 0 || held[0] > fair || held[1] > fair {
			return fmt.Errorf("the lanes are driven by relayers %v", holders)
		}
		return nil
	})
}

func (s *stack) publish(ctx context.Context, perLane int) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range s.projects {
		first := s.enveloped
		s.enveloped += (perLane + stream.MaxEnvelope - 1) / stream.MaxEnvelope
		group.Go(func() error {
			for left := perLane; left > 0; left -= stream.MaxEnvelope {
				first++
				updates := p.next(min(left, stream.MaxEnvelope))
				if err := s.stream.PublishEnvelope(ctx, fmt.Sprintf("bench-%d", first), updates, nil); err != nil {
					return fmt.Errorf("couldn't publish updates: %w", err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
