package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/admin"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/stream"
)

// process is what an API and a relayer have in common: the operators' listener and the connections.
type process struct {
	name    string
	log     *slog.Logger
	metrics *prometheus.Registry
	health  *admin.Health
	claim   time.Duration // lifetime of a claim of an updateId; only an API claims

	nats   *nats.Conn
	js     jetstream.JetStream
	stream *stream.Stream
	redis  *redis.Client
	status *status.Store
	chain  *chain.Client
}

func newProcess(name string, log *slog.Logger) *process {
	p := &process{name: name, log: log, metrics: prometheus.NewRegistry(), health: &admin.Health{}}
	p.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return p
}

// adminPart is the operators' listener: first up, so that a process that waits can be asked why, and last down.
func (p *process) adminPart(addr string) lifecycle.Part {
	var server *admin.Server
	return lifecycle.Part{
		Name: "the operators' listener",
		Start: func(context.Context) (err error) {
			server, err = admin.Listen(addr, p.metrics, p.health, p.log)
			if err == nil {
				p.log.Info("listening for operators", "addr", server.Addr())
			}
			return err
		},
		Run: func(drain, kill context.Context) error { return server.Run(drain, kill) },
	}
}

// connectPart connects everything and checks that it is the deployment it claims to be.
func (p *process) connectPart(timeout time.Duration, n *NATS, r *Redis, c *Chain) lifecycle.Part {
	return lifecycle.Part{
		Name: "connections",
		Start: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return p.connect(ctx, n, r, c)
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
	if p.nats, p.js, err = ConnectNATS(ctx, n, p.name, p.log); err != nil {
		return err
	}
	if err = VerifyDurable(ctx, n, p.log); err != nil {
		return err
	}
	if p.stream, err = OpenStream(ctx, p.js, p.log); err != nil {
		return err
	}
	if p.redis, err = ConnectRedis(ctx, r, p.log); err != nil {
		return err
	}
	p.status = status.New(p.redis, status.Config{
		Prefix: redisPrefix(p.stream), Retention: r.StatusRetention, Claim: p.claim,
	})
	if p.chain, err = DialChain(ctx, c, p.log, p.metrics); err != nil {
		return err
	}
	d := p.stream.Deployment()
	p.log.Info("connected", "lanes", d.Lanes, "chain", d.ChainID, "contract", d.Contract)
	return nil
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

// natsUp is a check of readiness.
func (p *process) natsUp(context.Context) error {
	if s := p.nats.Status(); s != nats.CONNECTED {
		return fmt.Errorf("not connected (%s)", s)
	}
	return nil
}

// loop makes a part of a loop that ends with its context.
func loop(name string, run func(ctx context.Context) error) lifecycle.Part {
	return lifecycle.Part{Name: name, Run: func(drain, _ context.Context) error { return run(drain) }}
}
