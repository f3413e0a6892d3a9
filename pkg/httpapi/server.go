package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/page"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Deps are what a Server stands on; all are required unless said otherwise.
type Deps struct {
	Publisher Publisher
	Statuses  Statuses
	Projects  *Projects
	Keys      Keys
	Limiter   Limiter // nil: nothing is limited
	Gas       Gas     // nil: budgets of gas and ether are not spent
	Surcharge Gas     // as Gas, with one gas more for each byte of a transaction

	// Gwei is what so much gas and so many bytes cost now; known is false while no price is.
	Gwei      func(gas, bytes uint64) (gwei uint64, known bool)
	Backlogs  Backlogs // nil: what waits is not bounded
	Chain     Chain
	Standings Standings
	Events    Events        // nil: there are no streams of events
	NewMinter func() Minter // for the ids of one project; no two mint the same
	Contracts Contracts     // nil: contract wallets (ERC-1271) cannot sign

	// Ready returns nil while the API can do its work. Requests are let in once it has done so; afterwards it only
	// decides what /readyz says.
	Ready func() error
	// Halted says why nothing may be accepted, which is told to callers; empty while all may.
	Halted func() string
	// Paused is the pause that a project's updates wait for, or, of a nil project, that of everything; nil if there is none. The function
	// itself may be nil: nothing is ever paused.
	Paused func(*score.ProjectID) *Pause
	// Metrics answers GET /metrics; nil: there is no such path.
	Metrics http.Handler

	Tracer     trace.Tracer // nil: nothing is traced
	Log        *slog.Logger
	Registerer prometheus.Registerer
}

// Server is the HTTP API.
type Server struct {
	config  Config
	deps    Deps
	metrics *metrics

	app       *fiber.App
	domain    wallet.Domain // of EIP-712 signatures
	signers   *signers
	enveloper *enveloper
	reporter  *reporter
	callers   *callers
	bodies    *shares // in bytes

	attribution *attribution
	page        *page.Page // nil: there is none

	priceOfOne score.Cost // of an update that is not in a signed group
	minters    *lru.Cache[score.ProjectID, Minter]
	contents   *lru.Cache[uint64, uint64]   // of accepted updates, by their ids; both hashed by the seed
	seen       *lru.Cache[uint64, struct{}] // words and wallets that were counted for keys today, hashed by the seed
	seed       maphash.Seed
	tokens     *tokens
	ids        *requestIDs
	writes     chan struct{} // one for each post in progress
	groups     chan struct{} // one for each group of update-groups in progress, which is as much as a post
	reads      chan struct{} // one for each look-up in progress
	histories  chan struct{} // one for each of them that reads logs
	accepted   atomic.Uint64 // updates
	notDurable atomic.Uint64 // posts
	posting    pace
	looking    pace

	streams      *streams
	streaming    context.Context // ends when the server begins to drain: no stream holds that up
	endStreaming context.CancelFunc

	life     context.Context // ends when Run gives up on what is still in progress
	end      context.CancelFunc
	started  atomic.Bool // Ready was nil once
	draining atomic.Bool
}

