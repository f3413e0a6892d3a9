package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Source provides the data of the API.
type Source interface {
	// Authenticate returns the rights of the secret's key; nil for an invalid key.
	Authenticate(secret string) *score.Grant
	// Projects returns final projects that a key may read, up to most, by id, after the given id or from the start.
	Projects(by *score.Grant, after *score.ProjectID, most int) []*score.Record
	// Project returns a project's record (nil: unknown) and the status of its creation.
	Project(id score.ProjectID) (*score.Record, score.Status)
	// Update returns an update's status, with stage 0 for an unknown one. The error is a *Problem.
	Update(project score.ProjectID, update score.UpdateID) (score.Status, error)
	// Carrier returns the lane's transaction that carries an update; nil for other transactions. ok is false if the
	// transaction is unavailable now.
	Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (carrier *score.Carrier, ok bool)
	// NextEdit's error is a *Problem.
	NextEdit(project score.ProjectID) (score.NextEdit, error)
	// Edit's error is a *Problem, also for an unknown nonce.
	Edit(project score.ProjectID, nonce uint64) (score.EditState, error)
	// Waits returns a project's approximate backlog, and the reason of an operator's pause if that causes it.
	Waits(project score.ProjectID) (updates uint64, paused string)
}

// Standings provides data of final updates. Errors are a *score.RebuildingError, score.ErrNotProjected and the
// store's. A board is the index of a score type, or score.Total.
type Standings interface {
	Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error)
	BoardStandings(ctx context.Context, project score.ProjectID, types int, wallet common.Address) ([]score.BoardStanding, score.AsOf, error)
	Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, asOf score.AsOf, err error)
	Days(ctx context.Context, project score.ProjectID, from, to time.Time) ([]score.Day, score.AsOf, error)
	Applied(ctx context.Context, projects []score.ProjectID, from, to time.Time) ([][]uint64, score.AsOf, error)
	Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error)
}

// Only Explorer is optional in a Config.
type Config struct {
	Secret    []byte        // of the deployment, at least 16 bytes, for session keys
	Domain    wallet.Domain // EIP-712 domain of edits
	Source    Source
	Standings Standings
	Explorer  string // block explorer that IsExplorer accepts; or empty

	MaxMembers int // most owners and updaters after an edit

	Log *slog.Logger
}

// Page is safe for concurrent use.
type Page struct {
	Sessions  *Sessions // their holders are API keys
	domain    wallet.Domain
	screens   *template.Template
	source    Source
	standings Standings
	log       *slog.Logger

	maxMembers int

	mux *http.ServeMux
}

// Files are the static files below /app, with content types.
var Files = map[string]string{
	"style.css": "text/css; charset=utf-8", "script.js": "text/javascript; charset=utf-8", "live.js": "text/javascript; charset=utf-8",
	"sign.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
}

var (
	//go:embed assets
	assets  embed.FS
	screens = template.Must(template.New("").Funcs(functions).ParseFS(assets, "assets/*.html"))
)

func File(name string) []byte {
	body, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return body
}

func Version(name string) string {
	sum := sha256.Sum256(File(name))
	return hex.EncodeToString(sum[:6])
}

// address returns the URL of one of Files. It contains the file's version, so that caches never mix versions. Every
// API version serves it, so that screens work during an upgrade.
func address(name string) string { return home + "/" + name + "?v=" + Version(name) }

// policy returns a Content-Security-Policy.
func policy(screen string) string {
	images, more := "'self'", ""
	switch screen {
	case "edit": // posts, and shows wallets' icons
		images, more = "'self' data:", "; connect-src 'self'"
	case "edited", "update", "recent": // they reload themselves
		more = "; connect-src 'self'"
	}
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src " + images +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" + more
}

