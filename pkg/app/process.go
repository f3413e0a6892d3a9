package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/admin"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/stream"
)

type process struct {
	name    string
	log     *slog.Logger
	metrics *prometheus.Registry
	health  *admin.Health
	tracer  trace.Tracer  // nil: tracing is off
	claim   time.Duration // lifetime of a claim of an updateId; only an API claims

	connector Connector

	silent []string
	nats   *nats.Conn
	js     jetstream.JetStream
	stream *stream.Stream
	ledger *ledger.Source
	keep   *stream.Retention // of the ledger; nil: unchanged
	redis  *redisdb.Client
	status *status.Store
	chain  *chain.Client
}

func newProcess(name string, log *slog.Logger) *process {
	p := &process{name: name, log: log, metrics: prometheus.NewRegistry(), health: &admin.Health{}}
	p.connector = Connector{Log: log, Waiting: p.health.Waiting}
	p.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	showBuild(name, p.metrics)
	return p
}

func hostName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return host + "-" + strconv.Itoa(os.Getpid())
}

// adminPart is the admin listener. It starts first and stops last, so that a waiting process can report the reason.
// ops may be nil.
func (p *process) adminPart(addr string, hosts []string, ops http.Handler) lifecycle.Part {
	var server *admin.Server
	return lifecycle.Part{
		Name: "the admin listener",
		Start: func(context.Context) (err error) {
			server, err = admin.Listen(admin.Config{Addr: addr, Hosts: hosts, Version: Build(), Metrics: p.metrics, Health: p.health, Ops: ops, Log: p.log})
			if err == nil {
				p.log.Info("the admin listener is up", "addr", server.Addr())
			}
			return err
		},
		Run: func(drain, kill context.Context) error { return server.Run(drain, kill) },
	}
}

// connectPart opens the connections. It then retries silent NATS servers and logs the chain's profile.
func (p *process) connectPart(timeout time.Duration, n *NATS, r *Redis, c *Chain) lifecycle.Part {
	return lifecycle.Part{
		Name: "connections",
		Start: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return p.connect(ctx, n, r, c)
		},
		Run: func(drain, _ context.Context) error {
			var beside sync.WaitGroup
			defer beside.Wait()
			reading, end := context.WithCancel(drain)
			defer end()
			beside.Go(func() { p.logProfile(reading, len(c.ChainRPC)) })
			if err := p.connector.AskSilent(drain, n, p.silent); err != nil {
				return err
			}
			<-drain.Done()
			return nil
		},
		Stop: func(context.Context) error { return p.disconnect() },
	}
}

func (p *process) connect(ctx context.Context, n *NATS, r *Redis, c *Chain) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, p.disconnect())
		}
	}()
	if p.nats, p.js, err = p.connector.NATS(ctx, n, p.name); err != nil {
		return err
	}
	if p.silent, err = p.connector.Durable(ctx, n); err != nil {
		return err
	}
	if p.stream, err = p.connector.Stream(ctx, p.js); err != nil {
		return err
	}
	if p.redis, err = p.connector.Redis(ctx, r); err != nil {
		return err
	}
	p.status = status.New(p.redis, status.Config{
		Prefix: redisPrefix(p.stream), Salt: p.stream.Salt(), Retention: r.StatusRetention, Claim: p.claim,
	})
	if p.chain, err = DialChain(ctx, c, p.log, p.metrics); err != nil {
		return err
	}
	d := p.stream.Deployment()
	facts, err := p.stream.Ledger(ctx, p.keep)
	if err != nil {
		return err
	}
	p.ledger = &ledger.Source{Ledger: facts, Chain: p.chain, Deployment: d, Log: p.log, Metrics: p.metrics}
	p.log.Info("connected", "chain", d.ChainID, "contract", d.Contract)
	return nil
}

const (
	profileTimeout = time.Minute
	profilePause   = 15 * time.Second
)

// logProfile logs the chain's profile once, without delaying the start.
func (p *process) logProfile(ctx context.Context, endpoints int) {
	_ = retry.Do(ctx, math.MaxInt, profilePause, func() error { // returns nil or ends with the process
		return retry.Contained(func() error {
			reading, cancel := context.WithTimeout(ctx, profileTimeout)
			defer cancel()
			profile, err := p.chain.Profile(reading)
			if err != nil {
				return err
			}
			p.log.Info("this is the chain's profile", "facts", profile.Facts)
			if words := profile.Unverified; len(words) > 0 && endpoints == 1 {
				p.log.Warn("some of what the chain's only endpoint says cannot be verified, and is believed; name a second endpoint, of another "+
					"operator, in SCORELAY_CHAIN_RPC", "not_verified", strings.Join(words, ", "))
			}
			return nil
		})
	})
}

func (p *process) disconnect() error {
	var err error
	if p.chain != nil {
		p.chain.Close()
	}
	if p.redis != nil {
		err = p.redis.Close()
	}
	if p.nats != nil {
		p.nats.Close()
	}
	return err
}

const finalWait = 2 * time.Second // longest wait, at the start, until the ledger is read to its end

// finalBlock returns the newest final block of the ledger; ok is false if there is none yet.
func (p *process) finalBlock(ctx context.Context) (b evidence.Ref, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, finalWait)
	defer cancel()
	return p.ledger.Final(ctx)
}

// natsCheck is for the admin listener only: its error contains the server's address.
func (p *process) natsCheck(n *NATS) admin.Check {
	return admin.Check{Name: "nats", Ready: func(context.Context) error {
		if s := p.nats.Status(); s != nats.CONNECTED {
			return fmt.Errorf("%s is away (%s); the process reconnects by itself", natsAt(n), strings.ToLower(s.String()))
		}
		return nil
	}}
}

func loop(name string, run func(ctx context.Context) error) lifecycle.Part {
	return lifecycle.Part{Name: name, Run: func(drain, _ context.Context) error { return run(drain) }}
}

func looks(name string, pause time.Duration, look func(ctx context.Context)) lifecycle.Part {
	return loop(name, func(ctx context.Context) error {
		for {
			look(ctx)
			if err := retry.Sleep(ctx, pause); err != nil {
				return err
			}
		}
	})
}
