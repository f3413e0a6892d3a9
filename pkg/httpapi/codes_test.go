package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
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

// updates is a provocation by a body of update-score with another field.
func updates(field string, value any) func(*bench) response {
	return func(b *bench) response { return b.post("/update-score", set(b.update("one"), field, value)) }
}

// updatesUnder is one by a key with terms.
func updatesUnder(terms apikey.Terms) func(*bench) response {
	return func(b *bench) response { return b.withTerms(terms).post("/update-score", b.update("one")) }
}

// gets is one by a look-up of a path, in which %s is the bench's project.
func gets(path string) func(*bench) response {
	return func(b *bench) response { return b.get("%s", strings.ReplaceAll(path, "%s", b.project.ID.String())) }
}

// wires is one by bytes no HTTP client would send.
func wires(text string) func(*bench) response { return func(b *bench) response { return b.wire(text) } }

// provocations makes the API answer with each code of its table, over HTTP.
var provocations = map[string]struct {
	setup   func(*setup)
	provoke func(b *bench) response
}{
	"malformed_request": {nil, wires("GET /projects HTTP/9.9.9\r\n\r\n")},
	"malformed_json":    {nil, func(b *bench) response { return b.post("/update-score", []byte(`{`)) }},
	"invalid_body":      {nil, updates("updateId", "0x12")},
	"invalid_query":     {nil, gets("/projects?limit=0")},
	"invalid_path":      {nil, gets("/projects/0x12")},
	"message_too_old": {nil, func(b *bench) response {
		return b.post("/update-score", b.updateAt("one", time.Now().Add(-6*time.Minute)))
	}},
	"message_in_future": {nil, func(b *bench) response {
		return b.post("/update-score", b.updateAt("one", time.Now().Add(time.Minute)))
	}},
	"bad_signature":      {nil, updates("signature", "0x"+strings.Repeat("00", 65))},
	"unknown_project":    {nil, updates("projectId", score.ProjectID{9})},
	"unknown_action":     {nil, updates("actionName", "Buy")},
	"unknown_score_type": {nil, updates("scoreType", "fame")},
	"cursor_replaced": {nil, func(b *bench) response {
		b.finalize()
		return b.get("/projects/%s/events?after=0-1-%016x-0", b.project.ID, 7)
	}},
	"too_many_streams": {func(s *setup) { s.config.MaxStreams = 1 }, func(b *bench) response {
		b.finalize()
		b.events("now")
		return b.get("/projects/%s/events", b.project.ID)
	}},
	"missing_api_key": {nil, func(b *bench) response { return b.send(http.MethodGet, "/projects/0x12", nil, "X-API-KEY", "") }},
	"invalid_api_key": {nil, func(b *bench) response {
		return b.send(http.MethodGet, "/projects/0x12", nil, "X-API-KEY", "scorelay_nonsense")
	}},
	"signer_not_member": {nil, func(b *bench) response {
		b.owner = devnet.Key(5)
		return b.post("/update-score", b.update("one"))
	}},
	"signed_only": {nil, func(b *bench) response {
		strict := newProject("strict")
		b.post("/create-project", set(createBody(strict), "signedOnly", true)).ok()
		return b.post("/update-score", set(b.update("one"), "projectId", strict.ID))
	}},
	"not_found":         {nil, gets("/nothing")},
	"project_not_found": {nil, gets("/projects/" + score.ProjectID{9}.String())},
	"update_not_found": {nil, func(b *bench) response {
		b.restored()
		return b.lookUpOne("one")
	}},
	"method_not_allowed": {nil, gets("/update-score")},
	"request_timeout":    {func(s *setup) { s.config.ReadTimeout = time.Second }, wires("POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")},
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
		b.begin(b.announce("/update-groups", length(256<<10)))
		b.held(256 << 10)
		return b.post("/create-project", []byte(`{"name":"`+strings.Repeat("x", 100)+`"}`))
	}},
	"unsupported_media_type": {nil, func(b *bench) response {
		return b.post("/update-score", []byte(`{}`), "Content-Type", "text/json")
	}},
	"unsupported_encoding": {nil, func(b *bench) response {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(make([]byte, 1<<20))
		require.NoError(b.t, z.Close())
		return b.post("/update-score", packed.Bytes(), "Content-Encoding", "gzip")
	}},
	"rate_limited":       {func(s *setup) { s.config.LookUpsPerSecond = 1 }, (*bench).untilRefused},
	"budget_spent":       {nil, updatesUnder(apikey.Terms{Gas: 1000})},
	"key_lacks_right":    {nil, updatesUnder(apikey.Terms{Rights: []string{"read"}})},
	"key_other_projects": {nil, updatesUnder(apikey.Terms{Projects: []score.ProjectID{{9}}})},
	"expired_api_key": {nil, func(b *bench) response {
		past := time.Now().Add(-time.Second)
		return updatesUnder(apikey.Terms{Expires: &past})(b)
	}},
	"time_signature": {nil, updatesUnder(apikey.Terms{Whole: true})},
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
	"too_many_connections": {func(s *setup) { s.config.MaxPerAddress = 1 }, wires(livez)}, // the client keeps one
	"connections_full":     {func(s *setup) { s.config.MaxConnections = 1 }, wires(livez)},
	"headers_too_large": {nil, func(b *bench) response {
		return b.post("/update-score", []byte(`{}`), "X-Padding", strings.Repeat("x", 30<<10))
	}},
	"internal": {deps(func(d *httpapi.Deps) { d.Chain = panickingChain{d.Chain} }), gets("/projects/%s/scores/" + devnet.Address(9).Hex())},
	"halted": {nil, func(b *bench) response {
		b.halt("NATS was restored from an older copy")
		b.get("/projects/%s", b.project.ID).ok() // look-ups are answered
		require.Contains(b.t, b.get("/readyz").ok().raw, "nothing is accepted: NATS was restored")
		return b.post("/update-score", b.update("one"))
	}},
	"paused": {nil, func(b *bench) response {
		b.pause(func(*score.ProjectID) *httpapi.Pause {
			return &httpapi.Pause{Reason: "the chain is upgraded until noon", Refuses: true}
		})
		b.get("/projects/%s", b.project.ID).ok() // look-ups are answered
		require.Contains(b.t, b.get("/readyz").ok().raw, "accepting is paused: the chain is upgraded")
		r := b.post("/update-score", b.update("one"))
		require.Contains(b.t, r.raw, "the chain is upgraded until noon")
		return r
	}},
	"unknown_method":           {nil, wires("PATCHY /update-score HTTP/1.1\r\nHost: x\r\n\r\n")},
	"unsupported_http_version": {nil, wires("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")},
	"starting": {deps(func(d *httpapi.Deps) {
		calls := 0
		d.Ready = func() error { // ready for the bench's own creation, then forever since that latches; so: /readyz
			if calls++; calls > 1 {
				return errors.New("the directory has not been read yet")
			}
			return nil
		}
	}), gets("/readyz")},
	"key_unverified": {deps(func(d *httpapi.Deps) { d.Keys = oldKeys{d.Keys, &keysAge} }), func(b *bench) response {
		keysAge.Store(int64(time.Minute))
		return b.post("/update-score", b.update("one"))
	}},
	"shutting_down": {func(s *setup) { s.config.AcceptTimeout = time.Minute }, func(b *bench) response {
		defer b.holdAPost("one")()
		b.stop()
		return b.untilRefused()
	}},
	"overloaded": {func(s *setup) { s.config.MaxWrites = 1 }, func(b *bench) response {
		defer b.holdAPost("one")()
		return b.post("/update-score", b.update("two"))
	}},
	"not_durable": {func(s *setup) { s.config.AcceptTimeout, s.faults = 50*time.Millisecond, true }, func(b *bench) response {
		b.publisher.Set(fault.Always(fault.Failed))
		return b.post("/update-score", b.update("one"))
	}},
	"stream_full": {nil, func(b *bench) response {
		b.publisher.refuse(score.ErrFull)
		return b.post("/update-score", b.update("one"))
	}},
	"update_in_progress": {func(s *setup) { s.config.ClaimWait = 10 * time.Millisecond }, func(b *bench) response {
		require.Equal(b.t, score.ClaimWon, b.claim("one", "another"))
		return b.post("/update-score", b.update("one"))
	}},
	"status_rebuilding":  {nil, func(b *bench) response { return b.lookUpOne("one") }},
	"status_unavailable": {func(s *setup) { s.redis = nowhere }, func(b *bench) response { return b.lookUpOne("one") }},
	"cross_origin": {func(s *setup) { s.config.Secret = []byte(strings.Repeat("s", 16)) }, func(b *bench) response {
		return b.post("/app"+b.editsPath(), b.editBody(b.owner, b.edit(0)))
	}},
	"index_rebuilding":  {nil, gets("/projects/%s/stats")},
	"index_unavailable": {func(s *setup) { s.redis = nowhere }, gets("/projects/%s/leaderboards/total")},
	"chain_unavailable": {nil, func(b *bench) response {
		b.chain.down.Store(true)
		return b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9))
	}},
}

