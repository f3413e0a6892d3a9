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

// Deps are the dependencies of a Server; all are required unless noted.
type Deps struct {
	Publisher Publisher
	Statuses  Statuses
	Projects  *Projects
	Keys      Keys
	Limiter   Limiter // nil if unlimited
	Gas       Gas     // nil: budgets of gas and ether are not charged
	Surcharge Gas     // as Gas, with one gas more per byte of a transaction, to count the bytes

	// Gwei returns the current price of a transaction's gas and bytes, in gwei, if it is known.
	Gwei      func(gas, bytes uint64) (gwei uint64, known bool)
	Backlogs  Backlogs // nil: backlogs are unlimited
	Chain     Chain
	Standings Standings
	Events    Events        // nil disables event streams
	NewMinter func() Minter // for one project's ids; each generates different ids
	Contracts Contracts     // nil: contract wallets (ERC-1271) cannot sign

	// Ready returns nil while the API can work. The first nil opens the API; later results affect only /readyz.
	Ready func() error
	// Halted returns the reason, for callers; "" while the API may accept.
	Halted func() string
	// Paused returns the pause that delays a project's updates, or nil. For a nil project it returns the deployment's
	// pause. The function itself may be nil.
	Paused func(*score.ProjectID) *Pause
	// Metrics serves GET /metrics; nil disables the path.
	Metrics http.Handler

	Tracer     trace.Tracer // nil if untraced
	Log        *slog.Logger
	Registerer prometheus.Registerer
}

// Server is the HTTP API.
type Server struct {
	config  Config
	deps    Deps
	metrics *metrics

	app       *fiber.App
	domain    wallet.Domain
	signers   *signers
	enveloper *enveloper
	reporter  *reporter
	callers   *callers
	bodies    *shares // in bytes

	attribution *attribution
	page        *page.Page // nil if disabled

	priceOfOne score.Cost // of an update outside a signed group
	minters    *lru.Cache[score.ProjectID, Minter]
	contents   *lru.Cache[uint64, uint64]   // content by id of accepted updates, both hashed by seed
	seen       *lru.Cache[uint64, struct{}] // words and wallets that were counted for keys today, hashed by seed
	seed       maphash.Seed
	tokens     *tokens
	ids        *requestIDs
	writes     chan struct{} // one element per write request in progress
	groups     chan struct{} // one per group of POST /update-groups in progress
	reads      chan struct{} // one per look-up in progress
	histories  chan struct{} // one per look-up that reads logs
	accepted   atomic.Uint64 // updates
	notDurable atomic.Uint64 // posts
	posting    pace
	looking    pace

	streams      *streams
	streaming    context.Context // ends when the server begins to drain, which streams must not delay
	endStreaming context.CancelFunc

	life     context.Context // ends with Run, or when Run gives up on requests
	end      context.CancelFunc
	started  atomic.Bool // Ready has returned nil
	draining atomic.Bool
}

// New returns an error if MaxEnvelope is below score.MaxSigned, or the page cannot be made.
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

// Accepted returns the number of updates accepted since New.
func (s *Server) Accepted() uint64 { return s.accepted.Load() }

// NotDurable returns the number of posts since New with failed or uncertain storage.
func (s *Server) NotDurable() uint64 { return s.notDurable.Load() }

// Run serves on the listener until ctx ends, then drains: requests in progress get their responses within the drain
// timeout, new ones a 503. It closes the listener. It returns nil after a complete drain. A Server runs once.
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
	// Every request has its response. Connections that are still waiting for their first request, such as spare ones
	// of a client's pool, may be open, so Shutdown's timeout is ignored.
	if down := s.app.ShutdownWithTimeout(time.Second); !errors.Is(down, context.DeadlineExceeded) {
		err = errors.Join(err, down)
	}
	_ = listener.Close() // in case Shutdown came before Serve
	return err
}

func (s *Server) paceOf(places chan struct{}) *pace {
	if places == s.reads {
		return &s.looking
	}
	return &s.posting
}

// drain waits for the end of all requests, by taking their places.
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

// tokens generates tokens that are unique across processes.
type tokens struct {
	instance string
	n        atomic.Uint64
}

func (t *tokens) next() string { return t.instance + "-" + strconv.FormatUint(t.n.Add(1), 36) }
