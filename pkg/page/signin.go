package page

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	home        = "/app"
	SignInPath  = "/app/sign-in"
	SignOutPath = "/app/sign-out"
)

// kept ends the URL after a sign-in. If such a request lacks the cookie, the browser has rejected the cookie.
const kept = "signed-in"

func unkept(target string) (string, bool) {
	path, found := strings.CutSuffix(target, kept)
	if !found || !strings.HasSuffix(path, "?") && !strings.HasSuffix(path, "&") {
		return target, false
	}
	return path[:len(path)-1], true
}

// signInAt returns the sign-in URL, which leads back to target.
func signInAt(target string) string {
	query := url.Values{}
	target, lost := unkept(target)
	if lost {
		query.Set("lost", "1")
	}
	if target = local(target); target != home {
		query.Set("to", target)
	}
	if len(query) == 0 {
		return SignInPath
	}
	return SignInPath + "?" + query.Encode()
}

// local returns target if it is a path of the page, else home: the sign-in must not redirect to another site.
func local(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host == "" && u.Scheme == "" && strings.HasPrefix(u.Path, "/app/") &&
		!strings.HasPrefix(u.Path, "/app/sign-") && !strings.ContainsAny(target, "\\\r\n") {
		return target
	}
	return home
}

type signIn struct {
	frame
	To      string
	Problem string
}

func (p *Page) SignIn(w http.ResponseWriter, r *http.Request) {
	view := signIn{frame: frame{Title: "Sign in"}, To: local(r.FormValue("to"))}
	if r.Method != http.MethodPost {
		if r.FormValue("lost") != "" {
			view.Problem = "Your browser did not keep the session. It does over HTTPS, or at 127.0.0.1, and with cookies allowed."
		}
		p.show(w, http.StatusOK, "sign-in", view)
		return
	}
	if !p.Sessions.SameOrigin(r) {
		view.Problem = "The form was sent by another site's page. Sign in with this one."
		p.show(w, http.StatusForbidden, "sign-in", view)
		return
	}
	key := strings.TrimSpace(r.PostFormValue("key"))
	grant := p.source.Authenticate(key)
	switch {
	case grant == nil:
		view.Problem = "This API key is unknown or revoked. Check that all of it was copied, or ask the operator for a new one."
	case grant.Expired(time.Now()):
		view.Problem = "This API key has expired. Ask the operator for a new one, or to prolong it."
	case grant.Rights&score.MayRead == 0:
		view.Problem = "This API key may not look up, so there is nothing that it could show. Ask the operator for the right to read."
	default:
		p.Sessions.Begin(w, r, key)
		mark := "?"
		if strings.Contains(view.To, "?") {
			mark = "&"
		}
		p.redirect(w, view.To+mark+kept)
		return
	}
	p.show(w, http.StatusForbidden, "sign-in", view)
}

func (p *Page) SignOut(w http.ResponseWriter, r *http.Request) {
	if p.Sessions.Holder(r) != "" && !p.Sessions.Ours(r) {
		p.fail(w, r, nil, &Problem{Status: http.StatusForbidden, Title: "You are still signed in", Detail: "Sign out with the button of a page here.", Code: "cross_origin"})
		return
	}
	p.Sessions.End(w)
	p.redirect(w, SignInPath)
}
