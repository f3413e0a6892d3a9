package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// TestAnUnknownNameIsAnsweredWithThoseThereAre, the nearest first, ten at most; also in a path.
func TestAnUnknownNameIsAnsweredWithThoseThereAre(t *testing.T) {
	b := newBench(t, nil)
	for i := range 12 {
		b.project.Actions = append(b.project.Actions, score.Action{Name: fmt.Sprintf("quest %02d", i), Points: 1})
	}
	b.withProject()
	detail := func(body object) string {
		t.Helper()
		return b.post("/update-score", body).field()["detail"].(string)
	}
	require.Equal(t, `"Buy" is no action of the project; there are "buy", "return", "quest 00", "quest 01", "quest 02", "quest 03", `+
		`"quest 04", "quest 05", "quest 06", "quest 07" and 4 more`, detail(set(b.update("1"), "actionName", "Buy")))
	require.Equal(t, `"voltage" is no score type of the project; there are "volume", "reputation"`, detail(set(b.update("1"), "scoreType", "voltage")))
	r := b.post("/update-score", set(set(b.update("1"), "actionName", "Buy"), "scoreType", "voltage"))
	require.Equal(t, "unknown_action", r.code())
	require.Len(t, r.body["errors"], 2, "both names are unknown")
	require.Equal(t, "/scoreType", r.body["errors"].([]any)[1].(object)["pointer"])
	r = b.get("/projects/%s/leaderboards/%s", b.project.ID, "reputations%0a")
	require.Equal(t, "unknown_score_type", r.code())
	require.Equal(t, `"reputations\n" is no score type of the project; there are "reputation", "total", "volume"`, r.body["detail"])
	require.Equal(t, `there is no parameter "limits"; there are "limit", "around", "cursor"`, b.get("/projects/%s/leaderboards/volume?limits=1", b.project.ID).body["detail"])
}

// TestAWrongContentTypeIsTold, and so is a body that is missing.
func TestAWrongContentTypeIsTold(t *testing.T) {
	b := newBench(t, nil)
	send := func(body, contentType string) any {
		return b.post("/update-score", []byte(body), "Content-Type", contentType).body["detail"]
	}
	require.Equal(t, `it is "text/plain; charset=\"\xff\""`, send("{}", "text/plain; charset=\"\xff\""))
	require.Equal(t, "it is missing", send("{}", ""))
	require.Equal(t, "the body is empty", send("", "application/json"))
}

// TestASlashAtTheEndOfAPathIsNothing, of each method, also before a query.
func TestASlashAtTheEndOfAPathIsNothing(t *testing.T) {
	b := newBench(t, nil)
	require.Equal(t, "accepted", b.post("/create-project/", createBody(b.project)).body["status"])
	require.Equal(t, "accepted", b.post("/update-score/?x=1", b.update("1")).body["status"])
	require.Equal(t, b.project.Name, b.get("/projects/%s/", b.project.ID).body["name"])
	require.Equal(t, "accepted", b.get("/projects/%s/updates/%s/", b.project.ID, updateID("1")).body["status"])
	require.Equal(t, "invalid_query", b.get("/projects/%s/leaderboards/volume/?limit=0", b.project.ID).code())
	b.get("/docs/").ok()
	require.Equal(t, "not_found", b.get("/projects/%s/leaderboards/", b.project.ID).code())

	w := startBrowser(t, nil)
	w.executed(1)
	w.signIn(w.secret.Reveal(), "/app")
	project := w.path()
	for _, path := range []string{"/app/", project + "/", project + "/members/?after=" + common.Address{}.Hex(), project + "/wallets/" + common.Address{1}.Hex() + "/"} {
		require.Equal(t, http.StatusOK, w.look(path).status, path)
	}
	require.Equal(t, http.StatusNotFound, w.look(project+"/members/more/").status)
}
