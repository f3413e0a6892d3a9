package httpapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// set changes one field of a body.
func set(body object, field string, value any) object {
	if value == nil {
		delete(body, field)
	} else {
		body[field] = value
	}
	return body
}

// begun has the codes whose provocation came behind the bench's own creation.
var begun sync.Map

// provocations makes the API answer with each code of its table, over HTTP.
var provocations = map[string]struct {
	setup   func(*setup)
	provoke func(b *bench) response
}{
	"malformed_request": {nil, func(b *bench) response { return b.wire("GET /projects HTTP/9.9.9\r\n\r\n") }},
	"malformed_json":    {nil, func(b *bench) response { return b.post("/update-score", []byte(`{`)) }},
	"invalid_body": {nil, func(b *bench) response {
		return b.post("/update-score", set(b.update("one"), "updateId", "0x12"))
	}},
	"invalid_query": {nil, func(b *bench) response { return b.get("/projects?limit=0") }},
	"invalid_path":  {nil, func(b *bench) response { return b.get("/projects/0x12") }},
	"message_too_old": {nil, func(b *bench) response {
		return b.post("/update-score", b.updateAt("one", time.Now().Add(-6*time.Minute)))
	}},
	"message_in_future": {nil, func(b *bench) response {
		return b.post("/update-score", b.updateAt("one", time.Now().Add(time.Minute)))
	}},
	"bad_signature": {nil, func(b *bench) response {
		return b.post("/update-score", set(b.update("one"), "signature", "0x"+strings.Repeat("00", 65)))
	}},
	"unknown_project": {nil, func(b *bench) response {
		return b.post("/update-score", set(b.update("one"), "projectId", score.ProjectID{9}))
	}},
	"unknown_action": {nil, func(b *bench) response {
		return b.post("/update-score", set(b.update("one"), "actionName", "Buy"))
	}},
	"unknown_score_type": {nil, func(b *bench) response {
		return b.post("/update-score", set(b.update("one"), "scoreType", "fame"))
	}},
	"cursor_replaced": {nil, func(b *bench) response {
		return b.get("/projects/%s/events?after=1-%064x-end-0", b.project.ID, 7)
	}},
	"too_many_streams": {func(s *setup) { s.config.MaxStreams = 1 }, func(b *bench) response {
		b.events("now")
		return b.get("/projects/%s/events", b.project.ID)
	}},
	"missing_api_key": {nil, func(b *bench) response { return b.withKey("GET", "/projects/0x12", "") }},
	"invalid_api_key": {nil, func(b *bench) response { return b.withKey("GET", "/projects/0x12", "scorelay_nonsense") }},
	"signer_not_member": {nil, func(b *bench) response {
		b.owner = devnet.Key(5)
		return b.post("/update-score", b.update("one"))
	}},
	"signed_only": {nil, func(b *bench) response {
		strict := newProject("strict")
		require.Equal(b.t, http.StatusOK, b.post("/create-project", set(createBody(strict), "signedOnly", true)).status)
		return b.post("/update-score", set(b.update("one"), "projectId", strict.ID))
	}},
	"not_found":         {nil, func(b *bench) response { return b.get("/nothing") }},
	"project_not_found": {nil, func(b *bench) response { return b.get("/projects/%s", score.ProjectID{9}) }},
	"update_not_found": {nil, func(b *bench) response {
		b.restored()
		return b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
	}},
	"method_not_allowed": {nil, func(b *bench) response { return b.get("/update-score") }},
	"request_timeout": {func(s *setup) { s.config.ReadTimeout = 3 * time.Second }, func(b *bench) response {
		return b.wire("POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
	}},
	"edit_expired": {nil, func(b *bench) response {
		e := b.edit(0)
		e.Deadline = 1
		return b.postEdit(e)
	}},
	"signer_not_owner": {nil, func(b *bench) response { return b.post(b.editsPath(), b.editBody(devnet.Key(2), b.edit(0))) }},
	"edit_not_found": {nil, func(b *bench) response {
		b.restored()
		return b.get("%s", b.editsPath()+"/0")
	}},
	"edit_exists": {nil, func(b *bench) response {
		require.Equal(b.t, http.StatusOK, b.postEdit(b.edit(0)).status)
		return b.postEdit(b.edit(0, added(7)))
	}},
	"wrong_edit_nonce": {nil, func(b *bench) response { return b.postEdit(b.edit(1)) }},
	"edit_waits": {nil, func(b *bench) response {
		require.NoError(b.t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
		require.Equal(b.t, http.StatusOK, b.postEdit(b.edit(0)).status)
		require.NoError(b.t, transact(&shared.contract, registry.EncodeEdit(b.storedEdits()[0].Edit)))
		b.chain.behind.Store(1)
		return b.postEdit(b.edit(1))
	}},
	"project_exists": {nil, func(b *bench) response {
		return b.post("/create-project", set(createBody(b.project), "name", "another"))
	}},
	"body_too_large": {nil, func(b *bench) response {
		return b.post("/create-project", []byte(`{"name":"`+strings.Repeat("x", 1<<20)+`"}`))
	}},
	"too_many_bodies": {func(s *setup) { s.config.MaxBodies = 512 << 10 }, func(b *bench) response {
		b.held(0) // of the bench's own creation
		_, err := io.WriteString(b.dial(loopback), b.announce("/update-groups", length(256<<10)))
		require.NoError(b.t, err)
		b.held(256 << 10)
		return b.post("/create-project", []byte(`{"name":"`+strings.Repeat("x", 100)+`"}`))
	}},
	"unsupported_media_type": {nil, func(b *bench) response {
		return b.postWith(map[string]string{"Content-Type": "text/json"}, []byte(`{}`))
	}},
	"unsupported_encoding": {nil, func(b *bench) response {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(make([]byte, 1<<20))
		require.NoError(b.t, z.Close())
		return b.postWith(map[string]string{"Content-Encoding": "gzip"}, packed.Bytes())
	}},
	"rate_limited": {func(s *setup) { s.config.LookUpsPerSecond = 1 }, func(b *bench) response {
		var r response
		require.Eventually(b.t, func() bool {
			r = b.get("/projects/%s", b.project.ID)
			return r.status != http.StatusOK
		}, 2*time.Minute, time.Millisecond)
		return r
	}},
	"budget_spent": {nil, func(b *bench) response {
		b.withTerms(apikey.Terms{Gas: 1000})
		return b.post("/update-score", b.update("one"))
	}},
	"key_lacks_right": {nil, func(b *bench) response {
		b.withTerms(apikey.Terms{Rights: []string{"read"}})
		return b.post("/update-score", b.update("one"))
	}},
	"key_other_projects": {nil, func(b *bench) response {
		b.withTerms(apikey.Terms{Projects: []score.ProjectID{{9}}})
		return b.get("/projects/%s", b.project.ID)
	}},
	"expired_api_key": {nil, func(b *bench) response {
		past := time.Now().Add(-time.Second)
		b.withTerms(apikey.Terms{Expires: &past})
		return b.get("/projects/%s", b.project.ID)
	}},
	"time_signature": {nil, func(b *bench) response {
		b.withTerms(apikey.Terms{Whole: true})
		return b.post("/update-score", b.update("one"))
	}},
	"too_many_look_ups": {func(s *setup) {
		s.config.MaxReads = 2
		s.deps = func(d *httpapi.Deps) { d.Chain = newGate(d.Chain) }
	}, func(b *bench) response {
		defer b.holdLookUps(1)()
		return b.get("/projects/%s", b.project.ID)
	}},
	"backlog_full": {func(s *setup) {
		s.config.MaxWaiting = 100
		s.deps = func(d *httpapi.Deps) { d.Backlogs = backlog{Waiting: 350, PerSecond: 10} }
	}, func(b *bench) response {
		r := b.post("/update-score", b.update("one"))
		require.Equal(b.t, "25", r.header.Get("Retry-After"), "the lane binds 10 a second of 250 too many")
		return r
	}},
	"too_many_connections": {func(s *setup) { s.config.MaxPerAddress = 1 }, func(b *bench) response { // the client keeps one
		return b.wire("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
	}},
	"connections_full": {func(s *setup) { s.config.MaxConnections = 1 }, func(b *bench) response {
		return b.wire("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
	}},
	"headers_too_large": {nil, func(b *bench) response {
		return b.postWith(map[string]string{"X-Padding": strings.Repeat("x", 30<<10)}, []byte(`{}`))
	}},
	"internal": {func(s *setup) { s.deps = func(d *httpapi.Deps) { d.Chain = panickingChain{d.Chain} } }, func(b *bench) response {
		return b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9))
	}},
	"halted": {func(s *setup) {
		begun.Delete("halted")
		s.deps = func(d *httpapi.Deps) {
			d.Halted = func() string { // not for the bench's own creation
				if _, ok := begun.Load("halted"); ok {
					return "NATS was restored from an older copy"
				}
				return ""
			}
		}
	}, func(b *bench) response {
		begun.Store("halted", true)
		require.Equal(b.t, http.StatusOK, b.get("/projects/%s", b.project.ID).status, "look-ups are answered")
		ready := b.get("/readyz")
		require.Equal(b.t, http.StatusOK, ready.status)
		require.Contains(b.t, ready.raw, "nothing is accepted: NATS was restored")
		return b.post("/update-score", b.update("one"))
	}},
	"paused": {func(s *setup) {
		begun.Delete("paused")
		s.deps = func(d *httpapi.Deps) {
			d.Paused = func(*score.ProjectID) *httpapi.Pause { // not for the bench's own creation
				if _, ok := begun.Load("paused"); ok {
					return &httpapi.Pause{Reason: "the chain is upgraded until noon", Refuses: true}
				}
				return nil
			}
		}
	}, func(b *bench) response {
		begun.Store("paused", true)
		require.Equal(b.t, http.StatusOK, b.get("/projects/%s", b.project.ID).status, "look-ups are answered")
		ready := b.get("/readyz")
		require.Equal(b.t, http.StatusOK, ready.status)
		require.Contains(b.t, ready.raw, "accepting is paused: the chain is upgraded")
		r := b.post("/update-score", b.update("one"))
		require.Contains(b.t, r.raw, "the chain is upgraded until noon")
		return r
	}},
	"unknown_method":           {nil, func(b *bench) response { return b.wire("PATCHY /update-score HTTP/1.1\r\nHost: x\r\n\r\n") }},
	"unsupported_http_version": {nil, func(b *bench) response { return b.wire("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") }},
	"starting": {func(s *setup) {
		s.deps = func(d *httpapi.Deps) {
			calls := 0
			d.Ready = func() error { // ready for the bench's own creation, then forever since that latches; so: /readyz
				if calls++; calls > 1 {
					return errors.New("the directory has not been read yet")
				}
				return nil
			}
		}
	}, func(b *bench) response { return b.get("/readyz") }},
	"shutting_down": {func(s *setup) { s.config.AcceptTimeout = time.Minute }, func(b *bench) response {
		defer b.holdAPost("one")()
		b.stop()
		var r response
		require.Eventually(b.t, func() bool {
			r = b.get("/projects/%s", b.project.ID)
			return r.status != http.StatusOK
		}, time.Minute, time.Millisecond)
		return r
	}},
	"overloaded": {func(s *setup) { s.config.MaxWrites = 1 }, func(b *bench) response {
		defer b.holdAPost("one")()
		return b.post("/update-score", b.update("two"))
	}},
	"not_durable": {func(s *setup) { s.config.AcceptTimeout, s.faults = 50*time.Millisecond, true }, func(b *bench) response {
		b.publisher.before.Store(always(errFault))
		return b.post("/update-score", b.update("one"))
	}},
	"stream_full": {nil, func(b *bench) response {
		b.publisher.before.Store(always(score.ErrFull))
		return b.post("/update-score", b.update("one"))
	}},
	"update_in_progress": {func(s *setup) { s.config.ClaimWait = 10 * time.Millisecond }, func(b *bench) response {
		require.Equal(b.t, score.ClaimWon, b.claim("one", "another"))
		return b.post("/update-score", b.update("one"))
	}},
	"status_rebuilding": {nil, func(b *bench) response {
		return b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
	}},
	"status_unavailable": {func(s *setup) { s.redis = "redis://127.0.0.1:1/0" }, func(b *bench) response {
		return b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
	}},
	"cross_origin": {func(s *setup) { s.config.Secret = []byte(strings.Repeat("s", 16)) }, func(b *bench) response {
		return b.post("/app"+b.editsPath(), b.editBody(b.owner, b.edit(0)))
	}},
	"index_rebuilding": {nil, func(b *bench) response { return b.get("/projects/%s/stats", b.project.ID) }},
	"index_unavailable": {func(s *setup) { s.redis = "redis://127.0.0.1:1/0" }, func(b *bench) response {
		return b.get("/projects/%s/leaderboards/total", b.project.ID)
	}},
	"chain_unavailable": {nil, func(b *bench) response {
		b.chain.down.Store(true)
		return b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9))
	}},
}

