package httpapi

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/compress"

	"github.com/scorelay/scorelay/pkg/page"
	"github.com/scorelay/scorelay/pkg/score"
)

// Limits of sign-in attempts: per address, and for all that come through trusted proxies.
const (
	signInsPerSecond = 1
	signInsAtOnce    = 10
	proxiedSignIns   = 50 // per second
)

// How long a screen waits for an update's transaction, which is optional.
const carrierPatience = time.Second

// newPage returns nil if the page is disabled.
func (s *Server) newPage() (*page.Page, error) {
	if len(s.config.Secret) == 0 || s.deps.Standings == nil {
		return nil, nil
	}
	return page.New(page.Config{
		Secret: s.config.Secret, Domain: s.domain, Source: source{s}, Standings: s.deps.Standings, Explorer: s.config.Explorer, MaxMembers: s.config.MaxMembers, Log: s.deps.Log,
	})
}

func (s *Server) servePage(app *fiber.App) {
	// Compression reduces a screen's names and numbers to a tenth. Since other sites cannot make a browser request a
	// screen with its cookie, they cannot learn the session's token from lengths.
	small := compress.New()
	for name, contentType := range page.Files {
		app.Get("/app/"+name, small, keptForever(page.Version(name), newDocument(contentType, page.File(name)).send))
	}
	app.Get(page.SignInPath, s.withoutKey(s.page.SignIn))
	app.Post(page.SignInPath, s.withoutKey(s.page.SignIn))
	app.Post(page.SignOutPath, s.withoutKey(s.page.SignOut))
	app.Post("/app/projects/:project/edits", s.ours(s.inSession(s.route("edit-project", s.writes, score.MayCreate, s.accepting(s.editProject)))))
	if s.deps.Events != nil {
		app.Get("/app/projects/:project/events", s.inSession(s.route("events", s.reads, score.MayRead, s.pageEvents)))
	}
	show := s.inSession(s.routeTo("page", s.reads, score.MayRead, s.showPage, s.refusePage))
	for _, path := range []string{"/app", "/app/*"} {
		app.Get(path, small, show)
	}
}

// keptForever makes browsers keep the file, but only if they ask for this version, since another version is that of
// another API.
func keptForever(version string, send fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		err := send(c)
		switch c.Query("v") {
		case "":
		case version:
			c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
		default:
			c.Set(fiber.HeaderCacheControl, "no-store")
		}
		return err
	}
}

// inSession sets the header X-API-KEY to the key of the request's session, if there is one.
func (s *Server) inSession(handle fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		r, err := adaptor.ConvertRequest(c, true)
		if err != nil {
			return problem(codeInvalidPath, "").write(c)
		}
		if conn := connOf(c); conn != nil { // conn hides the TLS state from the adaptor
			if over, ok := conn.Conn.(*tls.Conn); ok {
				r.TLS = new(over.ConnectionState())
			}
		}
		if key := s.page.Sessions.Holder(r); key != "" {
			c.Request().Header.Set("X-API-KEY", key)
		}
		return handle(c)
	}
}

// ours refuses posts, except those that a screen of the page sent.
func (s *Server) ours(handle fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if r, err := adaptor.ConvertRequest(c, true); err != nil || !s.page.Sessions.Ours(r) {
			return problem(codeCrossOrigin, "its session may have ended").write(c)
		}
		return handle(c)
	}
}

func (s *Server) showPage(c *fiber.Ctx, by *caller) *Problem {
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	count := func(members int) error { return s.countMembers(c, by, members).shownError() }
	return s.adapted(c, func(w http.ResponseWriter, r *http.Request) { s.page.Serve(ctx, w, r, by.Grant, count) })
}

func (s *Server) adapted(c *fiber.Ctx, handle http.HandlerFunc) *Problem {
	if err := adaptor.HTTPHandlerFunc(handle)(c); err != nil {
		s.log(c).Error("the API could not write a response; it answers 500", "path", c.Path(), "err", err)
		return problem(codeInternal, "")
	}
	return nil
}