// New fails if the secret is unusable or a template is malformed.
func New(c Config) (*Page, error) {
	sessions, err := NewSessions(c.Secret, "", "/")
	if err != nil {
		return nil, err
	}
	drawn, err := screens.Clone()
	if err != nil {
		return nil, err
	}
	drawn.Funcs(template.FuncMap{"explorer": explorer(c.Explorer)})
	p := &Page{Sessions: sessions, domain: c.Domain, screens: drawn, source: c.Source, standings: c.Standings, log: c.Log, maxMembers: c.MaxMembers, mux: http.NewServeMux()}
	for path, show := range map[string]func(*request) error{
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
		"/app/projects/{project}/edit":             p.edit,
		"/app/projects/{project}/edits":            p.edits,
		"/app/projects/{project}/edits/{nonce}":    p.edited,
		"/": func(*request) error {
			return notFound("There is no such page", "Check the address, or begin at the projects.")
		},
		"/app/projects/{project}/wallets/{wallet}/history.csv": p.historyCSV,
	} {
		p.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			req := r.Context().Value(requestKey{}).(*request)
			req.Request = r
			if err := show(req); err != nil {
				p.fail(w, r, req.by, p.problemOf(r, err))
			}
		})
	}
	return p, nil
}

type request struct {
	*http.Request
	w     http.ResponseWriter
	by    *score.Grant
	count func(members int) error
}

type requestKey struct{}

// Serve handles the request of a key with the right to read, within ctx. count charges the key for a screen that
// scans members; its error is a *Problem.
func (p *Page) Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, by *score.Grant, count func(members int) error) {
	if clean, found := unkept(r.URL.RequestURI()); found {
		p.redirect(w, clean)
		return
	}
	r = r.Clone(context.WithValue(ctx, requestKey{}, &request{w: w, by: by, count: count}))
	// ignores a trailing slash, as the API does
	r.URL.Path, r.URL.RawPath = strings.TrimSuffix(r.URL.Path, "/"), strings.TrimSuffix(r.URL.RawPath, "/")
	p.mux.ServeHTTP(w, r)
}

// Problem is an error with the content of the API's problem document.
type Problem struct {
	Status              int
	Title, Detail, Code string
	Request             string // id; empty if the response header lacks it
	RetryAfter          int    // seconds; 0: permanent
}

func (p *Problem) Error() string { return p.Title }

func notFound(title, detail string) *Problem {
	return &Problem{Status: http.StatusNotFound, Title: title, Detail: detail, Code: "not_found"}
}

// retryAfter is for temporary errors, in seconds.
const retryAfter = 2

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

// Refuse handles a rejected request. If the key is missing or invalid, it redirects to the sign-in.
func (p *Page) Refuse(w http.ResponseWriter, r *http.Request, problem *Problem) {
	if problem.Status == http.StatusUnauthorized {
		p.redirect(w, signInAt(r.URL.RequestURI()))
		return
	}
	p.fail(w, r, nil, problem)
}

type failure struct {
	frame
	Problem *Problem
	Path    string // of the project, if the key may read it
}

// fail shows a problem; by is nil if the key is invalid.
func (p *Page) fail(w http.ResponseWriter, r *http.Request, by *score.Grant, problem *Problem) {
	if problem.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(problem.RetryAfter))
	}
	view := failure{frame: p.frame(problem.Title, r, by), Problem: problem}
	if id, err := score.ParseProjectID(r.PathValue("project")); err == nil && by != nil && by.Covers(id) {
		if rec, _ := p.source.Project(id); rec != nil {
			view.Path = projectPath(id)
		}
	}
	p.show(w, problem.Status, "problem", view)
}

// frame is the common part of all screens.
type frame struct {
	Title string
	Key   string // name of the session's key, or empty
	Token string // CSRF token of the session
}

func (p *Page) frame(title string, r *http.Request, by *score.Grant) frame {
	f := frame{Title: title}
	if by != nil {
		f.Key, f.Token = by.Name, p.Sessions.Token(r)
	}
	return f
}

func (p *Page) show(w http.ResponseWriter, status int, screen string, view any) {
	var body bytes.Buffer
	if err := p.screens.ExecuteTemplate(&body, screen+".html", view); err != nil {
		p.log.Error("the API could not write a response; it answers 500", "screen", screen, "err", err)
		http.Error(w, "Internal error of the API", http.StatusInternalServerError)
		return
	}
	guard(w, screen)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // a write to memory
}

func (p *Page) redirect(w http.ResponseWriter, to string) {
	guard(w, "")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// guard sets every response's security headers.
func guard(w http.ResponseWriter, screen string) {
	for name, value := range map[string]string{
		"Content-Security-Policy": policy(screen), "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		w.Header().Set(name, value)
	}
}
