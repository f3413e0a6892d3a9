package httpapi_test

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// newOwner is a browser of one who may send edits of a project that is on the chain.
func newOwner(t *testing.T) *browser {
	t.Helper()
	t.Parallel()
	return startOwner(t)
}

// startOwner is a further one.
func startOwner(t *testing.T) *browser {
	t.Helper()
	w := startBrowser(t, nil)
	w.onChain()
	w.restored()
	w.signIn(w.secret.Reveal(), "")
	return w
}

func (w *browser) path() string { return "/app/projects/" + w.project.ID.String() }

// shown is the edit that a screen shows, as its script reads it.
func (w *browser) shown(query string) score.ProjectEdit {
	w.t.Helper()
	r := w.look(w.path() + "/edit?" + query).ok()
	fields := map[string]string{}
	for _, at := range regexp.MustCompile(`data-field="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(r.raw, -1) {
		fields[at[1]] = html.UnescapeString(at[2])
	}
	number := func(name string) uint64 {
		n, err := strconv.ParseUint(fields[name], 10, 64)
		require.True(w.t, err == nil || fields[name] == "", name)
		return n
	}
	one := score.Edit{Operation: score.Operation(fields["operation"]), Name: fields["name"], Points: uint32(number("points")), Direction: score.Direction(number("direction"))}
	if fields["member"] != "" {
		var err error
		one.Member, err = wallet.ParseAddress(fields["member"])
		require.NoError(w.t, err)
	}
	project, err := score.ParseProjectID(fields["projectId"])
	require.NoError(w.t, err)
	return score.ProjectEdit{Project: project, Edits: []score.Edit{one}, Nonce: number("nonce"), Deadline: number("deadline")}
}

// sendEdit posts a signed edit as the page's script does, with headers changed.
func (w *browser) sendEdit(body any, headers ...string) response {
	w.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(w.t, err)
	return w.visitWith(http.MethodPost, w.path()+"/edits", bytes.NewReader(raw), append([]string{"Content-Type", "application/json", "X-CSRF-Token", w.token(w.path())}, headers...)...)
}

// TestAnOwnerEditsOnThePage: what the screen shows is what is signed, what is posted is accepted once, and its screen tells its way, for each operation.
func TestAnOwnerEditsOnThePage(t *testing.T) {
	t.Parallel()
	for operation, c := range map[score.Operation]struct{ query, command, says string }{
		score.AddOwner:            {"&member=" + devnet.Address(9).Hex(), "--add-owner='" + devnet.Address(9).Hex() + "'", "becomes an owner"},
		score.AddUpdater:          {"&member=+" + strings.ToLower(devnet.Address(9).Hex()), "--add-updater='" + devnet.Address(9).Hex() + "'", "becomes an updater"},
		score.RemoveUpdater:       {"&member=" + devnet.Address(2).Hex(), "--remove-updater=", "is no updater"},
		score.AddAction:           {"&name=it%27s+a+gift&points=-5", `--add-action='it'\''s a gift=-5'`, "adds −5 points"},
		score.AddScoreType:        {"&name=luck", "--add-score-type='luck'", "begins at 0"},
		score.RequireSignedGroups: {"", "--signed-only=true", "in signed groups only"},
	} {
		t.Run(string(operation), func(t *testing.T) {
			w := newOwner(t)
			query := "operation=" + url.QueryEscape(string(operation)) + c.query
			screen := w.look(w.path() + "/edit?" + query)
			text := html.UnescapeString(screen.raw)
			require.Contains(t, text, c.says)
			require.Contains(t, text, "scorelay projects edit "+w.project.ID.String()+" "+c.command)
			require.Contains(t, text, `data-owners="`+devnet.Address(1).Hex()+` "`)
			require.Contains(t, text, `"verifyingContract":"`+strings.ToLower(shared.contract.Hex())+`"`)
			require.Equal(t, "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'",
				screen.header.Get("Content-Security-Policy"))

			body := w.editBody(w.owner, w.shown(query))
			require.Equal(t, "accepted", w.sendEdit(body).body["status"])
			require.Equal(t, "duplicate", w.sendEdit(body).body["status"], "a second click")
			require.Len(t, w.storedEdits(), 1)
			require.NoError(t, transact(&shared.contract, registry.EncodeEdit(w.storedEdits()[0].Edit)), "the contract takes what the screen showed")

			edited := w.path() + "/edits/0"
			require.Equal(t, edited, w.look(w.path()+"/edits").header.Get("Location"))
			r := w.look(edited)
			require.Contains(t, r.raw, "It is accepted and waits for its turn.")
			require.Contains(t, r.raw, " data-live>")
			require.NoError(t, w.status.Final(t.Context(), updateTx, 9, []score.Ref{w.storedEdits()[0].Edit.Ref()}, []score.Outcome{score.Applied}))
			r = w.look(edited)
			require.Contains(t, r.raw, "It is made, for good.")
			require.NotContains(t, r.raw, " data-live>")
			require.Contains(t, r.raw, devnet.Address(1).Hex())
			require.Contains(t, r.raw, "<p class=\"whole\">"+string(operation))
		})
	}
}

