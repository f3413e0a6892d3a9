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
	// Carrier is the lane's transaction that carries an update; nil of one that is none. It is not ok where the transaction is not at hand now.
	Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (carrier *score.Carrier, ok bool)
	// NextEdit tells which edit of a project comes next. The error is a *Problem.
	NextEdit(project score.ProjectID) (score.NextEdit, error)
	// Edit tells what became of an edit. The error is a *Problem, also where none of this nonce is known.
	Edit(project score.ProjectID, nonce uint64) (score.EditState, error)
	// Waits tells how many of a project's updates wait to be bound, about, and, if they wait for it, the reason of an operator's pause.
	Waits(project score.ProjectID) (updates uint64, paused string)
}

// Standings are what is read of final updates. Each answer is as of a block; the errors are a *score.RebuildingError, score.ErrNotProjected
// and the store's. A board is the index of a score type, or score.Total.
type Standings interface {
	Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error)
	BoardStandings(ctx context.Context, project score.ProjectID, types int, wallet common.Address) ([]score.BoardStanding, score.AsOf, error)
	Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, asOf score.AsOf, err error)
	Days(ctx context.Context, project score.ProjectID, from, to time.Time) ([]score.Day, score.AsOf, error)
	Applied(ctx context.Context, projects []score.ProjectID, from, to time.Time) ([][]uint64, score.AsOf, error)
	Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error)
}

// Config of a Page; all is required but the explorer.
type Config struct {
	Secret    []byte        // of the deployment, at least 16 bytes: what sessions are sealed under
	Domain    wallet.Domain // that edits are signed under
	Source    Source
	Standings Standings
	Explorer  string // the address of a block explorer that screens link to; IsExplorer holds of it, or it is empty

	MaxMembers int // owners and updaters that a project may have by edits here

	Log *slog.Logger
}

// Page answers requests below /app. It is safe for concurrent use.
type Page struct {
	Sessions  *Sessions // whose holders are API keys
	domain    wallet.Domain
	screens   *template.Template
	source    Source
	standings Standings
	log       *slog.Logger

	maxMembers int

	mux *http.ServeMux
}

// Files are what screens load, the same for everyone: content types by name, below /app.
var Files = map[string]string{
	"style.css": "text/css; charset=utf-8", "script.js": "text/javascript; charset=utf-8", "live.js": "text/javascript; charset=utf-8",
	"sign.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
}

var (
	//go:embed assets
	assets  embed.FS
	screens = template.Must(template.New("").Funcs(functions).ParseFS(assets, "assets/*.html"))
)

// File is what stands in one of Files.
func File(name string) []byte {
	body, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is in the program
	}
	return body
}

// Version of one of Files changes with it.
func Version(name string) string {
	sum := sha256.Sum256(File(name))
	return hex.EncodeToString(sum[:6])
}

// address is where a screen finds one of Files. It changes with the file: no screen gets the script of another version from a cache, and any version
// of the API answers it, so that screens work while the APIs are upgraded.
func address(name string) string { return home + "/" + name + "?v=" + Version(name) }

// policy allows a screen the page's own files, forms and links, and nothing else.
func policy(screen string) string {
	images, more := "'self'", ""
	switch screen {
	case "edit": // posts, and shows the icons of wallets
		images, more = "'self' data:", "; connect-src 'self'"
	case "edited", "update", "recent": // read themselves again
		more = "; connect-src 'self'"
	}
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src " + images +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" + more
}

// New returns what serves the page. An error says that sessions cannot be sealed under the secret, or that a screen is malformed.
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

// request is one that was let in.
type request struct {
	*http.Request
	w     http.ResponseWriter
	by    *score.Grant
	count func(members int) error
}

// requestKey is of the request in its own context.
type requestKey struct{}

// Serve answers the request of a key that may look up, within ctx. count charges the key for a screen that scans so many members; its
// error is a *Problem.
func (p *Page) Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, by *score.Grant, count func(members int) error) {
	if clean, found := unkept(r.URL.RequestURI()); found {
		p.redirect(w, clean)
		return
	}
	r = r.Clone(context.WithValue(ctx, requestKey{}, &request{w: w, by: by, count: count}))
	r.URL.Path, r.URL.RawPath = strings.TrimSuffix(r.URL.Path, "/"), strings.TrimSuffix(r.URL.RawPath, "/") // as the rest of the API has it
	p.mux.ServeHTTP(w, r)
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
	p.fail(w, r, nil, problem)
}

type failure struct {
	frame
	Problem *Problem
	Path    string // of the project that it is about; empty of none that the key may read
}

// fail shows a problem; by is nil where no key was found valid.
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

// frame is what all pages have around them.
type frame struct {
	Title string
	Key   string // whose session it is; empty without one
	Token string // of the session's posts
}

func (p *Page) frame(title string, r *http.Request, by *score.Grant) frame {
	f := frame{Title: title}
	if by != nil {
		f.Key, f.Token = by.Name, p.Sessions.Token(r)
	}
	return f
}

// show answers with a screen.
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
	_, _ = w.Write(body.Bytes()) // to memory
}

// redirect leads the browser to another page here, by GET.
func (p *Page) redirect(w http.ResponseWriter, to string) {
	guard(w, "")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// guard sets what every answer to a session has.
func guard(w http.ResponseWriter, screen string) {
	for name, value := range map[string]string{
		"Content-Security-Policy": policy(screen), "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		w.Header().Set(name, value)
	}
}
