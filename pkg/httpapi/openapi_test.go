package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

const openapiFile = "../../docs/openapi.yaml"

func loadOpenAPI(t *testing.T) (*openapi3.T, routers.Router) {
	t.Helper()
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	doc, err := openapi3.NewLoader().LoadFromFile(openapiFile)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()))
	doc.Servers = nil // the tests' server is elsewhere
	router, err := legacy.NewRouter(doc)
	require.NoError(t, err)
	return doc, router
}

// TestOpenAPIHasEveryCode: the document lists exactly the codes of the table, each with its status.
func TestOpenAPIHasEveryCode(t *testing.T) {
	t.Parallel()
	doc, _ := loadOpenAPI(t)
	listed := map[string]int{}
	for name, response := range doc.Components.Responses {
		media := response.Value.Content["application/problem+json"]
		if media == nil {
			continue
		}
		require.Len(t, media.Schema.Value.AllOf, 2, name)
		narrow := media.Schema.Value.AllOf[1].Value.Properties
		status, ok := narrow["status"].Value.Const.(float64)
		require.True(t, ok, "%s has no status", name)
		for _, code := range narrow["code"].Value.Enum {
			listed[code.(string)] = int(status)
		}
	}
	known := map[string]int{}
	for _, code := range httpapi.Codes() {
		known[code.Name] = code.Status
	}
	require.Equal(t, known, listed)

	var fields []any
	for _, code := range httpapi.FieldCodes() {
		fields = append(fields, code.Name)
	}
	fieldError := doc.Components.Schemas["Problem"].Value.Properties["errors"].Value.Items.Value
	require.ElementsMatch(t, fields, fieldError.Properties["code"].Value.Enum)
}

// conversation sends requests and holds what comes back to the document.
type conversation struct {
	*bench
	router routers.Router
	seen   []string // operation and status
}

// request sends one as the bench does.
func (c *conversation) request(method, path string, body any, headers ...string) response {
	c.t.Helper()
	res := c.ask(method, path, body, headers...)
	req := res.Request
	r := read(c.t, res)
	route, params, err := c.router.FindRoute(req)
	require.NoError(c.t, err)
	asked := &openapi3filter.RequestValidationInput{
		Request: req, Route: route, PathParams: params,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
	if r.status == http.StatusOK { // what the API takes is what the document allows
		if body != nil {
			req.Body, err = req.GetBody()
			require.NoError(c.t, err)
		}
		require.NoError(c.t, openapi3filter.ValidateRequest(context.Background(), asked), "%s %s", req.Method, req.URL.Path)
	}
	require.NoError(c.t, openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: asked, Status: r.status, Header: r.header,
		Body: io.NopCloser(strings.NewReader(r.raw)), Options: asked.Options,
	}), "%s %s: %s", req.Method, req.URL.Path, r)
	c.seen = append(c.seen, route.Operation.OperationID+" "+http.StatusText(r.status))
	return r
}

func (c *conversation) expect(code string, r response) {
	c.t.Helper()
	require.Equal(c.t, code, r.code(), r.raw)
}

// talksOfGroups is about signed groups and reserved ids; the update one was accepted before.
func (c *conversation) talksOfGroups() {
	c.t.Helper()
	group := c.free("one", "four", "five")
	c.request(http.MethodPost, "/update-scores", group).ok()
	c.request(http.MethodPost, "/update-scores", group).ok()
	c.request(http.MethodPost, "/update-scores", c.group(score.KindWord, c.inWord("word", 3))).ok()
	c.expect("invalid_body", c.request(http.MethodPost, "/update-scores", set(group, "kind", 1)))
	c.expect("unknown_project", c.request(http.MethodPost, "/update-scores", set(c.free("six"), "projectId", score.ProjectID{9})))
	c.request(http.MethodPost, "/update-groups", object{"groups": []object{
		c.free("seven", "eight"), group, set(c.free("nine"), "projectId", score.ProjectID{9}),
	}}).ok()
	c.expect("invalid_body", c.request(http.MethodPost, "/update-groups", object{"groups": []object{}}))
	c.request(http.MethodPost, "/reserve-ids", object{"projectId": c.project.ID, "count": 256}).ok()
	c.expect("invalid_body", c.request(http.MethodPost, "/reserve-ids", object{"projectId": c.project.ID, "count": 0}))
	ids := []score.UpdateID{updateID("one"), updateID("never sent")}
	c.expect("status_rebuilding", c.request(http.MethodPost, "/look-up-updates", object{"projectId": c.project.ID, "updateIds": ids}))
	c.restored()
	c.request(http.MethodPost, "/look-up-updates", object{"projectId": c.project.ID, "updateIds": ids}).ok()
	c.expect("invalid_body", c.request(http.MethodPost, "/look-up-updates", object{"projectId": c.project.ID}))
	strict := newProject("strict")
	c.request(http.MethodPost, "/create-project", set(createBody(strict), "signedOnly", true)).ok()
	c.request(http.MethodGet, "/projects/"+strict.ID.String(), nil).ok()
	c.expect("signed_only", c.request(http.MethodPost, "/update-score", set(c.update("six"), "projectId", strict.ID)))
}