// TestACommandThatCannotBeSeenAsItIsIsNotShown: a name may turn the text of a command around, and its points with it.
func TestACommandThatCannotBeSeenAsItIsIsNotShown(t *testing.T) {
	w := newOwner(t)
	for name, shown := range map[string]bool{"gift": true, "\u202Etfig": false, "gi\u200Bft": false} {
		r := w.look(w.path() + "/edit?" + url.Values{"operation": {"add action"}, "name": {name}, "points": {"5"}}.Encode()).ok()
		require.Equal(t, shown, strings.Contains(r.raw, "scorelay projects edit"), "%q", name)
		require.Contains(t, r.raw, `data-field="name" value="`+name+`"`, "the wallet signs it as it is")
	}
}

// TestOnlyTheSessionsScreensPostEdits: with its cookie, but not from its origin, or without its token, nothing is looked at.
func TestOnlyTheSessionsScreensPostEdits(t *testing.T) {
	t.Parallel()
	w, other := startOwner(t), startOwner(t)
	body := w.editBody(w.owner, w.edit(0, added(7)))
	for name, headers := range map[string][]string{
		"no token":              {"X-CSRF-Token", ""},
		"another's token":       {"X-CSRF-Token", other.token(other.path())},
		"another site":          {"Sec-Fetch-Site", "cross-site"},
		"a sibling of the site": {"Sec-Fetch-Site", "same-site"},
		"another origin":        {"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
		"an opaque origin":      {"Sec-Fetch-Site", "", "Origin", "null"},
		"no session":            {"Cookie", "scorelay="},
	} {
		if name == "no session" {
			w := *w
			w.jar = nil
			r := w.visitWith(http.MethodPost, w.path()+"/edits", strings.NewReader("{}"), append([]string{"Content-Type", "application/json", "X-API-KEY", w.secret.Reveal()}, headers...)...)
			require.Equal(t, http.StatusForbidden, r.status, "a key in the header is for the API's own path")
			continue
		}
		require.Equal(t, "cross_origin", w.sendEdit(body, headers...).code(), name)
	}
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		require.Equal(t, "unsupported_media_type", w.sendEdit(body, "Content-Type", contentType).code())
	}
	require.Equal(t, "signer_not_owner", w.sendEdit(w.editBody(devnet.Key(2), w.edit(0, added(7)))).code())
	require.Equal(t, "signer_not_owner", w.sendEdit(set(w.editBody(w.owner, w.edit(0, added(7))), "deadline", w.edit(0).Deadline+9)).code(), "a screen that shows something else than is signed")
	require.Empty(t, w.storedEdits())
}

