package ops

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/page"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	home    = "/ops"
	signIn  = "/ops/sign-in"
	signOut = "/ops/sign-out"
)

// MinToken is the minimum length of a token in bytes: a copied cookie allows guessing the token offline.
const MinToken = 24

// maxForm bounds a form in bytes: a key may be restricted to a thousand projects.
const maxForm = 256 << 10

// Config configures Ops; all fields are required.
type Config struct {
	Token    string // at least MinToken bytes
	Overview *overview.Shared
	History  *overview.History
	Stream   *stream.Stream
	Replays  *deadletter.Replays
	Keys     *apikey.Store
	Pauses   *kv.PauseStore
	Metrics  prometheus.Registerer
	Log      *slog.Logger
}

// Ops serves requests below /ops. It is safe for concurrent use.
type Ops struct {
	Config
	sessions *page.Sessions
	made     *page.Sessions // holds a created key's secret until it is shown
	token    [sha256.Size]byte
	tries    *tries
	mux      *http.ServeMux
}

var (
	//go:embed assets
	assets  embed.FS
	screens = template.Must(template.Must(page.Components().Clone()).Funcs(functions).ParseFS(assets, "assets/*.html"))
)

func New(c Config) (*Ops, error) {
	sessions, err := page.NewSessions([]byte(c.Token), "-ops", home)
	if err != nil {
		return nil, err
	}
	made, err := page.NewSessions([]byte(c.Token), "-ops-made", "/ops/keys")
	if err != nil {
		return nil, err
	}
	o := &Ops{
		Config: c, sessions: sessions, made: made, token: sha256.Sum256([]byte(c.Token)), tries: newTries(c.Metrics, c.Log), mux: http.NewServeMux(),
	}
	for pattern, serve := range map[string]func(*request) error{
		"GET /ops":                      o.overview,
		"GET /ops/dead-letters":         o.letters,
		"GET /ops/dead-letters/{id}":    o.letter,
		"GET /ops/dead-letters/replay":  o.preview,
		"POST /ops/dead-letters/replay": o.replay,
		"GET /ops/keys":                 o.keys,
		"POST /ops/keys":                o.createKey,
		"GET /ops/keys/{id}":            o.key,
		"POST /ops/keys/{id}":           o.limitKey,
		"POST /ops/keys/{id}/revoke":    o.revokeKey,
		"GET /ops/pauses":               o.pauses,
		"POST /ops/pauses":              o.pause,
		"POST /ops/pauses/resume":       o.resume,
		"POST " + signOut:               o.signOut,
	} {
		o.mux.HandleFunc(pattern, o.handle(serve))
	}
	return o, nil
}

func (o *Ops) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	_, session := o.holder(r)
	switch file, isFile := files[r.URL.Path]; {
	case isFile && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		page.Guard(w)
		w.Header().Set("Content-Type", file.kind)
		_, _ = w.Write(file.body)
	case r.URL.Path == signIn:
		o.signIn(w, r)
	case session == "" && r.URL.RawQuery == signedIn:
		o.redirect(w, signIn+"?"+signedIn)
	case session == "" && r.Method == http.MethodGet:
		o.redirect(w, signIn)
	case session == "":
		o.fail(w, r, &problem{http.StatusForbidden, "There is no session, so nothing was done", "Sign in, and try it again."})
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !o.sessions.Ours(r):
		o.fail(w, r, &problem{http.StatusForbidden, "This form is not one of your session, so nothing was done", "Load the screen again, and use its own form."})
	default:
		o.mux.ServeHTTP(w, r)
	}
}

// isToken compares in constant time.
func (o *Ops) isToken(text string) bool {
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], o.token[:]) == 1
}

type file struct {
	kind string
	body []byte
}

// files are the static files by path.
var files = func() map[string]file {
	all := map[string]file{}
	for name, kind := range page.Files {
		all[home+"/"+name] = file{kind, page.File(name)}
	}
	for name, kind := range map[string]string{"ops.css": "text/css; charset=utf-8", "live.js": "text/javascript; charset=utf-8"} {
		body, _ := assets.ReadFile("assets/" + name) // embedded
		all[home+"/"+name] = file{kind, body}
	}
	return all
}()

// request has a session.
type request struct {
	*http.Request
	w        http.ResponseWriter
	operator string // as the operator entered it
	session  string // id, for the log
}

func (o *Ops) handle(serve func(*request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		operator, session := o.holder(r)
		err := serve(&request{r, w, operator, session})
		var told *problem
		switch {
		case err == nil:
		case errors.As(err, &told):
			o.fail(w, r, told)
		default:
			o.Log.Warn("an operator's request failed; the screen says why", "path", r.URL.Path, "operator", operator, "session", session, "err", err)
			o.fail(w, r, &problem{http.StatusServiceUnavailable, "This could not be done, or not be seen to be done", err.Error()})
		}
	}
}

func (o *Ops) did(r *request, what string, args ...any) {
	o.Log.Info("an operator changed something on /ops", append([]any{"what", what, "operator", r.operator, "session", r.session, "from", r.RemoteAddr}, args...)...)
}

type problem struct {
	Status        int
	Title, Detail string
}

func (p *problem) Error() string { return p.Title }

type frame struct {
	Title    string
	Tab      string
	Operator string // of the session, or empty
	CSRF     string
}

func (o *Ops) frame(r *http.Request, title, tab string) frame {
	f := frame{Title: title, Tab: tab}
	if operator, session := o.holder(r); session != "" {
		f.Operator, f.CSRF = operator, o.sessions.Token(r)
	}
	return f
}

func (o *Ops) fail(w http.ResponseWriter, r *http.Request, p *problem) {
	o.show(w, p.Status, "problem", struct {
		frame
		Problem *problem
	}{o.frame(r, p.Title, ""), p})
}

func (o *Ops) show(w http.ResponseWriter, status int, screen string, view any) {
	var body bytes.Buffer
	if err := screens.ExecuteTemplate(&body, screen+".html", view); err != nil {
		o.Log.Error("the API could not write a response; it answers 500", "screen", screen, "err", err)
		http.Error(w, "Internal error of the API", http.StatusInternalServerError)
		return
	}
	page.Guard(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

func (o *Ops) redirect(w http.ResponseWriter, to string) {
	page.Guard(w)
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
