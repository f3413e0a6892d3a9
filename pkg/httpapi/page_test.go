package httpapi_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

// browser is one that looks at a bench's page; it follows no redirect by itself.
type browser struct {
	*bench
	jar *cookiejar.Jar
}

// hostile is a name that HTML, text direction and eyes must not fall for.
const hostile = "<script>alert(1)</script>\"'&\u202Ekcats\u2069\u200B"

func newBrowser(t *testing.T, change func(*setup)) *browser {
	t.Helper()
	t.Parallel()
	return startBrowser(t, change)
}

// startBrowser is a further one.
func startBrowser(t *testing.T, change func(*setup)) *browser {
	t.Helper()
	w := &browser{bench: startBench(t, func(s *setup) {
		s.config.Secret = []byte(strings.Repeat("s", 16))
		if change != nil {
			change(s)
		}
	})}
	var err error
	w.jar, err = cookiejar.New(nil)
	require.NoError(t, err)
	w.project.Name, w.project.ScoreTypes[1], w.project.Actions[0].Name = hostile, hostile, "buy<b>"
	w.final.records.Store(w.project.ID, score.RecordOf(w.project))
	return w
}

// visit sends a request as a browser does that shows the page.
func (w *browser) visit(method, path string, form url.Values, headers ...string) response {
	w.t.Helper()
	return w.visitWith(method, path, strings.NewReader(form.Encode()), headers...)
}

func (w *browser) visitWith(method, path string, body io.Reader, headers ...string) response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, body)
	require.NoError(w.t, err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", w.url)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Host = req.Header.Get("Host")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if w.jar != nil {
		client.Jar = w.jar
	}
	res, err := client.Do(req)
	require.NoError(w.t, err)
	return read(w.t, res)
}

func (w *browser) look(path string) response {
	w.t.Helper()
	return w.visit(http.MethodGet, path, nil)
}

func (w *browser) signIn(secret, to string) response {
	w.t.Helper()
	return w.visit(http.MethodPost, "/app/sign-in", url.Values{"key": {secret}, "to": {to}})
}

// token is what the session's posts must hold, as a screen has it.
func (w *browser) token(path string) string {
	w.t.Helper()
	found := regexp.MustCompile(`name="csrf" value="([\w-]{43})"`).FindStringSubmatch(w.look(path).raw)
	require.Len(w.t, found, 2)
	return found[1]
}

// executed puts executions of the project into the standings, as of block 30.
func (w *browser) executed(n int) (executions []score.Execution) {
	w.t.Helper()
	now := time.Now().Truncate(time.Second)
	for i := range n {
		e := score.Execution{
			Update: score.Update{ID: updateID(fmt.Sprint(i)), Target: common.Address{19: byte(i % 60), 0: 1}, Signer: devnet.Address(1), ScoreType: uint8(i % 2)},
			Points: int64(10 + i), Tx: updateTx, Block: 29, Time: now, Gas: 7000, Fee: 7_000_000_000_000,
		}
		if i%7 == 6 {
			e.Outcome = score.NotMember
		}
		if i == 139 { // the first one comes again
			e.ID, e.Outcome = updateID("0"), score.Duplicate
		}
		executions = append(executions, e)
	}
	w.projectedAt(now, 30, executions...)
	return executions
}

