package ops

import (
	"crypto/rand"
	"net/http"
	"strings"
	"unicode"
)

// maxName is in bytes.
const maxName = 60

// holder returns the operator's name and the id of a request's session, or "".
func (o *Ops) holder(r *http.Request) (operator, session string) {
	session, operator, _ = strings.Cut(o.sessions.Holder(r), " ")
	return operator, session
}

// signedIn ends the URL after a sign-in. If such a request lacks a session, the browser rejected the cookie.
const signedIn = "signed-in"

func (o *Ops) signIn(w http.ResponseWriter, r *http.Request) {
	view := struct {
		frame
		Problem, Name string
	}{frame: frame{Title: "Sign in"}}
	status := http.StatusOK
	if r.Method == http.MethodPost {
		view.Name = strings.TrimSpace(r.PostFormValue("name"))
		if status, view.Problem = o.refuses(r, view.Name); status == http.StatusOK {
			id := rand.Text()[:10]
			o.sessions.Begin(w, r, id+" "+view.Name)
			o.tries.results.WithLabelValues(right).Inc()
			o.Log.Info("an operator signed in to /ops", "operator", view.Name, "session", id, "from", r.RemoteAddr)
			o.redirect(w, home+"?"+signedIn)
			return
		}
	} else if r.URL.RawQuery == signedIn {
		view.Problem = "Your browser did not keep the session. It does at 127.0.0.1 or localhost, or over HTTPS, and with cookies allowed."
	}
	o.show(w, status, "sign-in", view)
}

// refuses returns why a sign-in is refused, or http.StatusOK. The name is unverified: it is for the log.
func (o *Ops) refuses(r *http.Request, name string) (status int, why string) {
	switch {
	case !o.sessions.SameOrigin(r):
		return http.StatusForbidden, "The form was sent by another site's page. Sign in with this one."
	case !o.tries.allow(r):
		return http.StatusTooManyRequests, "There were too many tries. Wait some seconds."
	case !o.isToken(r.PostFormValue("token")):
		o.tries.failed(wrong, r)
		return http.StatusForbidden, "This is not the token. Check that all of it was copied."
	case name == "" || len(name) > maxName || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }):
		return http.StatusBadRequest, "Say who you are, in up to 60 letters: the log notes it beside what you change."
	}
	return http.StatusOK, ""
}

func (o *Ops) signOut(r *request) error {
	o.sessions.End(r.w)
	o.redirect(r.w, signIn)
	return nil
}
