package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Config of a Server. A zero value takes the field's default, except where a field is required.
type Config struct {
	Lanes    int            // of the deployment, 1 … score.MaxLanes; required
	ChainID  uint64         // EIP-155; for EIP-712 signatures, whose domain look-ups of projects tell
	Contract common.Address // the ScoreRegistry; as ChainID

	ScoreTypes    []string      // of a project that declares none. Default ["reputation"]
	Freshness     wallet.Window // how far a message's time may be off. Default 5 minutes back, 30 seconds ahead
	RatePerSecond int           // of an API key that has no rate of its own. 0, the default, is no limit

	MaxBody        int           // bytes of a body. Default 256 KiB: more than the largest valid creation
	MaxHeaders     int           // bytes of request line and headers. Default 8 KiB
	MaxConnections int           // Default 16,384
	MaxWrites      int           // posts that write in progress at once; more get a 503. Default 4,096
	MaxReads       int           // look-ups in progress at once; more get a 503. Default 256
	MaxEnvelope    int           // updates in one durable publish, score.MaxSigned … what the stream takes. Default 1,000
	AcceptTimeout  time.Duration // of storing one envelope, and of waiting for one's turn. Default 5 s
	ClaimWait      time.Duration // for somebody else's claim to resolve. Default 3 s
	ReadTimeout    time.Duration // of a whole request. Default 10 s
	DrainTimeout   time.Duration // for requests in progress when the server stops. Default 15 s

	Now func() time.Time // Default time.Now
}