func TestEveryCodeIsProvoked(t *testing.T) {
	t.Parallel()
	require.Len(t, provocations, len(httpapi.Codes()))
	for _, code := range httpapi.Codes() {
		require.NotEmpty(t, code.Advice, code.Name)
		t.Run(code.Name, func(t *testing.T) {
			c, ok := provocations[code.Name]
			require.True(t, ok, "nothing provokes this code")
			r := c.provoke(newBench(t, c.setup).withProject())
			require.Equal(t, code.Name, r.code(), r) // the rest is looked at in each answer
		})
	}
}

type panickingChain struct{ httpapi.Chain }

func (panickingChain) Scores(context.Context, score.ProjectID, common.Address) ([]int64, uint64, error) {
	panic("injected")
}

// holdAPost leaves a post waiting for its publish until the returned function is called.
func (b *bench) holdAPost(id string) (release func()) {
	held, let := b.publisher.hold()
	body, done := b.update(id), make(chan struct{})
	go func() {
		defer close(done)
		b.post("/update-score", body)
	}()
	<-held
	return func() { let(); <-done }
}

// untilRefused looks the project up until that is refused.
func (b *bench) untilRefused() response {
	b.t.Helper()
	return b.until(func(r response) bool { return r.status != http.StatusOK }, func() response { return b.get("/projects/%s", b.project.ID) })
}

