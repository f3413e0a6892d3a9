package httpapi

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/score"
)

// A handler returns nil if it has sent the response.
type handler func(c *fiber.Ctx, by *caller) *Problem

// enter handles a request if there is a free place, the API is up, and the key is valid and has the right. Write
// requests are charged in counted, once their cost is known.
func (s *Server) enter(c *fiber.Ctx, places chan struct{}, right score.Rights, handle handler) (p *Problem) {
	defer s.recovered(c, &p)
	if s.draining.Load() {
		c.Context().SetConnectionClose()
		return temporary(codeShuttingDown, retryAfterFailure, "")
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		return temporary(codeOverloaded, s.paceOf(places).wait(), "")
	}
	if p := s.up(); p != nil {
		return p
	}
	by, p := s.authenticate(c)
	if p != nil {
		return p
	}
	p = s.admit(c, by, right, handle)
	by.counts.request(p)
	return p
}

func (s *Server) recovered(c *fiber.Ctx, p **Problem) {
	if r := recover(); r != nil {
		s.log(c).Error("a request panicked; the API answers 500 and continues", "path", c.Path(), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*p = problem(codeInternal, "")
	}
}

// up returns a problem until Ready has once returned nil.
func (s *Server) up() *Problem {
	if !s.started.Load() {
		if err := s.deps.Ready(); err != nil {
			return temporary(codeStarting, retryAfterFailure, "")
		}
		s.started.Store(true)
	}
	return nil
}

// How long a key's revocation may go unnoticed while NATS is unavailable.
const (
	maxKeysAge      = 5 * time.Second  // for writes
	maxKeysAgeReads = 15 * time.Second // for look-ups
)

func (s *Server) admit(c *fiber.Ctx, by *caller, right score.Rights, handle handler) *Problem {
	if by.Rights&right == 0 {
		return problem(codeNoRight, "this key may not "+rightNames[right])
	}
	if age := s.deps.Keys.Age(); age > maxKeysAgeReads || age > maxKeysAge && right != score.MayRead {
		return temporary(codeKeyUnverified, retryAfterFailure, fmt.Sprintf("NATS last confirmed all keys %s ago", age.Round(time.Second)))
	}
	if right == score.MayRead {
		return s.lookUp(c, by, handle)
	}
	return handle(c, by)
}

// lookUp handles a look-up if its key holds at most as many places as are free, and has quota left. So n keys that
// take all they can get hold 1/(n+1) of the places each, and another key always finds a free place.
func (s *Server) lookUp(c *fiber.Ctx, by *caller, handle handler) *Problem {
	held := by.reading.Add(1)
	defer by.reading.Add(-1)
	if free := cap(s.reads) - len(s.reads); held > int64(free+1) {
		return temporary(codeTooManyLookUps, s.looking.wait(), strconv.FormatInt(held-1, 10)+" are in progress")
	}
	if p := s.spend(c, &by.lookUps, score.Cost{Units: 1}); p != nil {
		return p
	}
	return handle(c, by)
}

// countAs charges a look-up, of which lookUp has charged one, as lookUps look-ups, at most the key's burst.
func (s *Server) countAs(c *fiber.Ctx, by *caller, lookUps int) *Problem {
	if more := min(lookUps, by.lookUps.quota.Burst) - 1; more > 0 {
		return s.spend(c, &by.lookUps, score.Cost{Units: more})
	}
	return nil
}

var rightNames = map[score.Rights]string{score.MayCreate: "create projects", score.MayUpdate: "send updates", score.MayRead: "look up"}

// accepting wraps a handler that stores work; it refuses requests while accepting is halted or paused.
func (s *Server) accepting(handle handler) handler {
	return func(c *fiber.Ctx, by *caller) *Problem {
		if why := s.deps.Halted(); why != "" {
			return temporary(codeHalted, retryAfterHalt, why)
		}
		if p := s.notAccepting(nil); p != nil {
			return p
		}
		return handle(c, by)
	}
}

// notAccepting returns a problem if a pause refuses new work of the project. A nil project means the deployment.
func (s *Server) notAccepting(project *score.ProjectID) *Problem {
	if by := s.paused(project); by != nil && by.Refuses {
		return temporary(codePaused, retryAfterHalt, by.Reason)
	}
	return nil
}

func (s *Server) paused(project *score.ProjectID) *Pause {
	if s.deps.Paused == nil {
		return nil
	}
	return s.deps.Paused(project)
}

// waits explains why an accepted, unassigned update is delayed.
type waits struct {
	Why    string `json:"why"` // always "paused"
	Reason string `json:"reason"`
}

// waitsFor returns nil if updates is 0 or there is no delay.
func (s *Server) waitsFor(updates int, project score.ProjectID) *waits {
	if by := s.paused(&project); by != nil && updates > 0 {
		return &waits{"paused", by.Reason}
	}
	return nil
}

func (s *Server) callerOf(secret string) (*caller, *Problem) {
	if secret == "" {
		return nil, problem(codeMissingAPIKey, "")
	}
	grant := s.deps.Keys.Authenticate(secret)
	switch {
	case grant == nil:
		return nil, problem(codeInvalidAPIKey, "")
	case grant.Expired(time.Now()):
		return nil, problem(codeExpiredAPIKey, "it was valid until "+grant.Expires.UTC().Format(time.RFC3339))
	}
	return s.callers.of(grant), nil
}

// authenticate returns the key's caller, and counts the request's connection for the key.
func (s *Server) authenticate(c *fiber.Ctx) (*caller, *Problem) {
	by, p := s.callerOf(c.Get("X-API-KEY"))
	if p != nil {
		return nil, p
	}
	if conn := connOf(c); conn != nil && !conn.doors.showedKey(conn, by.Key) {
		conn.doors.refused(boundKey, addressOf(conn), by.Key, nil)
		c.Context().SetConnectionClose()
		lingerOnClose(c)
		return nil, temporary(codeTooManyConnections, s.config.Idle, "at most "+strconv.Itoa(s.config.MaxPerKey)+" of one key")
	}
	return by, nil
}

// expected responds to `Expect: 100-continue`. With a valid key it asks for the body; letIn has already refused
// bodies that are too large.
func (s *Server) expected(ctx *fasthttp.RequestCtx) int {
	s.identify(ctx)
	c := s.app.AcquireCtx(ctx)
	defer s.app.ReleaseCtx(c)
	p := s.up()
	if p == nil {
		_, p = s.authenticate(c)
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
	if why := s.deps.Halted(); why != "" { // ready, since look-ups still work
		return c.SendString("ok, but nothing is accepted: " + why + "\n")
	}
	if by := s.paused(nil); by != nil && by.Refuses {
		return c.SendString("ok, but accepting is paused: " + by.Reason + "\n")
	}
	return c.SendString("ok\n")
}

// smallBody is the size, in bytes, up to which a body is read from any caller, so that a small request keeps its
// connection. MaxBodies still limits the total.
const smallBody = 4 << 10

// letIn reserves room for a body, or refuses it. Unless the body is small, its API key must be valid and within its
// rate. length counts the chunks so far.
func (s *Server) letIn(h *hold, target, secret string, length uint64) *Problem {
	by, p := (*caller)(nil), s.up()
	if p == nil {
		by, p = s.callerOf(secret)
	}
	if p != nil {
		if h.by = ""; length <= smallBody {
			p = s.makeRoom(h, "", int(length))
		}
		return p
	}
	h.by = by.Key
	switch {
	case length > uint64(s.config.MaxBody):
		p = s.tooLarge()
	case length > smallBody:
		a := &by.updates
		if path, _, _ := strings.Cut(target, "?"); strings.TrimSuffix(path, "/") == pathLookUpUpdates {
			a = &by.lookUps
		}
		p = a.refusal(s.over(a))
	}
	if p == nil {
		p = s.makeRoom(h, by.Key, int(length))
	}
	if p != nil {
		by.counts.request(p)
	}
	return p
}

// makeRoom raises the connection's reservation to bytes; key may be empty.
func (s *Server) makeRoom(h *hold, key string, bytes int) *Problem {
	switch s.bodies.take(h, key, bytes) {
	case "":
		return nil
	case boundKey:
		return temporary(codeTooManyBodies, s.posting.wait(), fmt.Sprintf("%d bytes more, beside those in progress", bytes))
	default:
		return temporary(codeOverloaded, s.posting.wait(), fmt.Sprintf("%d bytes of bodies may be in progress, and %d more do not fit", s.config.MaxBodies, bytes))
	}
}

// boundsFor gives a request's body its own timeout, since the head has used up part of the first.
func (s *Server) boundsFor(h *fasthttp.RequestHeader) (limit fasthttp.RequestConfig) {
	if h.ContentLength() != -2 {
		limit.ReadTimeout = s.config.ReadTimeout
	}
	return limit
}
