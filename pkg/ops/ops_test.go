package ops_test

import (
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/ops"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const token = "a token of thirty-two characters"

// rig is a deployment of two lanes that nothing drives, its screens, and a browser.
type rig struct {
	t       *testing.T
	ops     *ops.Ops
	config  ops.Config
	log     *fresh.Log
	js      jetstream.JetStream
	metrics *prometheus.Registry
	cookies map[string]string
}

// The tests share a chain and a Redis, which none of them writes to.
var shared struct {
	chain *devnet.Chain
	redis *devnet.RedisServer
}

func TestMain(m *testing.M) {
	code, err := func() (int, error) {
		dir, err := os.MkdirTemp("", "scorelay-ops")
		if err != nil {
			return 1, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if shared.chain, err = devnet.StartChain(devnet.ChainOptions{}); err != nil {
			return 1, err
		}
		defer shared.chain.Close()
		if shared.redis, err = devnet.StartRedis(dir, devnet.RedisOptions{}); err != nil {
			return 1, err
		}
		defer shared.redis.Close()
		return m.Run(), nil
	}()
	if err != nil {
		panic(err)
	}
	os.Exit(code)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, log: &fresh.Log{}, metrics: prometheus.NewRegistry(), cookies: map[string]string{}}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	client, err := chain.Dial(t.Context(), chain.Config{URLs: []string{shared.chain.URL}}, log, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	redis, err := redisdb.Open(shared.redis.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = redis.Close() })
	js := fresh.JetStream(t)
	r.js = js
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: 2, ChainID: 1337, Contract: common.Address{1}, DeployBlock: 1}}))
	opened, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	lanes, err := kv.OpenRoster(t.Context(), js)
	require.NoError(t, err)
	first, err := roster.First([]common.Address{devnet.Address(4), devnet.Address(5)})
	require.NoError(t, err)
	_, err = lanes.Create(t.Context(), first)
	require.NoError(t, err)
	r.config = ops.Config{
		Token: token, Metrics: r.metrics, History: &overview.History{}, Stream: opened, Log: log,
		Overview: overview.NewShared(&overview.Deployment{JS: js, Stream: opened, Chain: client, Redis: redis, Standings: standings.New(redis, standings.Config{}), Observer: "this API", Log: log}),
	}
	r.config.Replays, err = deadletter.Open(t.Context(), js, opened)
	require.NoError(t, err)
	r.config.Keys, err = apikey.Open(t.Context(), js)
	require.NoError(t, err)
	r.config.Pauses, err = kv.OpenPauses(t.Context(), js)
	require.NoError(t, err)
	r.ops, err = ops.New(r.config)
	require.NoError(t, err)
	return r
}

type answer struct {
	status int
	header http.Header
	text   string
}

// send sends a request as a browser does that shows these screens; a header "Host" is the host.
func (r *rig) send(method, path string, form url.Values, headers ...string) answer {
	r.t.Helper()
	req := httptest.NewRequest(method, "http://127.0.0.1:9100"+path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Origin", "http://127.0.0.1:9100")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	for name, value := range r.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	r.ops.ServeHTTP(w, req)
	for _, c := range w.Result().Cookies() {
		if r.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(r.cookies, c.Name)
		}
	}
	body, err := io.ReadAll(w.Result().Body)
	require.NoError(r.t, err)
	return answer{w.Code, w.Result().Header, html.UnescapeString(string(body))}
}

func (r *rig) look(path string) answer {
	r.t.Helper()
	a := r.send(http.MethodGet, path, nil)
	require.Equal(r.t, http.StatusOK, a.status, a.text)
	return a
}

func (r *rig) signIn() {
	r.t.Helper()
	a := r.send(http.MethodPost, "/ops/sign-in", url.Values{"name": {"ada"}, "token": {token}})
	require.Equal(r.t, http.StatusSeeOther, a.status, a.text)
}

var hidden = regexp.MustCompile(`name="csrf" value="([\w-]+)"`)

// post sends a form of a screen, with the session's token.
func (r *rig) post(path string, form url.Values) answer {
	r.t.Helper()
	form.Set("csrf", hidden.FindStringSubmatch(r.look("/ops/pauses").text)[1])
	return r.send(http.MethodPost, path, form)
}

// gets and posts are what can be asked for.
var (
	gets  = []string{"/ops", "/ops/dead-letters", "/ops/dead-letters/0123456789ab", "/ops/dead-letters/replay?id=0123456789ab", "/ops/keys", "/ops/keys/x", "/ops/pauses", "/ops/nothing"}
	posts = []string{"/ops/dead-letters/replay", "/ops/keys", "/ops/keys/x", "/ops/keys/x/revoke", "/ops/pauses", "/ops/pauses/resume", "/ops/sign-out"}
)

func TestWithoutASessionNothingIsShownOrDone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	forged := func(suffix string) {
		for _, path := range gets {
			a := r.send(http.MethodGet, path, nil)
			require.Equal(t, http.StatusSeeOther, a.status, path+suffix)
			require.Equal(t, "/ops/sign-in", a.header.Get("Location"), path)
			require.Empty(t, a.text)
		}
		for _, path := range posts {
			a := r.send(http.MethodPost, path, url.Values{"what": {"all"}, "name": {"x"}, "right": {"read"}, "id": {"0"}})
			require.Equal(t, http.StatusForbidden, a.status, path+suffix)
		}
	}
	forged("")
	r.cookies["scorelay-ops"] = "AAAA"
	forged(", with a cookie")
	other := *r // of the same deployment, but for its token
	other.cookies, other.config.Token, other.config.Metrics = map[string]string{}, token+".", prometheus.NewRegistry()
	var err error
	other.ops, err = ops.New(other.config)
	require.NoError(t, err)
	a := other.send(http.MethodPost, "/ops/sign-in", url.Values{"name": {"ada"}, "token": {token + "."}})
	require.Equal(t, http.StatusSeeOther, a.status)
	r.cookies = other.cookies
	forged(", with a session of another token")
	is, err := r.config.Pauses.Get(t.Context())
	require.NoError(t, err)
	require.Nil(t, is.All)
	keys, err := r.config.Keys.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, keys)
	for path := range map[string]bool{"/ops/style.css": true, "/ops/live.js": true, "/ops/script.js": true, "/ops/sign-in": true} {
		r.look(path)
	}
}