// New returns a Server that Run will serve.
func New(config Config, deps Deps) (*Server, error) {
	config = config.withDefaults()
	if config.MaxEnvelope < score.MaxSigned {
		return nil, fmt.Errorf("an envelope must hold the %d updates of a signed group, not only %d", score.MaxSigned, config.MaxEnvelope)
	}
	domain := wallet.NewDomain(config.ChainID, config.Contract)
	s := &Server{
		config: config, deps: deps, metrics: newMetrics(deps.Registerer), domain: domain, signers: newSigners(domain, deps.Contracts),
		minters:  lru.NewCache[score.ProjectID, Minter](maxMinters),
		contents: lru.NewCache[uint64, uint64](maxContents),
		seen:     lru.NewCache[uint64, struct{}](maxSeen),
		seed:     maphash.MakeSeed(),

		tokens: &tokens{instance: rand.Text()},
		ids:    newRequestIDs(),
		writes: make(chan struct{}, config.MaxWrites),
		groups: make(chan struct{}, config.MaxWrites),
		reads:  make(chan struct{}, config.MaxReads),

		histories: make(chan struct{}, historiesAtOnce),
	}
	s.priceOfOne = s.priceOf(score.Unit{Updates: make([]score.Update, 1)})
	s.attribution = newAttribution(deps.Log)
	s.callers = &callers{config: &s.config, metrics: s.metrics.keys, byKey: map[string]*caller{}}
	s.bodies = &shares{most: config.MaxBodies, gauge: s.metrics.bodies, of: map[string]int{}}
	s.life, s.end = context.WithCancel(context.Background())
	s.streams = &streams{most: config.MaxStreams, of: map[any]int{}}
	s.streaming, s.endStreaming = context.WithCancel(s.life)
	s.reporter = newReporter(deps.Statuses, s.metrics, deps.Log)
	s.enveloper = &enveloper{
		publisher: deps.Publisher, accepted: s.reporter.accepted, patience: config.AcceptTimeout,
		instance: s.tokens.instance, limit: config.MaxEnvelope, metrics: s.metrics, tracer: deps.Tracer, log: deps.Log,
		in: make(chan *waiting, config.MaxEnvelope), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	var err error
	if s.page, err = s.newPage(); err != nil {
		return nil, err
	}
	s.app = s.routes(deps.Metrics)
	return s, nil
}

// Accepted is how many updates were accepted since the server was made.
func (s *Server) Accepted() uint64 { return s.accepted.Load() }

// NotDurable is how many posts were not stored for certain since the server was made.
func (s *Server) NotDurable() uint64 { return s.notDurable.Load() }

// Run serves on the listener until ctx ends, then drains: what is in progress gets its answer within the drain timeout,
// what comes is sent elsewhere. It closes the listener. It returns nil after a complete drain. A Server runs once.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	var enveloping sync.WaitGroup
	enveloping.Go(func() { s.enveloper.run(s.life) })
	reporting, endReporting := context.WithCancel(context.Background())
	var reporters sync.WaitGroup
	reporters.Go(func() { s.reporter.run(reporting, s.deps.Halted) })
	reporters.Go(func() { s.attribution.run(reporting) })
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(newDoors(listener, s)) }()

	var err error
	select {
	case <-ctx.Done():
	case err = <-served:
		err = fmt.Errorf("couldn't serve HTTP: %w", cmp.Or(err, net.ErrClosed))
	}
	s.draining.Store(true)
	s.endStreaming()
	err = errors.Join(err, s.drain())
	close(s.enveloper.stop)
	s.end()
	enveloping.Wait()
	endReporting()
	reporters.Wait()
	// Every request that came has its answer. What may still be open are connections on which none came yet, such as the
	// spare ones of a client's pool: the server does not wait for those.
	if down := s.app.ShutdownWithTimeout(time.Second); !errors.Is(down, context.DeadlineExceeded) {
		err = errors.Join(err, down)
	}
	_ = listener.Close() // in case Shutdown came before Serve
	return err
}

// paceOf is how long those need that have the places.
func (s *Server) paceOf(places chan struct{}) *pace {
	if places == s.reads {
		return &s.looking
	}
	return &s.posting
}

// drain waits until no request is in progress, by taking all their places.
func (s *Server) drain() error {
	timeout := time.After(s.config.DrainTimeout)
	for _, places := range []chan struct{}{s.writes, s.reads} {
		for n := range cap(places) {
			select {
			case places <- struct{}{}:
			case <-timeout:
				return fmt.Errorf("%d requests were still in progress after %v; they are told to retry", cap(places)-n, s.config.DrainTimeout)
			}
		}
	}
	return nil
}

// tokens are unique among all processes.
type tokens struct {
	instance string
	n        atomic.Uint64
}

func (t *tokens) next() string { return t.instance + "-" + strconv.FormatUint(t.n.Add(1), 36) }