// talksOfEdits is about owners' edits.
func (c *conversation) talksOfEdits() {
	c.t.Helper()
	c.expect("signer_not_owner", c.request(http.MethodPost, c.editsPath(), c.editBody(devnet.Key(2), c.edit(0))))
	body := c.editBody(c.owner, c.edit(0, added(7), score.Edit{Operation: score.AddAction, Name: "gift", Points: 5}))
	c.request(http.MethodGet, c.editsPath(), nil).ok()
	c.request(http.MethodPost, c.editsPath(), body).ok()
	c.request(http.MethodPost, c.editsPath(), body).ok()
	c.expect("edit_exists", c.request(http.MethodPost, c.editsPath(), c.editBody(c.owner, c.edit(0))))
	c.expect("wrong_edit_nonce", c.request(http.MethodPost, c.editsPath(), c.editBody(c.owner, c.edit(9))))
	c.request(http.MethodGet, c.editsPath()+"/0", nil).ok()
	c.expect("status_rebuilding", c.request(http.MethodGet, c.editsPath()+"/1", nil))
}

// talksOfStandings is about what is final.
func (c *conversation) talksOfStandings() {
	c.t.Helper()
	project := "/projects/" + c.project.ID.String()
	c.expect("index_rebuilding", c.request(http.MethodGet, project+"/stats", nil))
	c.projected(9, execution(1, player(1)), execution(2, player(2)), execution(3, player(3), func(e *score.Execution) { e.Action, e.ScoreType, e.Outcome = 9, 9, score.UnknownAction }))
	require.Eventually(c.t, func() bool { return c.get("%s/stats", project).status == http.StatusOK }, time.Minute, 10*time.Millisecond)
	for _, path := range []string{
		"/leaderboards/reputation?limit=1", "/leaderboards/total?around=" + player(1).Hex(), "/leaderboards/volume", "/stats?from=2026-11-01&to=2026-11-30",
		"/scores?wallets=" + player(1).Hex() + "," + player(4).Hex(), "/wallets/" + player(1).Hex() + "/history?limit=1", "/wallets/" + player(3).Hex() + "/history?final=true",
	} {
		c.request(http.MethodGet, project+path, nil).ok()
	}
	c.request(http.MethodGet, "/projects?limit=1", nil).ok()
	for _, path := range []string{"/leaderboards/total?limit=0", "/stats?from=now", "/scores?wallets=0x", "/wallets/" + player(1).Hex() + "/history?cursor=x"} {
		c.expect("invalid_query", c.request(http.MethodGet, project+path, nil))
	}
	c.expect("unknown_score_type", c.request(http.MethodGet, project+"/leaderboards/fame", nil))
	c.expect("invalid_query", c.request(http.MethodGet, project+"/events?after=yesterday", nil))
	c.expect("cursor_replaced", c.request(http.MethodGet, project+"/events", nil, "Last-Event-ID", fmt.Sprintf("0-1-%016x-0", 7)))
}