func TestEveryCodeIsProvoked(t *testing.T) {
	t.Parallel()
	retries := map[int]bool{http.StatusTooManyRequests: true, http.StatusServiceUnavailable: true}
	require.Len(t, provocations, len(httpapi.Codes()))
	for _, code := range httpapi.Codes() {
		t.Run(code.Name, func(t *testing.T) {
			t.Parallel()
			c, ok := provocations[code.Name]
			require.True(t, ok, "nothing provokes this code")
			b := newBench(t, c.setup).withProject()
			r := c.provoke(b)
			require.Equal(t, code.Name, r.code(), r)
			require.Equal(t, code.Status, r.status)
			require.Equal(t, "application/problem+json", r.header.Get("Content-Type"))
			require.Equal(t, code.Title, r.body["title"])
			require.EqualValues(t, code.Status, r.body["status"])
			require.Equal(t, "urn:scorelay:problem:"+code.Name, r.body["type"])
			require.Equal(t, retries[code.Status], r.header.Get("Retry-After") != "", "Retry-After goes with 429 and 503")
			require.NotEqual(t, "0", r.header.Get("Retry-After"))
			require.Equal(t, code.Status == http.StatusUnauthorized, r.header.Get("WWW-Authenticate") != "")
			require.NotEmpty(t, code.Advice)
			require.NotEmpty(t, r.header.Get("X-Request-Id"))
			require.Equal(t, r.header.Get("X-Request-Id"), r.body["requestId"])
		})
	}
}