// TestThePageIsForHoldersOfAKey from the first look to signing out.
func TestThePageIsForHoldersOfAKey(t *testing.T) {
	w := newBrowser(t, nil)
	w.executed(10)
	project := w.path()
	r := w.look("/app")
	require.Equal(t, http.StatusSeeOther, r.status)
	require.Equal(t, "/app/sign-in", r.header.Get("Location"))
	r = w.look(project + "?board=total")
	require.Equal(t, "/app/sign-in?to="+url.QueryEscape(project+"?board=total"), r.header.Get("Location"))
	require.Contains(t, w.look(r.header.Get("Location")).raw, `name="to" value="`+project+`?board=total"`)

	for _, wrong := range []string{"", "scorelay_", w.secret.Reveal()[:20] + "x"} {
		r = w.signIn(wrong, "/app")
		require.Equal(t, http.StatusForbidden, r.status)
		require.Contains(t, r.raw, "unknown or revoked")
		require.Empty(t, r.header.Values("Set-Cookie"))
	}
	r = w.signIn(w.secret.Reveal(), project)
	require.Equal(t, http.StatusSeeOther, r.status)
	require.Equal(t, project+"?signed-in", r.header.Get("Location"))
	require.Regexp(t, `^scorelay=[\w-]+; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`, r.header.Get("Set-Cookie"))
	require.NotContains(t, r.header.Get("Set-Cookie"), w.secret.Reveal()[30:])
	require.Equal(t, project, w.look(project+"?signed-in").header.Get("Location"))
	w.look(project).ok()

	ours := url.Values{"csrf": {w.token(project)}}
	require.Equal(t, http.StatusForbidden, w.visit(http.MethodPost, "/app/sign-out", ours, "Sec-Fetch-Site", "cross-site").status)
	require.Equal(t, http.StatusForbidden, w.visit(http.MethodPost, "/app/sign-out", nil).status)
	w.look("/app").ok()
	require.Equal(t, "/app/sign-in", w.visit(http.MethodPost, "/app/sign-out", ours).header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, w.look("/app").status)
}

// TestACookieIsForTLSAlone unless the browser is on this machine; one that was not kept is told of.
func TestACookieIsForTLSAlone(t *testing.T) {
	w := newBrowser(t, nil)
	for _, origin := range []string{"https://scores.example", "http://scores.example", "null"} {
		r := w.visit(http.MethodPost, "/app/sign-in", url.Values{"key": {w.secret.Reveal()}}, "Origin", origin)
		require.Regexp(t, `^__Host-scorelay=.*; Path=/;.*; HttpOnly; Secure; SameSite=Strict$`, r.header.Get("Set-Cookie"))
	}
	value := regexp.MustCompile(`=([\w-]+);`).FindStringSubmatch(w.signIn(w.secret.Reveal(), "").header.Get("Set-Cookie"))[1]
	w.jar = nil
	for _, c := range []struct {
		host, cookie string
		status       int
	}{
		{"", "scorelay", http.StatusOK},
		{"scores.example", "scorelay", http.StatusSeeOther}, // a sibling of the host may have set it
		{"scores.example", "__Host-scorelay", http.StatusOK},
	} {
		require.Equal(t, c.status, w.visit(http.MethodGet, "/app", nil, "Host", c.host, "Cookie", c.cookie+"="+value).status, c)
	}
	var err error
	w.jar, err = cookiejar.New(nil)
	require.NoError(t, err)
	lost := w.look("/app?signed-in").header.Get("Location")
	require.Equal(t, "/app/sign-in?lost=1", lost)
	require.Contains(t, w.look(lost).raw, "did not keep the session")
}

// TestASignInLeadsNowhereElse: another site's form is refused, and its link leads to a page here.
func TestASignInLeadsNowhereElse(t *testing.T) {
	w := newBrowser(t, nil)
	for _, to := range []string{"https://evil.example/app/", "//evil.example/app/", "/app/../x\\", "/\\evil.example", "javascript:alert(1)", "/projects", "/app/sign-out", "/app/\r\nx"} {
		require.Equal(t, "/app?signed-in", w.signIn(w.secret.Reveal(), to).header.Get("Location"), to)
	}
	for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}} {
		r := w.visit(http.MethodPost, "/app/sign-in", url.Values{"key": {w.secret.Reveal()}}, from...)
		require.Equal(t, http.StatusForbidden, r.status, from)
		require.Empty(t, r.header.Values("Set-Cookie"))
	}
}

func TestTriesToSignInAreFew(t *testing.T) {
	w := newBrowser(t, nil)
	for range 100 {
		if r := w.signIn("scorelay_guess", ""); r.status == http.StatusTooManyRequests {
			require.NotEmpty(t, r.header.Get("Retry-After"))
			require.Contains(t, r.raw, "rate_limited")
			return
		}
	}
	t.Fatal("a hundred tries at once were answered")
}