func (s *Server) refusePage(p *Problem, c *fiber.Ctx) error {
	shown := p.shown()
	shown.Request = requestID(c)
	return adaptor.HTTPHandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.page.Refuse(w, r, shown) })(c)
}

func (p *Problem) shown() *page.Problem {
	return &page.Problem{Status: p.Status, Title: p.Title, Detail: p.Detail, Code: p.Code, RetryAfter: p.retrySeconds()}
}

func (p *Problem) shownError() error {
	if p == nil {
		return nil
	}
	return p.shown()
}

// withoutKey serves a request before sign-in, unless its address has made too many attempts.
func (s *Server) withoutKey(handle http.HandlerFunc) fiber.Handler {
	return func(c *fiber.Ctx) error {
		began := time.Now()
		p := func() (p *Problem) {
			defer s.recovered(c, &p)
			if p = s.up(); p == nil && c.Method() == fiber.MethodPost {
				p = s.tries(c)
			}
			if p == nil {
				p = s.adapted(c, handle)
			}
			return p
		}()
		var err error
		if p != nil {
			err = s.refusePage(p, c)
		}
		s.metrics.requests.WithLabelValues("sign-in", strconv.Itoa(c.Response().StatusCode())).Observe(time.Since(began).Seconds())
		return err
	}
}

// tries limits sign-in attempts because of their work; the keys cannot be guessed.
func (s *Server) tries(c *fiber.Ctx) *Problem {
	if s.deps.Limiter == nil {
		return nil
	}
	of, quota := "sign-in", score.QuotaOf(proxiedSignIns, 1)
	if conn := connOf(c); conn != nil && conn.from != (netip.Addr{}) {
		of, quota = "sign-in/"+conn.from.String(), score.Quota{PerSecond: signInsPerSecond, Burst: signInsAtOnce}
	}
	if left := s.deps.Limiter.Take(s.life, of, quota, score.Cost{Units: 1, At: time.Now()}); left.Wait > 0 {
		return temporary(codeRateLimited, left.Wait, "too many tries to sign in")
	}
	return nil
}

type source struct{ s *Server }

func (a source) Authenticate(secret string) *score.Grant { return a.s.deps.Keys.Authenticate(secret) }

func (a source) Projects(by *score.Grant, after *score.ProjectID, most int) []*score.Record {
	return a.s.deps.Projects.list(by, after, most)
}

func (a source) Project(id score.ProjectID) (*score.Record, score.Status) {
	rec, known := a.s.deps.Projects.creation(id)
	if rec == nil {
		return nil, known
	}
	return rec, a.s.creationStatus(id, known)
}

func (a source) Update(project score.ProjectID, update score.UpdateID) (score.Status, error) {
	statuses, p := a.s.statusesOf([]score.Ref{score.UpdateRef(project, update)})
	if p != nil {
		return score.Status{}, p.shown()
	}
	return statuses[0], nil
}

func (a source) Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (carrier *score.Carrier, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, carrierPatience)
	defer cancel()
	carrier, err := a.s.deps.Chain.Carrier(ctx, tx, project, update)
	if err != nil {
		a.s.deps.Log.Debug("the API could not read an update's transaction for a page; it leaves out what that tells", "tx", tx, "err", err)
	}
	return carrier, err == nil
}

func (a source) NextEdit(project score.ProjectID) (score.NextEdit, error) {
	next, p := a.s.editAfter(a.s.deps.Log, project)
	return next, p.shownError()
}

func (a source) Edit(project score.ProjectID, nonce uint64) (score.EditState, error) {
	is, p := a.s.editState(a.s.deps.Log, score.EditRef(project, nonce))
	return is, p.shownError()
}

func (a source) Waits(project score.ProjectID) (updates uint64, paused string) {
	if a.s.deps.Backlogs != nil {
		updates = a.s.deps.Backlogs.Of(project).Waiting
	}
	if by := a.s.paused(&project); by != nil {
		paused = by.Reason
	}
	return updates, paused
}
