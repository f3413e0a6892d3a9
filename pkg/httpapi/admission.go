package httpapi

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// enter lets a request in: there is a place for it, the API is up, the key is valid and within its rate.
func (s *Server) enter(c *fiber.Ctx, places chan struct{}, handle func(*fiber.Ctx) *Problem) (p *Problem) {
	defer func() {
		if r := recover(); r != nil {
			s.log(c).Error("a request panicked; the API answers 500 and continues", "path", c.Path(), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			p = problem(codeInternal, "")
		}
	}()
	if s.draining.Load() {
		c.Context().SetConnectionClose()
		return temporary(codeShuttingDown, retryAfterFailure, "")
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		return temporary(codeOverloaded, retryAfterFailure, "")
	}
	if !s.started.Load() {
		if err := s.deps.Ready(); err != nil {
			return temporary(codeStarting, retryAfterFailure, "")
		}
		s.started.Store(true)
	}
	key, rate, p := s.authenticate(c)
	if p != nil {
		return p
	}
	if rate = cmp.Or(rate, s.config.RatePerSecond); rate > 0 && s.deps.Limiter != nil {
		if wait := s.deps.Limiter.Allow(s.life, key, rate); wait > 0 {
			return temporary(codeRateLimited, wait, "at most "+strconv.Itoa(rate)+" requests per second")
		}
	}
	return handle(c)
}

// accepting lets a request in that would have something stored, unless accepting halts.
func (s *Server) accepting(handle func(*fiber.Ctx) *Problem) func(*fiber.Ctx) *Problem {
	return func(c *fiber.Ctx) *Problem {
		if why := s.deps.Halted(); why != "" {
			return temporary(codeHalted, retryAfterHalt, why)
		}
		return handle(c)
	}
}

// authenticate tells whose request it is, and how many a second the key may send (0: the default).
func (s *Server) authenticate(c *fiber.Ctx) (key string, rate int, p *Problem) {
	secret := c.Get("X-API-KEY")
	if secret == "" {
		return "", 0, problem(codeMissingAPIKey, "")
	}
	key, rate, ok := s.deps.Keys.Authenticate(secret)
	if !ok {
		return "", 0, problem(codeInvalidAPIKey, "")
	}
	if conn := connOf(c); conn != nil {
		conn.doors.showedKey(conn)
	}
	return key, rate, nil
}

// expected answers `Expect: 100-continue`: a body is asked for that has a valid key and may be read.
func (s *Server) expected(ctx *fasthttp.RequestCtx) int {
	s.identify(ctx)
	c := s.app.AcquireCtx(ctx)
	defer s.app.ReleaseCtx(c)
	_, _, p := s.authenticate(c)
	if p == nil && c.Request().Header.ContentLength() > s.config.MaxBody {
		p = s.tooLarge(c)
	}
	if p == nil {
		return fasthttp.StatusContinue
	}
	lingerOnClose(c)
	s.metrics.requests.WithLabelValues("none", strconv.Itoa(p.Status)).Observe(0)
	if err := p.write(c); err != nil {
		s.log(c).Error("the API could not write a response; it answers 500", "path", c.Path(), "err", err)
		return fasthttp.StatusInternalServerError
	}
	return p.Status
}

func (s *Server) readyz(c *fiber.Ctx) error {
	if s.draining.Load() {
		return temporary(codeShuttingDown, retryAfterFailure, "").write(c)
	}
	if err := s.deps.Ready(); err != nil {
		return temporary(codeStarting, retryAfterFailure, err.Error()).write(c)
	}
	if why := s.deps.Halted(); why != "" { // it answers look-ups, so it stays ready
		return c.SendString("ok, but nothing is accepted: " + why + "\n")
	}
	return c.SendString("ok\n")
}

// unauthenticatedBodyLimit is how many bytes of a body are read of a caller without a valid API key: enough for a small
// request to be answered without closing its connection, too little to fill the memory.
const unauthenticatedBodyLimit = 4 << 10

// boundsFor decides by its headers how large a request's body may be, and how long it may take.
func (s *Server) boundsFor(h *fasthttp.RequestHeader) (limit fasthttp.RequestConfig) {
	if h.ContentLength() != -2 { // a body follows; the time so far was for the head
		limit.ReadTimeout = s.config.ReadTimeout
	}
	if _, _, ok := s.deps.Keys.Authenticate(string(h.Peek("X-API-KEY"))); !ok {
		limit.MaxRequestBodySize = min(unauthenticatedBodyLimit, s.config.MaxBody)
	}
	return limit
}