func TestTheTokenBeginsASession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	try := func(name, token string, headers ...string) answer {
		return r.send(http.MethodPost, "/ops/sign-in", url.Values{"name": {name}, "token": {token}}, headers...)
	}
	require.Equal(t, http.StatusForbidden, try("ada", "").status)
	require.Equal(t, http.StatusForbidden, try("ada", token[1:]).status)
	require.Equal(t, http.StatusForbidden, try("ada", token, "Sec-Fetch-Site", "cross-site").status)
	require.Equal(t, http.StatusBadRequest, try("", token).status)
	require.Equal(t, http.StatusBadRequest, try("ada\nlevel=ERROR", token).status)
	require.Empty(t, r.cookies)
	a := try("ada", token)
	require.Equal(t, http.StatusSeeOther, a.status)
	require.Regexp(t, `^scorelay-ops=[\w-]+; Path=/ops; Max-Age=43200; HttpOnly; SameSite=Strict$`, a.header.Get("Set-Cookie"))
	require.NotContains(t, a.header.Get("Set-Cookie"), token)
	require.Contains(t, r.look("/ops").text, "2 of 2 lanes wait")
	require.Contains(t, r.log.String(), "operator=ada")
	require.NotContains(t, r.log.String(), token)
	require.Equal(t, http.StatusSeeOther, r.post("/ops/sign-out", url.Values{}).status)
	require.Equal(t, http.StatusSeeOther, r.send(http.MethodGet, "/ops", nil).status)
	a = r.send(http.MethodGet, "/ops?signed-in", nil)
	require.Contains(t, r.look(a.header.Get("Location")).text, "did not keep the session")
	a = try("ada", token, "Host", "ops.example.com", "Origin", "https://ops.example.com")
	require.Regexp(t, `^__Host-scorelay-ops=.*; Path=/; .*; HttpOnly; Secure; SameSite=Strict$`, a.header.Get("Set-Cookie"))

	// refused tells the log's lines about wrong tokens, and what is counted.
	refused := func() (lines int, wrong, limited float64) {
		families, err := r.metrics.Gather()
		require.NoError(t, err)
		require.Equal(t, "scorelay_ops_tokens_tried_total", families[0].GetName())
		counts := map[string]float64{}
		for _, m := range families[0].GetMetric() {
			counts[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
		require.InDelta(t, 2, counts["right"], 0)
		return strings.Count(r.log.String(), "a wrong token was tried"), counts["wrong"], counts["limited"]
	}
	lines, wrong, _ := refused()
	require.Equal(t, 1, lines, "once for all tries of a burst")
	require.InDelta(t, 2, wrong, 0)
	for range 10 {
		a = try("ada", "wrong")
	}
	require.Equal(t, http.StatusTooManyRequests, a.status)
	require.Equal(t, http.StatusTooManyRequests, try("ada", token).status, "nor does the right one tell")
	lines, wrong, limited := refused()
	require.Equal(t, 1, lines)
	require.Positive(t, limited)
	require.InDelta(t, 13, wrong+limited, 0)
}

// TestNothingIsDoneWithoutTheFormOfTheSession: its token, its origin, and its method.
func TestNothingIsDoneWithoutTheFormOfTheSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signIn()
	elsewhere := hidden.FindStringSubmatch(r.look("/ops/pauses").text)[1]
	r.signIn()
	own := hidden.FindStringSubmatch(r.look("/ops/pauses").text)[1]
	require.NotEqual(t, own, elsewhere, "each session has its own")
	for _, path := range posts {
		for why, send := range map[string]func() answer{
			"no token":           func() answer { return r.send(http.MethodPost, path, url.Values{"what": {"all"}}) },
			"another session's":  func() answer { return r.send(http.MethodPost, path, url.Values{"what": {"all"}, "csrf": {elsewhere}}) },
			"token in the query": func() answer { return r.send(http.MethodPost, path+"?what=all&csrf="+own, nil) },
			"cross-site": func() answer {
				return r.send(http.MethodPost, path, url.Values{"what": {"all"}, "csrf": {own}}, "Sec-Fetch-Site", "cross-site")
			},
			"another origin": func() answer {
				return r.send(http.MethodPost, path, url.Values{"what": {"all"}, "csrf": {own}}, "Sec-Fetch-Site", "", "Origin", "http://127.0.0.1:9101")
			},
			"PUT": func() answer { return r.send(http.MethodPut, path, url.Values{"what": {"all"}}) },
		} {
			require.Equal(t, http.StatusForbidden, send().status, "%s: %s", path, why)
		}
	}
	for _, path := range []string{"/ops/keys/x/revoke", "/ops/pauses/resume", "/ops/sign-out"} {
		require.Equal(t, http.StatusMethodNotAllowed, r.send(http.MethodGet, path, nil).status, path)
	}
	is, err := r.config.Pauses.Get(t.Context())
	require.NoError(t, err)
	require.Nil(t, is.All)
	for _, path := range []string{"/ops", "/ops/sign-in"} {
		header := r.send(http.MethodGet, path, nil).header
		require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Contains(t, header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
		require.Equal(t, "private, no-store", header.Get("Cache-Control"))
	}
}
