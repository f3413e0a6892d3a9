package ops

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/score"
)

// mostKeys bounds the list of keys: valid ones first, then newest. `scorelay keys list` is unbounded.
const mostKeys = 500

type keysView struct {
	frame
	Keys   []apikey.Key
	All    int
	Recent int // used in the last hour
	Rights []string
	New    apikey.Terms
}

func (o *Ops) keys(r *request) error {
	keys, err := o.Keys.List(r.Context())
	if err != nil {
		return err
	}
	view := keysView{frame: o.frame(r.Request, "API keys", "keys"), Keys: keys, All: len(keys), Rights: apikey.Rights(), New: apikey.CallerTerms()}
	for _, k := range keys {
		if k.LastUsed != nil && time.Since(*k.LastUsed) < time.Hour {
			view.Recent++
		}
	}
	slices.Reverse(view.Keys)
	slices.SortStableFunc(view.Keys, func(a, b apikey.Key) int { return revoked(a) - revoked(b) })
	view.Keys = view.Keys[:min(mostKeys, len(view.Keys))]
	o.show(r.w, http.StatusOK, "keys", view)
	return nil
}

func revoked(k apikey.Key) int {
	if k.Revoked != nil {
		return 1
	}
	return 0
}

// createKey redirects to the key's screen: a reload must not create another key.
func (o *Ops) createKey(r *request) error {
	var terms apikey.Terms
	if err := termsOf(r, &terms); err != nil {
		return keyProblem(err)
	}
	secret, key, err := o.Keys.Create(r.Context(), strings.TrimSpace(r.PostFormValue("name")), terms)
	if err != nil {
		return keyProblem(err)
	}
	o.did(r, "created an API key", "key", key.ID, "name", key.Name)
	o.made.Begin(r.w, r.Request, r.session+" "+key.ID+" "+secret.Reveal())
	o.redirect(r.w, "/ops/keys/"+key.ID)
	return nil
}

// secret returns a new key's secret to the session that created it, the first time the key is shown; later "". The
// secret travels sealed in a cookie: another replica may serve the next request, and replicas store no secrets.
func (o *Ops) secret(r *request, id string) string {
	secret, made := strings.CutPrefix(o.made.Holder(r.Request), r.session+" "+id+" ")
	if !made {
		return ""
	}
	o.made.End(r.w)
	return secret
}

func (o *Ops) key(r *request) error {
	keys, err := o.Keys.List(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k apikey.Key) bool { return k.ID == r.PathValue("id") })
	if at < 0 {
		return keyProblem(apikey.ErrNotFound)
	}
	o.show(r.w, http.StatusOK, "key", struct {
		frame
		Is     apikey.Key
		Rights []string
		Secret string
	}{o.frame(r.Request, keys[at].Name, "keys"), keys[at], apikey.Rights(), o.secret(r, keys[at].ID)})
	return nil
}

func (o *Ops) limitKey(r *request) error {
	id := r.PathValue("id")
	key, err := o.Keys.Edit(r.Context(), id, func(t *apikey.Terms) error { return termsOf(r, t) })
	if err != nil {
		return keyProblem(err)
	}
	o.did(r, "changed an API key", "key", id, "name", key.Name, "terms", key.Terms)
	o.redirect(r.w, "/ops/keys/"+url.PathEscape(id))
	return nil
}

func (o *Ops) revokeKey(r *request) error {
	id := r.PathValue("id")
	if err := o.Keys.Revoke(r.Context(), id); err != nil {
		return keyProblem(err)
	}
	o.did(r, "revoked an API key", "key", id)
	o.redirect(r.w, "/ops/keys")
	return nil
}

// keyProblem converts errors of the request to a problem, and returns others as they are.
func keyProblem(err error) error {
	switch {
	case errors.Is(err, apikey.ErrNotFound), errors.Is(err, apikey.ErrRevoked):
		return &problem{http.StatusNotFound, "There is no such key, or it was revoked", err.Error()}
	case errors.Is(err, apikey.ErrName), errors.Is(err, apikey.ErrTerms), errors.Is(err, errForm):
		return &problem{http.StatusBadRequest, "A key cannot be so; nothing was changed", err.Error()}
	}
	return err
}

var errForm = errors.New("this field cannot be read")

// termsOf parses a form with all terms of a key. If the expiry is empty, the old one stays.
func termsOf(r *request, t *apikey.Terms) (err error) {
	number := func(field string) uint64 {
		text := strings.ReplaceAll(strings.TrimSpace(r.PostFormValue(field)), ",", "")
		if text == "" {
			return 0
		}
		n, wrong := strconv.ParseUint(text, 10, 62)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("%w: %s is %q, not a whole number", errForm, field, text))
		}
		return n
	}
	t.Rate, t.LookUps, t.Gas = int(number("rate")), int(number("look-ups")), number("gas")
	t.Creates, t.Words, t.Wallets = number("create-gas"), number("words"), number("wallets")
	t.Rights, t.Projects, t.Whole = nil, nil, r.PostFormValue("whole") != ""
	for _, right := range apikey.Rights() {
		if slices.Contains(r.PostForm["right"], right) {
			t.Rights = append(t.Rights, right)
		}
	}
	switch len(t.Rights) {
	case 0:
		err = errors.Join(err, fmt.Errorf("%w: choose what it may do; to take everything from it, revoke it", errForm))
	case len(apikey.Rights()):
		t.Rights = nil
	}
	for _, text := range strings.Fields(strings.ReplaceAll(r.PostFormValue("projects"), ",", " ")) {
		project, wrong := score.ParseProjectID(text)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("%w: %q is no projectId: %w", errForm, text, wrong))
		}
		t.Projects = append(t.Projects, project)
	}
	if text := strings.TrimSpace(r.PostFormValue("expires")); text != "" {
		expires, wrong := apikey.ParseExpiry(text, time.Now())
		t.Expires, err = expires, errors.Join(err, wrong)
	}
	return err
}