func (c Config) withDefaults() Config {
	if len(c.ScoreTypes) == 0 {
		c.ScoreTypes = []string{"reputation"}
	}
	if c.Freshness == (wallet.Window{}) {
		c.Freshness = wallet.Window{Past: 5 * time.Minute, Ahead: 30 * time.Second}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.MaxBody = cmp.Or(c.MaxBody, 256<<10)
	c.MaxHeaders = cmp.Or(c.MaxHeaders, 8<<10)
	c.MaxConnections = cmp.Or(c.MaxConnections, 16384)
	c.MaxWrites = cmp.Or(c.MaxWrites, 4096)
	c.MaxReads = cmp.Or(c.MaxReads, 256)
	c.MaxEnvelope = cmp.Or(c.MaxEnvelope, 1000)
	c.AcceptTimeout = cmp.Or(c.AcceptTimeout, 5*time.Second)
	c.ClaimWait = cmp.Or(c.ClaimWait, 3*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 15*time.Second)
	return c
}

// Deps are what a Server stands on; all are required unless said otherwise.
type Deps struct {
	Publisher Publisher
	Statuses  Statuses
	Projects  *Projects
	Keys      Keys
	Limiter   Limiter // nil: nothing is limited
	Chain     Chain
	NewMinter func() Minter // for the ids of one project; no two mint the same
	Contracts Contracts     // nil: contract wallets (ERC-1271) cannot sign

	// Ready returns nil while the API can do its work. Requests are let in once it has done so; afterwards it only
	// decides what /readyz says.
	Ready func() error
	// Metrics answers GET /metrics; nil: there is no such path.
	Metrics http.Handler

	Log        *slog.Logger
	Registerer prometheus.Registerer
}

// Server is the HTTP API.
type Server struct {
	config    Config
	publisher Publisher
	statuses  Statuses
	projects  *Projects
	keys      Keys
	limiter   Limiter
	chain     Chain
	ready     func() error
	log       *slog.Logger
	metrics   *metrics

	app        *fiber.App
	domain     wallet.Domain // of EIP-712 signatures
	signers    *signers
	envelopers []*enveloper // by lane
	marker     *marker
	newMinter  func() Minter
	minters    *cache[score.ProjectID, Minter]
	tokens     *tokens
	writes     chan struct{} // one for each post in progress
	reads      chan struct{} // one for each look-up in progress

	life     context.Context // ends when Run gives up on what is still in progress
	end      context.CancelFunc
	started  atomic.Bool // Ready was nil once
	draining atomic.Bool
}

// New returns a Server that Run will serve.
func New(config Config, deps Deps) (*Server, error) {
	if config.Lanes < 1 || config.Lanes > score.MaxLanes {
		return nil, fmt.Errorf("the number of lanes must be 1 to %d, not %d", score.MaxLanes, config.Lanes)
	}
	config = config.withDefaults()
	if config.MaxEnvelope < score.MaxSigned {
		return nil, fmt.Errorf("an envelope must hold the %d updates of a signed group, not only %d", score.MaxSigned, config.MaxEnvelope)
	}
	domain := wallet.NewDomain(config.ChainID, config.Contract)
	s := &Server{
		config: config, publisher: deps.Publisher, statuses: deps.Statuses, projects: deps.Projects, keys: deps.Keys,
		limiter: deps.Limiter, chain: deps.Chain, ready: deps.Ready, log: deps.Log, metrics: newMetrics(deps.Registerer),
		domain: domain, signers: newSigners(domain, deps.Contracts, config.Now),
		newMinter: deps.NewMinter, minters: newCache[score.ProjectID, Minter](maxMinters),
		tokens: &tokens{instance: rand.Text()},
		writes: make(chan struct{}, config.MaxWrites),
		reads:  make(chan struct{}, config.MaxReads),
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.marker = newMarker(s.statuses, s.metrics, s.log)
	for lane := range config.Lanes {
		s.envelopers = append(s.envelopers, &enveloper{
			lane: score.Lane(lane), publisher: s.publisher, mark: s.marker.mark, patience: config.AcceptTimeout,
			instance: s.tokens.instance, limit: config.MaxEnvelope, metrics: s.metrics, log: s.log,
			in: make(chan *waiting, config.MaxEnvelope), stop: make(chan struct{}), ended: make(chan struct{}),
		})
	}
	s.app = s.routes(deps.Metrics)
	return s, nil
}

func (s *Server) routes(metrics http.Handler) *fiber.App {
	app := fiber.New(fiber.Config{
		AppName: "scorelay", DisableStartupMessage: true, DisablePreParseMultipartForm: true,
		StrictRouting: true, CaseSensitive: true,
		BodyLimit: s.config.MaxBody, ReadBufferSize: s.config.MaxHeaders, Concurrency: s.config.MaxConnections,
		ReadTimeout: s.config.ReadTimeout, WriteTimeout: s.config.ReadTimeout, IdleTimeout: time.Minute,
		ErrorHandler: s.failed,
	})
	app.Server().HeaderReceived = s.bodyBound
	app.Post("/create-project", s.route("create-project", s.writes, s.createProject))
	app.Post("/update-score", s.route("update-score", s.writes, s.updateScore))
	app.Post("/update-scores", s.route("update-scores", s.writes, s.updateScores))
	app.Post("/reserve-ids", s.route("reserve-ids", s.writes, s.reserveIDs))
	app.Post("/look-up-updates", s.route("look-up-updates", s.reads, s.lookUpUpdates))
	app.Get("/projects/:project", s.route("project", s.reads, s.project))
	app.Get("/projects/:project/updates/:update", s.route("update", s.reads, s.update))
	app.Get("/projects/:project/scores/:wallet", s.route("scores", s.reads, s.scores))
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", s.readyz)
	if metrics != nil {
		app.Get("/metrics", adaptor.HTTPHandler(metrics))
	}
	return app
}

// strangersBody is how many bytes of a body are read of a caller without a valid API key: enough for a small request
// to be answered without closing its connection, too little to fill the memory.
const strangersBody = 4 << 10

// bodyBound decides by its headers how large a request's body may be.
func (s *Server) bodyBound(h *fasthttp.RequestHeader) (bound fasthttp.RequestConfig) {
	if _, _, ok := s.keys.Authenticate(string(h.Peek("X-API-KEY"))); !ok {
		bound.MaxRequestBodySize = min(strangersBody, s.config.MaxBody)
	}
	return bound
}

// Run serves on the listener until ctx ends, then drains: what is in progress gets its answer within the drain timeout,
// what comes is sent elsewhere. It closes the listener. It returns nil after a complete drain. A Server runs once.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	var envelopers sync.WaitGroup
	for _, e := range s.envelopers {
		envelopers.Go(func() { e.run(s.life) })
	}
	marking, endMarking := context.WithCancel(context.Background())
	var marker sync.WaitGroup
	marker.Go(func() { s.marker.run(marking) })
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(lingeringListener{listener}) }()

	var err error
	select {
	case <-ctx.Done():
	case err = <-served:
		err = fmt.Errorf("couldn't serve HTTP: %w", cmp.Or(err, net.ErrClosed))
	}
	s.draining.Store(true)
	err = errors.Join(err, s.drain())
	for _, e := range s.envelopers {
		close(e.stop)
	}
	s.end()
	envelopers.Wait()
	endMarking()
	marker.Wait()
	// Every request that came has its answer. What may still be open are connections on which none came yet, such as the
	// spare ones of a client's pool: nobody waits for those.
	if down := s.app.ShutdownWithTimeout(time.Second); !errors.Is(down, context.DeadlineExceeded) {
		err = errors.Join(err, down)
	}
	_ = listener.Close() // in case Shutdown came before Serve
	return err
}

