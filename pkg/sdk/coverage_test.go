package sdk

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/docs"
	"github.com/scorelay/scorelay/pkg/score"
)

// operations are the requests of the interface that a client makes, by their operationId.
func operations(t *testing.T) map[string]string {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(docs.OpenAPI)
	require.NoError(t, err)
	found := map[string]string{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if slices.Contains(operation.Tags, "read") || slices.Contains(operation.Tags, "write") {
				found[operation.OperationID] = method + " " + path
			}
		}
	}
	return found
}

// TestTheClientHasEveryRequest: what the interface has and no method asks for fails here; interface.test.mjs of the npm package
// says the same of that.
func TestTheClientHasEveryRequest(t *testing.T) {
	t.Parallel()
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.Method + " " + r.URL.Path }))
	t.Cleanup(server.Close)
	c, ctx, project, id, target := NewClient(server.URL, "key", nil), t.Context(), ProjectID{1}, UpdateID{2}, Address{3}
	key, err := ParseKey("5c" + common.Hash{}.Hex()[4:])
	require.NoError(t, err)
	methods := map[string]func(){
		"createProject":  func() { _ = c.CreateProject(ctx, &Project{ID: project}) },
		"updateScore":    func() { _, _ = c.UpdateScore(ctx, NamedUpdate{UpdateID: id}, KeySigner(key)) },
		"updateScores":   func() { _, _, _ = c.UpdateScores(ctx, &SignedGroup{}) },
		"updateGroups":   func() { _, _ = c.UpdateGroups(ctx, []*SignedGroup{{}}) },
		"reserveIds":     func() { _, _ = c.ReserveIDs(ctx, project, 1) },
		"lookUpUpdates":  func() { _, _ = c.Updates(ctx, project, []UpdateID{id}) },
		"listProjects":   func() { _, _ = c.Projects(ctx, Page{}) },
		"getProject":     func() { _, _ = c.Project(ctx, project) },
		"getUpdate":      func() { _, _ = c.Update(ctx, project, id) },
		"getNextEdit":    func() { _, _ = c.NextEdit(ctx, project) },
		"editProject":    func() { _, _ = c.EditProject(ctx, &SignedEdit{ProjectEdit: score.ProjectEdit{Project: project}}) },
		"getEdit":        func() { _, _ = c.Edit(ctx, project, 7) },
		"getScores":      func() { _, _ = c.Scores(ctx, project, target) },
		"getScoresOf":    func() { _, _ = c.FinalScores(ctx, project, []Address{target}) },
		"getLeaderboard": func() { _, _ = c.Leaderboard(ctx, project, Total, Page{}) },
		"getHistory":     func() { _, _ = c.History(ctx, project, target, HistoryPage{}) },
		"getEvents": func() {
			ctx, cancel := context.WithCancel(ctx)
			for range c.Events(ctx, project, EventOptions{Trouble: func(error) { cancel() }}) {
				cancel()
			}
		},
		"getStats": func() { _, _ = c.Stats(ctx, project, time.Now(), time.Now()) },
	}
	for operation, request := range operations(t) {
		require.Contains(t, methods, operation, "no method of the client makes the request")
		methods[operation]()
		require.Regexp(t, "^"+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(request, `[^/]+`)+"$", asked, operation)
	}
	require.Len(t, methods, len(operations(t)))
}