// until asks until the answer is as wanted.
func (b *bench) until(wanted func(response) bool, ask func() response) (r response) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { r = ask(); return wanted(r) }, 2*time.Minute, time.Millisecond)
	return r
}

// limited reports whether an answer refuses for the rate. On a slow machine a key has one more unit before it asks again.
func limited(r response) bool { return r.code() == "rate_limited" }

// wire sends bytes no HTTP client would.
func (b *bench) wire(text string) response { return b.dial(loopback).ask(text) }

// TestMediaTypes: application/json, with no parameter but charset=utf-8.
func TestMediaTypes(t *testing.T) {
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
		r := b.post("/update-score", []byte(`{}`), "Content-Type", contentType)
		require.Equal(t, want, r.code() == "invalid_body", "%s: %s", contentType, r.raw)
		require.Equal(t, !want, r.code() == "unsupported_media_type", "%s: %s", contentType, r.raw)
	}
}

func TestABodyOfUnknownLengthIsBoundedToo(t *testing.T) {
	b := newBench(t, nil)
	chunked := io.MultiReader(strings.NewReader(`{"x":"`), strings.NewReader(strings.Repeat("x", 1<<20)))
	require.Equal(t, "body_too_large", b.post("/update-score", chunked).code())
}

// TestAStrangersBodyIsNotRead: without a key a large body costs no memory, and the answer says what is missing.
func TestAStrangersBodyIsNotRead(t *testing.T) {
	b := newBench(t, nil)
	for key, code := range map[string]string{"": "missing_api_key", "scorelay_nonsense": "invalid_api_key"} {
		for _, size := range []int{1 << 10, 100 << 10} { // one is read and refused, the other refused unread
			require.Equal(t, code, b.post("/update-score", []byte(strings.Repeat("x", size)), "X-API-KEY", key).code())
		}
	}
}

func TestHealth(t *testing.T) {
	b := newBench(t, deps(func(d *httpapi.Deps) {
		d.Paused = nil // nothing ever is
		d.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "the metrics") })
	}))
	for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n", "/metrics": "the metrics"} {
		require.Equal(t, want, b.open(path).ok().raw)
	}
	require.Equal(t, "POST", b.get("/update-score").header.Get("Allow"))
}

// TestRequestsWaitForTheStart: nothing but /livez is answered before the API knows what it must.
func TestRequestsWaitForTheStart(t *testing.T) {
	var ready atomic.Bool
	b := newBench(t, deps(func(d *httpapi.Deps) {
		d.Ready = func() error {
			if !ready.Load() {
				return errors.New("not yet")
			}
			return nil
		}
	}))
	b.get("/livez").ok()
	require.Equal(t, "starting", b.get("/readyz").code())
	require.Equal(t, "starting", b.post("/create-project", createBody(b.project)).code())
	ready.Store(true)
	b.withProject()
	b.get("/readyz").ok()
}

// keysAge is that of the table's keys.
var keysAge atomic.Int64

// oldKeys are keys that may have been revoked meanwhile.
type oldKeys struct {
	httpapi.Keys
	age *atomic.Int64
}

func (k oldKeys) Age() time.Duration { return time.Duration(k.age.Load()) }

// TestAKeyIsBelievedForAWhile after its validity was last known: five seconds to send updates, fifteen to look up.
func TestAKeyIsBelievedForAWhile(t *testing.T) {
	age := new(atomic.Int64)
	b := newBench(t, deps(func(d *httpapi.Deps) { d.Keys = oldKeys{d.Keys, age} }))
	b.withProject()
	const look = "/projects/%s"
	age.Store(int64(5 * time.Second))
	b.post("/update-score", b.update("one")).ok()
	age.Store(int64(6 * time.Second))
	require.Equal(t, "key_unverified", b.post("/update-score", b.update("two")).code())
	require.Equal(t, "key_unverified", b.post("/create-project", createBody(b.project)).code())
	b.get(look, b.project.ID).ok()
	age.Store(int64(16 * time.Second))
	require.Equal(t, "key_unverified", b.get(look, b.project.ID).code())
	age.Store(0)
	b.post("/update-score", b.update("two")).ok()
}
