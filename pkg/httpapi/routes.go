package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/cors"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/score"
)

func (s *Server) routes(metrics http.Handler) *fiber.App {
	app := fiber.New(fiber.Config{
		AppName: "scorelay", DisableStartupMessage: true, DisablePreParseMultipartForm: true,
		CaseSensitive: true,
		// Otherwise each idle connection keeps its largest body so far, and a buffer of maxHeaders.
		ReduceMemoryUsage: true,
		BodyLimit:         s.config.MaxBody, ReadBufferSize: maxHeaders,
		Concurrency: 2 * s.config.MaxConnections, // doors has the limit; fasthttp would respond in plain text
		ReadTimeout: s.config.ReadTimeout, WriteTimeout: s.config.ReadTimeout, IdleTimeout: s.config.Idle,
		ErrorHandler: s.failed,
	})
	app.Server().HeaderReceived = s.boundsFor
	app.Server().ExpectHandler = s.expected
	handle := app.Server().Handler
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		s.identify(ctx)
		handle(ctx)
	}
	if len(s.config.Origins) > 0 {
		app.Use(s.crossOrigin())
	}
	app.Post("/create-project", s.route("create-project", s.writes, score.MayCreate, s.accepting(s.createProject)))
	app.Post("/update-score", s.route("update-score", s.writes, score.MayUpdate, s.accepting(s.updateScore)))
	app.Post("/update-scores", s.route("update-scores", s.writes, score.MayUpdate, s.accepting(s.updateScores)))
	app.Post("/update-groups", s.route("update-groups", s.writes, score.MayUpdate, s.accepting(s.updateGroups)))
	app.Post("/projects/:project/edits", s.route("edit-project", s.writes, score.MayCreate, s.accepting(s.editProject)))
	app.Get("/projects/:project/edits", s.route("edits", s.reads, score.MayRead, s.editToSign))
	app.Get("/projects/:project/edits/:nonce", s.route("edit", s.reads, score.MayRead, s.edit))
	app.Post("/reserve-ids", s.route("reserve-ids", s.writes, score.MayUpdate, s.reserveIDs))
	app.Post(pathLookUpUpdates, s.route("look-up-updates", s.reads, score.MayRead, s.lookUpUpdates))
	app.Get("/projects", s.route("projects", s.reads, score.MayRead, s.listProjects))
	app.Get("/projects/:project", s.route("project", s.reads, score.MayRead, s.project))
	app.Get("/projects/:project/updates/:update", s.route("update", s.reads, score.MayRead, s.update))
	// One wallet's scores are as of the newest block; those of many come from the standings, as of a final one.
	app.Get("/projects/:project/scores/:wallet", s.route("scores", s.reads, score.MayRead, s.scores))
	app.Get("/projects/:project/scores", s.route("wallets", s.reads, score.MayRead, s.scoresOf))
	app.Get("/projects/:project/leaderboards/:scoreType", s.route("leaderboard", s.reads, score.MayRead, s.leaderboard))
	app.Get("/projects/:project/wallets/:wallet/history", s.route("history", s.reads, score.MayRead, s.history))
	app.Get("/projects/:project/stats", s.route("stats", s.reads, score.MayRead, s.stats))
	if s.deps.Events != nil {
		app.Get("/projects/:project/events", s.route("events", s.reads, score.MayRead, s.events))
	}
	documentation(app)
	if s.page != nil {
		s.servePage(app)
	}
	app.Get("/livez", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	app.Get("/readyz", s.readyz)
	if metrics != nil {
		app.Get("/metrics", adaptor.HTTPHandler(metrics))
	}
	return app
}

// crossOrigin answers CORS preflight requests for the configured origins. Keys are sent in a header, so credentials
// (cookies) are useless and forbidden.
func (s *Server) crossOrigin() fiber.Handler {
	return cors.New(cors.Config{
		AllowOrigins: strings.Join(s.config.Origins, ","), AllowMethods: "GET,POST", AllowHeaders: strings.Join([]string{"Content-Type", "X-API-KEY", lastEventID, requestIDHeader}, ","),
		ExposeHeaders: strings.Join([]string{requestIDHeader, fiber.HeaderRetryAfter, headerLeft, headerPolicy}, ","), MaxAge: 600,
	})
}

func (s *Server) route(name string, places chan struct{}, right score.Rights, handle handler) fiber.Handler {
	return s.routeTo(name, places, right, handle, (*Problem).write)
}

func (s *Server) routeTo(name string, places chan struct{}, right score.Rights, handle handler, write func(*Problem, *fiber.Ctx) error) fiber.Handler {
	answered := s.metrics.requests.WithLabelValues(name, strconv.Itoa(fiber.StatusOK))
	handle = s.traced(handle)
	return func(c *fiber.Ctx) error {
		began := time.Now()
		p := s.enter(c, places, right, handle)
		switch {
		case p == nil: // the handler counted it
		case name == "update-score", name == "update-scores", name == "update-groups":
			s.metrics.updates.WithLabelValues(p.Code).Inc()
		case name == "create-project":
			s.metrics.creations.WithLabelValues(p.Code).Inc()
		case name == "edit-project":
			s.metrics.edits.WithLabelValues(p.Code).Inc()
		}
		var err error
		if p != nil {
			err = write(p, c)
			if s.deps.Log.Enabled(c.Context(), slog.LevelDebug) {
				s.log(c).Debug("the API answered with a problem", "path", c.Path(), "code", p.Code, "detail", p.Detail)
			}
		}
		took := time.Since(began)
		if p == nil || p.Code == codeNotDurable.Name { // only requests that held their place to the end count
			s.paceOf(places).note(took)
		}
		observer := answered
		if status := c.Response().StatusCode(); status != fiber.StatusOK {
			observer = s.metrics.requests.WithLabelValues(name, strconv.Itoa(status))
		}
		observe(observer, took.Seconds(), s.spanOf(c))
		return err
	}
}

func (s *Server) send(c *fiber.Ctx, v any) *Problem {
	if err := send(c, fiber.StatusOK, fiber.MIMEApplicationJSON, v); err != nil {
		s.log(c).Error("the API could not write a response; it answers 500", "path", c.Path(), "err", err)
		return problem(codeInternal, "")
	}
	return nil
}
