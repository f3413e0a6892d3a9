package page

import (
	"crypto/hmac"
	"html/template"
	"net/http"
	"time"
)

// This file is for screens that another package serves elsewhere: they look as the page does, and their sessions are sealed as the page's are.

// Components are the parts of screens that are the same everywhere: times, ids, plots, and the functions that write names and numbers.
func Components() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(assets, "assets/frame.html"))
}

// Plot is what the component "plot" draws.
type Plot = plot

// The size of a Plot, in its own units.
const (
	PlotWidth  = plotWidth
	PlotHeight = plotHeight
)

// Guard sets what every answer to a session has. A screen's script may read the screen again.
func Guard(w http.ResponseWriter) {
	guard(w, "update")
}

// Sessions are those of screens below a path of their own.
type Sessions struct {
	sealed *sessions
	suffix string // of the cookies' names
	path   string
	origin *http.CrossOriginProtection
}

// NewSessions derives their keys from a secret of at least 16 bytes. A process with the same secret opens them, too.
func NewSessions(secret []byte, suffix, path string) (*Sessions, error) {
	sealed, err := newSessions(secret)
	return &Sessions{sealed: sealed, suffix: suffix, path: path, origin: http.NewCrossOriginProtection()}, err
}

// cookie is the page's with another name; the plain one for these screens alone, since a browser sends it to each port of the host.
func (s *Sessions) cookie(origin, value string) *http.Cookie {
	c := cookie(origin, value)
	c.Name += s.suffix
	if !c.Secure {
		c.Path = s.path
	}
	return c
}

// Begin has the browser keep a session of a holder, for SessionTime.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, holder string) {
	http.SetCookie(w, s.cookie(r.Header.Get("Origin"), s.sealed.seal(holder, time.Now().Add(SessionTime))))
}

// End has the browser forget its session.
func (s *Sessions) End(w http.ResponseWriter) {
	for _, origin := range []string{"", "http://localhost"} {
		c := s.cookie(origin, "")
		c.MaxAge = -1
		http.SetCookie(w, c)
	}
}

// Holder is whose session a request has; empty without one that holds.
func (s *Sessions) Holder(r *http.Request) string {
	return s.sealed.open(sessionOf(r, s.suffix), time.Now())
}

// Token is what the session's forms must hold, in the field csrf.
func (s *Sessions) Token(r *http.Request) string { return s.sealed.token(sessionOf(r, s.suffix)) }

// SameOrigin tells whether no other origin's page sent the request.
func (s *Sessions) SameOrigin(r *http.Request) bool { return s.origin.Check(r) == nil }

// Ours tells whether a form of the request's session sent it: its origin is this one, and it holds the session's token.
func (s *Sessions) Ours(r *http.Request) bool {
	return s.Holder(r) != "" && s.SameOrigin(r) && hmac.Equal([]byte(r.PostFormValue("csrf")), []byte(s.Token(r)))
}