// TestAScreenShowsWhatItsKeyMayRead, and no session outlives its key.
func TestAScreenShowsWhatItsKeyMayRead(t *testing.T) {
	w := newBrowser(t, nil)
	w.executed(10)
	writes, _ := w.key("of another", apikey.Terms{Rights: []string{"update"}})
	require.Contains(t, w.signIn(writes.Reveal(), "").raw, "may not look up")

	foreign, id := w.key("of another", apikey.Terms{Projects: []score.ProjectID{{1}}})
	require.Equal(t, http.StatusSeeOther, w.signIn(foreign.Reveal(), "").status)
	require.NotContains(t, w.look("/app").raw, w.project.ID.String())
	for _, path := range []string{"", "/recent", "/members", "/actions", "/costs", "/find?q=" + devnet.Address(1).Hex(), "/wallets/" + devnet.Address(1).Hex(), "/updates/" + updateID("0").String()} {
		of, none := w.look(w.path()+path), w.look("/app/projects/"+score.ProjectID{9}.String()+path)
		require.Equal(t, http.StatusNotFound, of.status, path)
		id := regexp.MustCompile(`request <code>.*</code>`)
		require.Equal(t, id.ReplaceAllString(none.raw, ""), id.ReplaceAllString(of.raw, ""), "whether a project is there is not told")
	}
	require.NoError(t, w.keys.Revoke(t.Context(), id))
	require.Eventually(t, func() bool { return w.look("/app").status == http.StatusSeeOther }, time.Minute, 5*time.Millisecond)
}