// drain waits until no request is in progress, by taking all their places.
func (s *Server) drain() error {
	timeout := time.After(s.config.DrainTimeout)
	for _, places := range []chan struct{}{s.writes, s.reads} {
		for n := range cap(places) {
			select {
			case places <- struct{}{}:
			case <-timeout:
				return fmt.Errorf("%d requests were still in progress after %v; they are told to send again", cap(places)-n, s.config.DrainTimeout)
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

// route wraps a handler in what all have in common. A handler returns nil when it has sent its response.
func (s *Server) route(name string, places chan struct{}, handle func(*fiber.Ctx) *Problem) fiber.Handler {
	return func(c *fiber.Ctx) error {
		began := time.Now()
		p := s.enter(c, places, handle)
		switch {
		case p == nil: // the handler counted it
		case name == "update-score", name == "update-scores":
			s.metrics.updates.WithLabelValues(p.Code).Inc()
		case name == "create-project":
			s.metrics.creations.WithLabelValues(p.Code).Inc()
		}
		var err error
		if p != nil {
			err = p.write(c)
		}
		s.metrics.requests.WithLabelValues(name, strconv.Itoa(c.Response().StatusCode())).Observe(time.Since(began).Seconds())
		return err
	}
}

// enter lets a request in: there is a place for it, the API is up, the key is valid and within its rate.
func (s *Server) enter(c *fiber.Ctx, places chan struct{}, handle func(*fiber.Ctx) *Problem) (p *Problem) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("a request panicked; answering 500 and going on", "path", c.Path(), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			p = problem(codeInternal, "")
		}
	}()
	if s.draining.Load() {
		c.Context().SetConnectionClose()
		return retry(codeShuttingDown, retryAfterFailure, "")
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		return retry(codeOverloaded, retryAfterFailure, "")
	}
	if !s.started.Load() {
		if err := s.ready(); err != nil {
			return retry(codeStarting, retryAfterFailure, "")
		}
		s.started.Store(true)
	}
	secret := c.Get("X-API-KEY")
	if secret == "" {
		return problem(codeMissingAPIKey, "")
	}
	key, rate, ok := s.keys.Authenticate(secret)
	if !ok {
		return problem(codeInvalidAPIKey, "")
	}
	if rate = cmp.Or(rate, s.config.RatePerSecond); rate > 0 && s.limiter != nil {
		if wait := s.limiter.Allow(s.life, key, rate); wait > 0 {
			return retry(codeRateLimited, wait, "at most "+strconv.Itoa(rate)+" requests per second")
		}
	}
	return handle(c)
}

// send writes a 200.
func (s *Server) send(c *fiber.Ctx, v any) *Problem {
	if err := send(c, fiber.StatusOK, fiber.MIMEApplicationJSON, v); err != nil {
		s.log.Error("a response could not be written; answering 500", "path", c.Path(), "err", err)
		return problem(codeInternal, "")
	}
	return nil
}

func (s *Server) readyz(c *fiber.Ctx) error {
	if s.draining.Load() {
		return retry(codeShuttingDown, retryAfterFailure, "").write(c)
	}
	if err := s.ready(); err != nil {
		return retry(codeStarting, retryAfterFailure, err.Error()).write(c)
	}
	return c.SendString("ok\n")
}

// tooLarge answers a body over the bound: a stranger's is not the problem, having no key is.
func (s *Server) tooLarge(c *fiber.Ctx) *Problem {
	secret, forgotten := c.Get("X-API-KEY"), len(c.Request().Header.Host()) == 0 // by fasthttp, after a chunked body
	if secret == "" && !forgotten {
		return problem(codeMissingAPIKey, "")
	}
	if _, _, ok := s.keys.Authenticate(secret); !ok && !forgotten {
		return problem(codeInvalidAPIKey, "")
	}
	return problem(codeBodyTooLarge, fmt.Sprintf("at most %d bytes", s.config.MaxBody))
}

// failed answers what Fiber or fasthttp refused before a handler saw it.
func (s *Server) failed(c *fiber.Ctx, err error) error {
	var refused *fiber.Error
	if !errors.As(err, &refused) {
		s.log.Error("a request failed; answering 500", "path", c.Path(), "err", err)
		return problem(codeInternal, "").write(c)
	}
	p := problem(codeMalformedRequest, "")
	switch refused.Code {
	case fiber.StatusNotFound:
		p = problem(codeNotFound, "")
	case fiber.StatusMethodNotAllowed:
		p = problem(codeMethodNotAllowed, "")
	case fiber.StatusRequestEntityTooLarge:
		p = s.tooLarge(c)
	case fiber.StatusRequestHeaderFieldsTooLarge:
		p = problem(codeHeadersTooLarge, fmt.Sprintf("at most %d bytes", s.config.MaxHeaders))
	case fiber.StatusRequestTimeout:
		p = problem(codeRequestTimeout, "")
	}
	if p.Status != fiber.StatusNotFound && p.Status != fiber.StatusMethodNotAllowed { // the connection will be closed
		lingerOnClose(c)
	}
	s.metrics.requests.WithLabelValues("none", strconv.Itoa(p.Status)).Observe(0)
	return p.write(c)
}