type panickingChain struct{ httpapi.Chain }

func (panickingChain) Scores(context.Context, score.ProjectID, common.Address) ([]int64, uint64, error) {
	panic("injected")
}

// holdAPost leaves a post waiting for its publish until the returned function is called.
func (b *bench) holdAPost(id string) (release func()) {
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	hold := func() error {
		once.Do(func() { close(held); <-let })
		return nil
	}
	b.publisher.before.Store(&hold)
	body := b.update(id)
	go func() {
		defer close(done)
		b.post("/update-score", body)
	}()
	<-held
	return func() { close(let); <-done }
}

// postWith posts a body to update-score with further headers.
func (b *bench) postWith(headers map[string]string, body []byte) response {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.url+"/update-score", bytes.NewReader(body))
	require.NoError(b.t, err)
	req.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return b.do(req)
}

func (b *bench) withKey(method, path, key string) response {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, nil)
	require.NoError(b.t, err)
	req.Header["X-Api-Key"] = nil
	if key != "" {
		req.Header.Set("X-API-KEY", key)
	}
	return b.do(req)
}

// wire sends bytes no HTTP client would.
func (b *bench) wire(text string) response {
	b.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(b.t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(b.t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(b.t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(b.t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(b.t, err)
	return read(b.t, res)
}

// TestMediaTypes: application/json, with no parameter but charset=utf-8.
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for contentType, want := range map[string]bool{
		"application/json":                          true,
		"application/json; charset=utf-8":           true,
		"application/json;charset=UTF-8":            true,
		"Application/JSON":                          true,
		"application/json; charset=latin1":          false,
		"application/json; version=1":               false,
		"application/problem+json":                  false,
		"application/x-www-form-urlencoded":         false,
		"application/xml":                           false,
		"text/json":                                 false,
		"":                                          false,
		"application/json, application/json":        false,
		"application/jsonx":                         false,
		"multipart/form-data; boundary=aaaaaaaaaaa": false,
	} {
		r := b.postWith(map[string]string{"Content-Type": contentType}, []byte(`{}`))
		require.Equal(t, want, r.code() == "invalid_body", "%s: %s", contentType, r.raw)
		require.Equal(t, !want, r.code() == "unsupported_media_type", "%s: %s", contentType, r.raw)
	}
}

func TestABodyOfUnknownLengthIsBoundedToo(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+"/update-score",
		io.MultiReader(strings.NewReader(`{"x":"`), strings.NewReader(strings.Repeat("x", 1<<20)))) // chunked
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-API-KEY", b.secret.Reveal())
	require.Equal(t, "body_too_large", b.do(req).code())
}

// TestAStrangersBodyIsNotRead: without a key a large body costs no memory, and the answer says what is missing.
func TestAStrangersBodyIsNotRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for key, code := range map[string]string{"": "missing_api_key", "scorelay_nonsense": "invalid_api_key"} {
		for _, size := range []int{1 << 10, 100 << 10} { // one is read and refused, the other refused unread
			r := b.postWith(map[string]string{"X-API-KEY": key}, []byte(strings.Repeat("x", size)))
			require.Equal(t, http.StatusUnauthorized, r.status)
			require.Equal(t, code, r.code())
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(s *setup) {
		s.deps = func(d *httpapi.Deps) {
			d.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "the metrics") })
		}
	})
	for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n", "/metrics": "the metrics"} {
		r := b.withKey("GET", path, "")
		require.Equal(t, http.StatusOK, r.status)
		require.Equal(t, want, r.raw)
	}
	require.Equal(t, "POST", b.get("/update-score").header.Get("Allow"))
}

// TestRequestsWaitForTheStart: nothing but /livez is answered before the API knows what it must.
func TestRequestsWaitForTheStart(t *testing.T) {
	t.Parallel()
	ready := make(chan struct{})
	b := newBench(t, func(s *setup) {
		s.deps = func(d *httpapi.Deps) {
			d.Ready = func() error {
				select {
				case <-ready:
					return nil
				default:
					return errors.New("not yet")
				}
			}
		}
	})
	require.Equal(t, http.StatusOK, b.get("/livez").status)
	require.Equal(t, "starting", b.get("/readyz").code())
	require.Equal(t, "starting", b.post("/create-project", createBody(b.project)).code())
	close(ready)
	b.withProject()
	require.Equal(t, http.StatusOK, b.get("/readyz").status)
}