// TestOpenAPIDescribesWhatIsAnswered talks to a real API and holds every answer to the document.
func TestOpenAPIDescribesWhatIsAnswered(t *testing.T) {
	t.Parallel()
	_, router := loadOpenAPI(t)
	c := &conversation{bench: startBench(t, nil), router: router}
	c.finalize()
	project := "/projects/" + c.project.ID.String()

	expect := c.expect
	c.request(http.MethodGet, "/livez", nil).ok()
	c.request(http.MethodGet, "/readyz", nil).ok()
	c.request(http.MethodGet, "/", nil).ok()
	c.request(http.MethodGet, "/", nil, "Accept", "text/html").ok()
	c.request(http.MethodGet, "/docs", nil).ok()
	tag := c.request(http.MethodGet, "/openapi.yaml", nil).header.Get("ETag")
	require.Equal(t, http.StatusNotModified, c.request(http.MethodGet, "/openapi.yaml", nil, "If-None-Match", tag).status)
	expect("project_not_found", c.request(http.MethodGet, project, nil))
	expect("project_not_found", c.request(http.MethodGet, project+"/scores/"+"0x00000000000000000000000000000000000000aa", nil))
	c.request(http.MethodPost, "/create-project", createBody(c.project)).ok()
	expect("project_exists", c.request(http.MethodPost, "/create-project", createBody(c.project)))
	c.request(http.MethodGet, project, nil).ok()
	c.request(http.MethodGet, project+"/scores/"+"0x00000000000000000000000000000000000000aa", nil).ok()

	c.talksOfEdits()
	update := c.update("one")
	c.request(http.MethodPost, "/update-score", update).ok()
	c.request(http.MethodPost, "/update-score", update).ok()
	c.request(http.MethodGet, project+"/updates/"+updateID("one").String(), nil).ok()
	expect("invalid_path", c.request(http.MethodGet, project+"/updates/0x12", nil))

	c.talksOfGroups()
	c.talksOfStandings()

	expect("missing_api_key", c.request(http.MethodPost, "/update-score", update, "X-API-KEY", ""))
	expect("invalid_api_key", c.request(http.MethodPost, "/create-project", createBody(c.project), "X-API-KEY", "nonsense"))
	expect("unsupported_media_type", c.request(http.MethodPost, "/update-score", update, "Content-Type", "text/plain"))
	expect("unsupported_encoding", c.request(http.MethodPost, "/update-score", update, "Content-Encoding", "gzip"))
	expect("headers_too_large", c.request(http.MethodGet, project, nil, "X-Long", string(bytes.Repeat([]byte("x"), 30_000))))
	spoilt := func(change func(object)) response {
		body := c.update("two")
		change(body)
		return c.request(http.MethodPost, "/update-score", body)
	}
	expect("invalid_body", spoilt(func(b object) { b["updateId"] = "0x1"; delete(b, "message"); b["targetWallet"] = 7 }))
	expect("unknown_project", spoilt(func(b object) { b["projectId"] = score.ProjectID{9} }))
	expect("unknown_action", spoilt(func(b object) { b["actionName"] = "nothing" }))
	expect("unknown_score_type", spoilt(func(b object) { b["scoreType"] = "nothing" }))
	expect("signer_not_member", spoilt(func(b object) { b["message"] = c.updateAt("x", time.Now().Add(-time.Minute))["message"] }))

	c.publisher.refuse(score.ErrFull)
	expect("stream_full", c.request(http.MethodPost, "/update-score", c.update("three")))
	expect("stream_full", c.request(http.MethodPost, "/update-scores", c.free("three")))
	c.owner = devnet.Key(5)
	expect("signer_not_member", c.request(http.MethodPost, "/update-scores", c.free("three")))

	for _, operation := range []string{
		"createProject OK", "createProject Conflict", "createProject Unauthorized", "updateScore OK", "updateScore Bad Request",
		"updateGroups OK", "updateGroups Bad Request", "updateScores OK", "updateScores Bad Request", "updateScores Forbidden", "updateScores Service Unavailable", "reserveIds OK",
		"reserveIds Bad Request", "lookUpUpdates OK", "lookUpUpdates Bad Request", "lookUpUpdates Service Unavailable", "updateScore Forbidden", "updateScore Service Unavailable", "getProject OK", "getProject Not Found", "getUpdate OK",
		"getScores OK", "listProjects OK", "getLeaderboard OK", "getLeaderboard Bad Request", "getScoresOf OK", "getHistory OK", "getStats OK", "getEvents Bad Request", "getEvents Gone", "getStats Service Unavailable", "livez OK", "readyz OK", "index OK", "docs OK", "openapi OK", "openapi Not Modified",
	} {
		require.True(t, slices.Contains(c.seen, operation), operation)
	}
}