// TestEveryScreen is whole, small, loads nothing from elsewhere, and shows names as text.
func TestEveryScreen(t *testing.T) {
	w := newBrowser(t, nil)
	of := w.executed(140)
	w.signIn(w.secret.Reveal(), "")
	project, wallet := w.path(), of[0].Target.Hex()
	require.Equal(t, http.StatusServiceUnavailable, w.look(project+"/updates/"+of[0].ID.String()).status, "Redis may have lost something")
	require.NoError(t, w.status.Final(t.Context(), updateTx, 29, w.refs("0", "6"), []score.Outcome{score.Applied, score.NotMember}))
	w.restored()
	assets := 0
	for _, path := range []string{"/app/style.css", "/app/script.js", "/app/sign.js", "/app/live.js", "/app/icon.svg"} {
		r := w.open(path).ok()
		require.Equal(t, http.StatusNotModified, w.open(path, "If-None-Match", r.header.Get("ETag")).status)
		require.Equal(t, "public, max-age=300", r.header.Get("Cache-Control"), "another version's screen may ask for it")
		assets += len(r.raw)
	}
	for _, path := range regexp.MustCompile(`/app/[a-z]+\.(css|js)\?v=[0-9a-f]{12}`).FindAllString(w.open("/app/sign-in").raw, -1) {
		kept := w.open(path, "Accept-Encoding", "gzip")
		require.Contains(t, kept.header.Get("Cache-Control"), "immutable")
		require.Equal(t, "gzip", kept.header.Get("Content-Encoding"))
		require.Less(t, len(kept.raw), len(w.open(path).raw)/2)
	}
	bad := func(r response, path string) {
		require.LessOrEqual(t, len(r.raw)+assets, 100_000, path)
		require.Equal(t, "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			strings.TrimSuffix(r.header.Get("Content-Security-Policy"), "; connect-src 'self'"))
		require.Equal(t, "private, no-store", r.header.Get("Cache-Control"))
		require.Equal(t, "text/html; charset=utf-8", r.header.Get("Content-Type"))
		require.NotContains(t, r.raw, "<script>")
		require.NotRegexp(t, `(?i)\sstyle=|\son[a-z]+=|javascript:|<style|http-equiv`, r.raw)
		require.NotContains(t, r.raw, w.secret.Reveal()[25:])
		require.NotContains(t, r.raw, "\u202E")
		require.NotContains(t, r.raw, "\u200B")
		for _, to := range regexp.MustCompile(`(?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(r.raw, -1) {
			require.Regexp(t, `^(/app|/docs$|#main$)`, to[1])
		}
	}
	for path, says := range map[string][]string{
		"/app":                         {"&lt;script&gt;alert(1)", "[U&#43;202E]kcats[U&#43;2069][U&#43;200B]", `<td class="n">120</td><td><svg class="spark"`, `role="img" aria-label="Updates applied by day, `, `</td><td class="n">60</td>`},
		project:                        {"Who leads in <bdi>Total", " leads with ", "60 wallets", "Next page", "As of final block 30"},
		project + "?board=1":           {"Who leads in <bdi>&lt;script&gt;"},
		project + "/recent":            {"The newest final update was", "buy&lt;b&gt;", "✕ not_member"},
		project + "/members":           {"owner", "updater", "/updates/"},
		project + "/actions":           {"&#43;10", "−3"},
		project + "/costs":             {"ETH in the last 30 days", `role="img" aria-label="Gas by day`, "8,166"},
		project + "/wallets/" + wallet: {wallet, " of 60", `aria-label="The score from`, "History"},
		project + "/wallets/" + devnet.Address(8).Hex(): {"none yet", "No final update of the project is of this wallet."},
		project + "/updates/" + of[0].ID.String():       {"It is applied: &#43;10 points of reputation", "7,000 gas, 0.000007 ETH", "✓ done"},
		project + "/updates/" + of[6].ID.String():       {"It was rejected: its signer was neither", "may be sent again"},
		project + "/recent?x=%22%3E%3Cscript%3E":        {"The newest"},
	} {
		r := w.look(path).ok()
		bad(r, path)
		for _, text := range says {
			require.Contains(t, r.raw, text, path)
		}
	}
	for path, status := range map[string]int{
		"/app/nothing": http.StatusNotFound, project + "/nothing": http.StatusNotFound, project + "?board=9": http.StatusNotFound, project + "?after=x": http.StatusBadRequest,
		"/app?after=x": http.StatusBadRequest, project + "/wallets/0x12": http.StatusBadRequest, project + "/updates/0x12": http.StatusBadRequest,
		project + "/updates/" + updateID("never").String(): http.StatusNotFound, project + "/find?q=%3Cscript%3E": http.StatusBadRequest,
	} {
		r := w.look(path)
		require.Equal(t, status, r.status, path)
		bad(r, path)
	}
	require.Contains(t, w.look(project+"/wallets/0x12").raw, `<a href="`+project+`">The project</a>`)
	require.Equal(t, project+"/wallets/"+wallet, w.look(project+"/find?q=+"+strings.ToLower(wallet)).header.Get("Location"))
	require.Equal(t, project+"/updates/"+of[0].ID.String(), w.look(project+"/find?q="+of[0].ID.String()).header.Get("Location"))
	require.Equal(t, project, w.look("/app/find?q="+w.project.ID.String()).header.Get("Location"))
}

// TestTheExplorerIsLinked from what is on the chain, is not told from where, and nothing is loaded from it.
func TestTheExplorerIsLinked(t *testing.T) {
	w := newBrowser(t, func(s *setup) { s.config.Explorer = "https://explorer.example/base/" })
	w.onChain()
	of := w.executed(3)
	require.NoError(t, w.status.Final(t.Context(), updateTx, 29, w.refs("0"), []score.Outcome{score.Applied}))
	w.restored()
	w.signIn(w.secret.Reveal(), "")
	tx, block, target := "tx/"+updateTx.Hex(), "block/29", of[0].Target.Hex()
	for path, to := range map[string][]string{
		"":                              {"block/30"},
		"/recent":                       {tx, block, "block/30"},
		"/wallets/" + target:            {tx, block, "block/30", "address/" + target},
		"/updates/" + of[0].ID.String(): {tx, block},
		"/edit?operation=add+owner&member=" + devnet.Address(8).Hex(): {"address/" + shared.contract.Hex()},
	} {
		r := w.look(w.path() + path).ok()
		found := map[string]bool{}
		for _, at := range regexp.MustCompile(`<a href="https://explorer\.example/base/(\w+/\w+)" rel="noreferrer noopener">`).FindAllStringSubmatch(r.raw, -1) {
			found[at[1]] = true
		}
		require.ElementsMatch(t, to, slices.Collect(maps.Keys(found)), path)
		require.Equal(t, strings.Count(r.raw, "https://"), strings.Count(r.raw, `" rel="noreferrer noopener">`), path)
		require.NotContains(t, r.header.Get("Content-Security-Policy"), "explorer")
	}
}

// TestAWalletsHistoryIsASpreadsheet that runs no owner's names, for those whom the screen is for.
func TestAWalletsHistoryIsASpreadsheet(t *testing.T) {
	w := newBrowser(t, nil)
	w.project.Actions[0].Name = "=1+1"
	w.final.records.Store(w.project.ID, score.RecordOf(w.project))
	of := w.executed(140)
	path := w.path() + "/wallets/" + of[6].Target.Hex() + "/history.csv"
	require.Equal(t, http.StatusSeeOther, w.look(path).status)
	w.signIn(w.secret.Reveal(), "")
	require.Contains(t, w.look(strings.TrimSuffix(path, "/history.csv")).raw, `A <a href="`+path+`">CSV</a> has all of this wallet`)
	r := w.look(path).ok()
	require.Equal(t, "text/csv; charset=utf-8", r.header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="`+of[6].Target.Hex()+`.csv"`, r.header.Get("Content-Disposition"))
	require.Equal(t, "private, no-store", r.header.Get("Cache-Control"))
	rows, err := csv.NewReader(strings.NewReader(r.raw)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"block", "time", "transaction", "updateId", "targetWallet", "signer", "action", "scoreType", "points", "outcome"}, rows[0])
	is := func(i int, points, outcome string) []string {
		return []string{
			"29", of[i].Time.UTC().Format(time.RFC3339), updateTx.Hex(), of[i].ID.String(), strings.ToLower(of[i].Target.Hex()), strings.ToLower(of[i].Signer.Hex()),
			"'=1+1", "reputation", points, outcome,
		}
	}
	require.Equal(t, [][]string{is(126, "136", "applied"), is(66, "76", "applied"), is(6, "0", "not_member")}, rows[1:])
	require.Equal(t, http.StatusBadRequest, w.look(w.path()+"/wallets/0x12/history.csv").status)
	require.Len(t, strings.Split(strings.TrimSpace(w.look(w.path()+"/wallets/"+devnet.Address(8).Hex()+"/history.csv").raw), "\n"), 1)
}

// TestAPathThatIsNoURLIsRefused: net/http would have no request of it.
func TestAPathThatIsNoURLIsRefused(t *testing.T) {
	w := newBrowser(t, nil)
	require.Equal(t, http.StatusBadRequest, w.wire("GET /app/%zz HTTP/1.1\r\nHost: x\r\nX-API-KEY: "+w.secret.Reveal()+"\r\n\r\n").status)
}

// TestALeaderboardIsPagedThrough from the first wallet to the last.
func TestALeaderboardIsPagedThrough(t *testing.T) {
	w := newBrowser(t, nil)
	w.executed(140)
	w.signIn(w.secret.Reveal(), "")
	seen := map[string]bool{}
	next := w.path()
	for pages := 0; next != ""; pages++ {
		require.Less(t, pages, 3)
		r := w.look(next)
		for _, at := range regexp.MustCompile(`/wallets/(0x\w{40})"`).FindAllStringSubmatch(r.raw, -1) {
			require.False(t, seen[at[1]])
			seen[at[1]] = true
		}
		next = ""
		if at := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(r.raw); at != nil {
			next = strings.ReplaceAll(at[1], "&amp;", "&")
		}
	}
	require.Len(t, seen, 60)
}

// TestAnUpdatesWayIsToldInWords, stage by stage.
func TestAnUpdatesWayIsToldInWords(t *testing.T) {
	w := newBrowser(t, nil)
	w.pause(func(*score.ProjectID) *httpapi.Pause { return &httpapi.Pause{Reason: "maintenance <b>"} })
	w.executed(3)
	ctx := t.Context()
	w.project.Actions[0].Name = "buy"
	w.final.records.Store(w.project.ID, score.RecordOf(w.project))
	require.Equal(t, "accepted", w.post("/update-score", w.update("one")).body["status"])
	w.signIn(w.secret.Reveal(), "")
	refs := score.Refs(w.stored()[0])
	is := func(words string) {
		t.Helper()
		r := w.look(w.path() + "/updates/" + updateID("one").String()).ok()
		require.Contains(t, r.raw, words)
	}
	is("It is accepted and waits: an operator paused it (maintenance &lt;b&gt;).")
	require.NoError(t, w.status.Bound(ctx, 1, 4, refs, 1<<30, nil))
	is("It has its place in a transaction")
	require.NoError(t, w.status.Slot(ctx, 1, 1, 4, score.Submitted, updateTx, 0))
	is("Its transaction is sent and waits for a block.")
	require.NoError(t, w.status.Slot(ctx, 1, 1, 4, score.Included, updateTx, 77))
	is("in a block, which is not final yet")
	is(updateTx.Hex())
	require.NoError(t, w.status.Final(ctx, updateTx, 78, refs, []score.Outcome{score.Applied}))
	is("It is applied, for good.")
	is("A lane bound it to a transaction, with others.")
	is("Block 78.")
}

// TestAnUpdatesTransactionIsRead for who sent it, and what else it carries.
func TestAnUpdatesTransactionIsRead(t *testing.T) {
	w := newBrowser(t, nil)
	w.signIn(w.secret.Reveal(), "")
	block := w.carry(returned(w.project.ID, 1, "one", "two"), returned(score.ProjectID{9}, 1, "two"))
	included, err := shared.chain.Client().BlockByNumber(t.Context(), new(big.Int).SetUint64(block))
	require.NoError(t, err)
	tx := included.Transactions()[0]
	require.NoError(t, w.status.Final(t.Context(), tx.Hash(), block, w.refs("one", "other"), []score.Outcome{score.Applied, score.Applied}))
	w.restored()
	is := w.look(w.path() + "/updates/" + updateID("one").String()).raw
	for _, words := range []string{
		"with 1 other update of the project and 1 of other projects.", devnet.Address(0).Hex(), fmt.Sprintf("nonce %d and pays at most 10 gwei", tx.Nonce()),
		tx.Hash().Hex(), "It is applied: −3 points", devnet.Address(9).Hex(), "What does it say?",
	} {
		require.Contains(t, is, words)
	}
	is = w.look(w.path() + "/updates/" + updateID("other").String()).raw
	require.Contains(t, is, "It is applied, for good.")
	require.Contains(t, is, "that is no lane&#39;s", "nothing is told of an update that its transaction does not carry")
	require.NotContains(t, is, "Batched")
	require.NoError(t, w.status.Final(t.Context(), common.Hash{}, 0, w.refs("dead"), []score.Outcome{score.Unprocessable}))
	is = w.look(w.path() + "/updates/" + updateID("dead").String()).raw
	require.Contains(t, is, "refuses it even alone")
	require.NotContains(t, is, "Batched", "no transaction of it is known")
	w.chain.down.Store(true)
	require.Contains(t, w.look(w.path()+"/updates/"+updateID("one").String()).raw, "It is applied, for good.")
}

// TestWhatIsBeingRebuiltIsTold, and what does not need it is shown.
func TestWhatIsBeingRebuiltIsTold(t *testing.T) {
	w := newBrowser(t, nil)
	_, err := w.standings.Begin(context.Background(), 0, 4000)
	require.NoError(t, err)
	w.signIn(w.secret.Reveal(), "")
	project := w.path()
	for _, path := range []string{project, project + "/recent", project + "/costs", project + "/wallets/" + devnet.Address(1).Hex()} {
		r := w.look(path)
		require.Equal(t, http.StatusServiceUnavailable, r.status, path)
		require.Equal(t, "2", r.header.Get("Retry-After"))
		require.Contains(t, r.raw, "It is at block 0 of 4,000.")
	}
	for _, path := range []string{"/app", project + "/members", project + "/actions"} {
		r := w.look(path).ok()
		require.Contains(t, r.raw, "being read from the chain again. It is at block 0 of 4,000.", path)
	}
}

// TestAPageCountsAsALookUp of its key's rate, and its refusal is a page, too.
func TestAPageCountsAsALookUp(t *testing.T) {
	w := newBrowser(t, func(s *setup) { s.config.LookUpsPerSecond = 1 })
	w.signIn(w.secret.Reveal(), "")
	for range 100 {
		if r := w.look("/app"); r.status == http.StatusTooManyRequests {
			require.Contains(t, r.raw, "<h1>Too many updates or look-ups with this API key</h1>")
			require.NotEmpty(t, r.header.Get("Retry-After"))
			return
		}
	}
	t.Fatal("a hundred look-ups in a second were answered")
}

// TestWithoutASecretThereIsNoPage: sessions would be sealed under what everyone knows.
func TestWithoutASecretThereIsNoPage(t *testing.T) {
	require.Equal(t, "not_found", newBench(t, nil).get("/app").code())
}