// TestASessionEditsWhatItsKeyMay: no more projects, rights or requests than the key has.
func TestASessionEditsWhatItsKeyMay(t *testing.T) {
	w := newOwner(t)
	as := func(terms apikey.Terms) {
		secret, _ := w.key("of another", terms)
		require.Equal(t, http.StatusSeeOther, w.signIn(secret.Reveal(), "").status)
	}
	body := w.editBody(w.owner, w.edit(0, added(7)))
	query := w.path() + "/edit?operation=add+updater&member=" + devnet.Address(7).Hex()
	as(apikey.Terms{Rights: []string{"read"}})
	require.Equal(t, "key_lacks_right", w.sendEdit(body).code())
	r := w.look(query)
	require.Contains(t, r.raw, "may not send edits")
	require.NotContains(t, r.raw, `id="signing"`)
	require.Contains(t, r.raw, "scorelay projects edit")

	as(apikey.Terms{Projects: []score.ProjectID{{1}}})
	token := w.token("/app")
	require.Equal(t, "key_other_projects", w.sendEdit(body, "X-CSRF-Token", token).code())
	for _, path := range []string{query, w.path() + "/edits", w.path() + "/edits/0"} {
		require.Equal(t, http.StatusNotFound, w.look(path).status)
	}

	as(apikey.Terms{Rate: 1})
	token = w.token("/app")
	for range 2000 {
		if w.sendEdit(set(body, "nonce", 9), "X-CSRF-Token", token).status == http.StatusTooManyRequests {
			require.Empty(t, w.storedEdits())
			return
		}
	}
	t.Fatal("a key of one update a second posted two thousand edits")
}

// TestWhatAnOwnerCannotSignIsTold before there is anything to sign, and names are text.
func TestWhatAnOwnerCannotSignIsTold(t *testing.T) {
	w := newOwner(t)
	for query, says := range map[string]string{
		"":                                  "no such change",
		"operation=add+all":                 "no such change",
		"operation=add+updater":             "must not be the zero address",
		"operation=add+updater&member=0x12": "The wallet must be",
		"operation=remove+owner&member=" + devnet.Address(1).Hex():                                   "is the last owner",
		"operation=add+action&name=x&points=many":                                                    "must be an integer",
		"operation=add+action&name=x&points=0":                                                       "must be an integer from 1",
		"operation=add+action&name=%3Cscript%3E%E2%80%AE&points=1&member=" + devnet.Address(1).Hex(): "does not use all",
	} {
		r := w.look(w.path() + "/edit?" + query)
		require.Equal(t, http.StatusBadRequest, r.status, query)
		require.Contains(t, r.raw, says, query)
		require.NotContains(t, r.raw, `id="signing"`)
	}
	r := w.look(w.path() + "/edit?operation=add+action&points=1&name=" + url.QueryEscape(hostile)).ok()
	require.NotContains(t, r.raw, "<script>alert")
	require.Contains(t, r.raw, "[U&#43;202E]kcats")
	require.Equal(t, http.StatusNotFound, w.look(w.path()+"/edits").status)
	require.Equal(t, http.StatusNotFound, w.look(w.path()+"/edits/7").status)
	require.Equal(t, http.StatusBadRequest, w.look(w.path()+"/edits/x").status)

	r = w.sendEdit(w.editBody(w.owner, w.edit(0, added(7))))
	require.Equal(t, "accepted", r.body["status"])
	r = w.look(w.path() + "/edit?operation=add+updater&member=" + devnet.Address(8).Hex())
	require.Contains(t, r.raw, `/edits/0">Edit 0</a> is not final.`)
	require.NotContains(t, r.raw, `id="signing"`)
}

// TestADeadEditIsSignedAgain: its screen says why, and leads to the screen that shows it again.
func TestADeadEditIsSignedAgain(t *testing.T) {
	w := newOwner(t)
	e := score.Edit{Operation: score.AddAction, Name: "a & b", Points: 5, Direction: score.Subtract}
	require.Equal(t, "accepted", w.sendEdit(w.editBody(w.owner, w.edit(0, e))).body["status"])
	dead := w.storedEdits()[0]
	require.NoError(t, w.stream.AddDeadLetters(t.Context(), []score.DeadLetter{{Seq: dead.Seq, Edit: dead.Edit, Outcome: score.EditExpired, Reason: "no block had it <in> time"}}))
	r := w.look(w.path() + "/edits/0")
	require.Contains(t, r.raw, "It was rejected, and changed nothing: no block had it &lt;in&gt; time.")
	again := regexp.MustCompile(`href="[^"]*/edit\?([^"]*)"`).FindStringSubmatch(r.raw)
	require.Len(t, again, 2)
	require.Equal(t, []score.Edit{e}, w.shown(html.UnescapeString(again[1])).Edits)
}
