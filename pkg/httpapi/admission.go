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

// A handler answers a request; it returns nil when it has sent its response.
type handler func(c *fiber.Ctx, by *caller) *Problem

// enter lets a request in: there is a place for it, the API is up, the key is valid and has the right to it. Posts that write
// are counted against the key's budget when it is known what they ask for; see counted.
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

// recovered, deferred, has a panic answered with 500.
func (s *Server) recovered(c *fiber.Ctx, p **Problem) {
	if r := recover(); r != nil {
		s.log(c).Error("a request panicked; the API answers 500 and continues", "path", c.Path(), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*p = problem(codeInternal, "")
	}
}

// up is nil once the API could do its work.
func (s *Server) up() *Problem {
	if !s.started.Load() {
		if err := s.deps.Ready(); err != nil {
			return temporary(codeStarting, retryAfterFailure, "")
		}
		s.started.Store(true)
	}
	return nil
}

// For so long a key is believed to be valid that may have been revoked since, as NATS does not answer.
const (
	maxKeysAge      = 5 * time.Second  // to have something stored
	maxKeysAgeReads = 15 * time.Second // to look up
)

// admit has a request handled, if its key has the right to it and was valid of late, and look-ups left if it is one.
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

// lookUp has a look-up handled, which has a place already, if its key has not more of them than are free, and some left of its rate. So
// n keys that ask for all they can get have an n+1st part each, and there is always a place for another key.
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

// countAs has a look-up that was let in count as so many, or as many as the key may have at once.
func (s *Server) countAs(c *fiber.Ctx, by *caller, lookUps int) *Problem {
	if more := min(lookUps, by.lookUps.quota.Burst) - 1; more > 0 {
		return s.spend(c, &by.lookUps, score.Cost{Units: more})
	}
	return nil
}

// rightNames say what a key may do with a right.
var rightNames = map[score.Rights]string{score.MayCreate: "create projects", score.MayUpdate: "send updates", score.MayRead: "look up"}

// accepting lets a request in that would have something stored, unless accepting halts or is paused.
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

// notAccepting is the problem of a project of which an operator has nothing accepted, or, of nil, of every post then; nil of others.
func (s *Server) notAccepting(project *score.ProjectID) *Problem {
	if by := s.paused(project); by != nil && by.Refuses {
		return temporary(codePaused, retryAfterHalt, by.Reason)
	}
	return nil
}

// paused is Deps.Paused.
func (s *Server) paused(project *score.ProjectID) *Pause {
	if s.deps.Paused == nil {
		return nil
	}
	return s.deps.Paused(project)
}

// waits says why an accepted update waits; left out of answers about one that does not, or is bound.
type waits struct {
	Why    string `json:"why"` // paused
	Reason string `json:"reason"`
}

// waitsFor is why so many accepted updates of a project wait; nil if they do not, or there are none.
func (s *Server) waitsFor(updates int, project score.ProjectID) *waits {
	if by := s.paused(&project); by != nil && updates > 0 {
		return &waits{"paused", by.Reason}
	}
	return nil
}

// callerOf is who has the secret of an API key.
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

// authenticate is callerOf a request, whose connection counts for the key then.
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

// expected answers `Expect: 100-continue`: a body is asked for that has a valid key. One that may not come is refused before.
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
	if why := s.deps.Halted(); why != "" { // it answers look-ups, so it stays ready
		return c.SendString("ok, but nothing is accepted: " + why + "\n")
	}
	if by := s.paused(nil); by != nil && by.Refuses {
		return c.SendString("ok, but accepting is paused: " + by.Reason + "\n")
	}
	return c.SendString("ok\n")
}

// smallBody is how many bytes of a body are read of any caller: enough for a small request to be answered without closing its
// connection, too little to fill the memory.
const smallBody = 4 << 10

// letIn has a body come, if there is room for it, and, unless it is small, if its API key is valid and not over its rate.
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

// makeRoom has a connection hold so many bytes for a body of a key, of which empty is none.
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

// boundsFor gives a request's body a time of its own: that so far was for the head.
func (s *Server) boundsFor(h *fasthttp.RequestHeader) (limit fasthttp.RequestConfig) {
	if h.ContentLength() != -2 {
		limit.ReadTimeout = s.config.ReadTimeout
	}
	return limit
}
