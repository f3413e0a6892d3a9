package page

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Source tells what the API would answer.
type Source interface {
	// Authenticate returns what the secret's key allows; nil of no valid key.
	Authenticate(secret string) *score.Grant
	// Projects are the first final projects after an id that a key may read, in the order of ids; nil: from the first on. At most so many.
	Projects(by *score.Grant, after *score.ProjectID, most int) []*score.Record
	// Project returns a project's record and how far its creation has come; nil where none was accepted.
	Project(id score.ProjectID) (*score.Record, score.Status)
	// Update tells how far an update has come; its stage is 0 where none was accepted. The error is a *Problem.
	Update(project score.ProjectID, update score.UpdateID) (score.Status, error)
	// Waits tells how many of a project's updates wait to be bound, about, and, if they wait for it, the reason of an operator's pause.
	Waits(project score.ProjectID) (updates uint64, paused string)
}

// Standings are what is read of final updates. Each answer is as of a block; the errors are a *score.RebuildingError, score.ErrNotProjected
// and the store's. A board is the index of a score type, or score.Total.
type Standings interface {
	Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error)
	Around(ctx context.Context, project score.ProjectID, board int, wallet common.Address, limit int) (score.Page, score.AsOf, error)
	Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, asOf score.AsOf, err error)
	Days(ctx context.Context, project score.ProjectID, from, to time.Time) ([]score.Day, score.AsOf, error)
	Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error)
}

// Config of a Page; all is required.
type Config struct {
	Secret    []byte // of the deployment, at least 16 bytes: what sessions are sealed under
	Source    Source
	Standings Standings
	Log       *slog.Logger
}

// Page answers requests below /app. It is safe for concurrent use.
type Page struct {
	sessions  *sessions
	source    Source
	standings Standings
	log       *slog.Logger
	origin    *http.CrossOriginProtection
	mux       *http.ServeMux
}

// The files that pages load; they are the same for everyone.
var (
	//go:embed assets/style.css
	Style []byte
	//go:embed assets/script.js
	Script []byte
	//go:embed assets/live.js
	Live []byte
	//go:embed assets/icon.svg
	Icon []byte

	//go:embed assets/*.html
	templates embed.FS
	screens   = template.Must(template.New("").Funcs(functions).ParseFS(templates, "assets/*.html"))
)

// policy allows the page its own files, forms and links, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// New returns a Page.
func New(c Config) (*Page, error) {
	sealed, err := newSessions(c.Secret)
	if err != nil {
		return nil, err
	}
	p := &Page{sessions: sealed, source: c.Source, standings: c.Standings, log: c.Log, origin: http.NewCrossOriginProtection(), mux: http.NewServeMux()}
	for path, show := range map[string]func(*request) error{
		home + "/{$}":                              p.projects,
		home:                                       p.projects,
		"/app/find":                                p.findProject,
		"/app/projects/{project}":                  p.leaderboard,
		"/app/projects/{project}/find":             p.find,
		"/app/projects/{project}/recent":           p.recent,
		"/app/projects/{project}/members":          p.members,
		"/app/projects/{project}/actions":          p.actions,
		"/app/projects/{project}/costs":            p.costs,
		"/app/projects/{project}/wallets/{wallet}": p.wallet,
		"/app/projects/{project}/updates/{update}": p.update,
		"/": func(*request) error {
			return notFound("There is no such page", "Check the address, or begin at the projects.")
		},
	} {
		p.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			by, _ := r.Context().Value(grantKey{}).(*score.Grant)
			if err := show(&request{r, w, by}); err != nil {
				p.Fail(w, by, p.problemOf(r, err))
			}
		})
	}
	return p, nil
}

// request is one that was let in.
type request struct {
	*http.Request
	w  http.ResponseWriter
	by *score.Grant
}

// grantKey is of the API key's grant in a request's context.
type grantKey struct{}

// Serve answers the request of a key that may look up, within ctx.
func (p *Page) Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, by *score.Grant) {
	if clean, found := unkept(r.URL.RequestURI()); found {
		p.redirect(w, clean)
		return
	}
	p.mux.ServeHTTP(w, r.WithContext(context.WithValue(ctx, grantKey{}, by)))
}

// Problem is why a page cannot be shown: what a problem document of the API says.
type Problem struct {
	Status              int
	Title, Detail, Code string
	Request             string // its id; empty where the answer's header says none
	RetryAfter          int    // seconds; 0 of what does not go away by itself
}

func (p *Problem) Error() string { return p.Title }

func notFound(title, detail string) *Problem {
	return &Problem{Status: http.StatusNotFound, Title: title, Detail: detail, Code: "not_found"}
}

// retryAfter is of what goes away by itself, seconds.
const retryAfter = 2

// problemOf is what an error tells people.
func (p *Page) problemOf(r *http.Request, err error) *Problem {
	var problem *Problem
	var rebuilding *score.RebuildingError
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &rebuilding):
		return &Problem{
			Status: http.StatusServiceUnavailable, Title: "Scores and history are being read from the chain again", Code: "index_rebuilding", RetryAfter: retryAfter,
			Detail: progress(rebuilding) + " Until then ask for single updates; members and actions are shown, too.",
		}
	default:
		p.log.Warn("the API could not read standings for a page; it asks for another try", "path", r.URL.Path, "err", err)
		return &Problem{
			Status: http.StatusServiceUnavailable, Title: "Redis, which holds scores and history for this page, does not answer", Code: "index_unavailable",
			Detail: "Nothing is lost: they are on the chain.", RetryAfter: retryAfter,
		}
	}
}

func progress(r *score.RebuildingError) string {
	if r.Target == 0 {
		return "That begins soon."
	}
	return "It is at block " + grouped(r.Block) + " of " + grouped(r.Target) + "."
}

// Refuse answers a request that was not let in: who showed no valid key is asked to sign in.
func (p *Page) Refuse(w http.ResponseWriter, r *http.Request, problem *Problem) {
	if problem.Status == http.StatusUnauthorized {
		p.redirect(w, signInAt(r.URL.RequestURI()))
		return
	}
	p.Fail(w, nil, problem)
}

type failure struct {
	frame
	Problem *Problem
}

// Fail shows a problem; by is nil where no key was found valid.
func (p *Page) Fail(w http.ResponseWriter, by *score.Grant, problem *Problem) {
	if problem.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(problem.RetryAfter))
	}
	p.show(w, problem.Status, "problem", failure{frameOf(problem.Title, by), problem})
}

// frame is what all pages have around them.
type frame struct {
	Title string
	Key   string // whose session it is; empty without one
}

func frameOf(title string, by *score.Grant) frame {
	f := frame{Title: title}
	if by != nil {
		f.Key = by.Name
	}
	return f
}

// show answers with a screen.
func (p *Page) show(w http.ResponseWriter, status int, screen string, view any) {
	var body bytes.Buffer
	if err := screens.ExecuteTemplate(&body, screen+".html", view); err != nil {
		p.log.Error("the API could not write a response; it answers 500", "screen", screen, "err", err)
		http.Error(w, "Internal error of the API", http.StatusInternalServerError)
		return
	}
	guard(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // to memory
}

// redirect leads the browser to another page here, by GET.
func (p *Page) redirect(w http.ResponseWriter, to string) {
	guard(w)
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// guard sets what every answer to a session has.
func guard(w http.ResponseWriter) {
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		w.Header().Set(name, value)
	}
}
