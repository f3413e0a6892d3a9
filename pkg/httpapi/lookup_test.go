package httpapi_test

import (
	"encoding/json"
	"html"
	"math"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func TestAnUpdatesStatusFollowsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	ctx := t.Context()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	u := b.stored()[0]
	is := func(stage string, outcome, tx, block any) {
		t.Helper()
		r := b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
		require.Equal(t, http.StatusOK, r.status)
		require.Equal(t, object{
			"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": stage,
			"outcome": outcome, "transactionHash": tx, "blockNumber": block,
		}, r.body)
	}
	is("accepted", nil, nil, nil)
	require.NoError(t, b.status.Bound(ctx, 1, 4, score.Refs(u)))
	is("batched", nil, nil, nil)
	require.NoError(t, b.status.Slot(ctx, 1, 1, 4, score.Submitted, updateTx, 0))
	is("submitted", nil, updateTx.Hex(), nil)
	require.NoError(t, b.status.Slot(ctx, 1, 1, 4, score.Included, updateTx, 77))
	is("included", nil, updateTx.Hex(), 77.0)
	require.NoError(t, b.status.Final(ctx, updateTx, 78, score.Refs(u), []score.Outcome{score.Applied}))
	is("final", "applied", updateTx.Hex(), 78.0)
}

func TestACreationsStatusFollowsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	ctx := t.Context()
	is := func(stage string, outcome, tx, block any) {
		t.Helper()
		r := b.get("/projects/%s", b.project.ID)
		require.Equal(t, []any{stage, outcome, tx, block},
			[]any{r.body["status"], r.body["outcome"], r.body["transactionHash"], r.body["blockNumber"]})
	}
	is("accepted", nil, nil, nil)
	require.NoError(t, b.status.Bound(ctx, 1, 4, []score.Ref{score.CreationRef(b.project.ID)}))
	is("batched", nil, nil, nil)
	require.NoError(t, b.status.Slot(ctx, 1, 1, 4, score.Included, updateTx, 77))
	is("included", nil, updateTx.Hex(), 77.0)
	require.NoError(t, b.status.Final(ctx, updateTx, 77, []score.Ref{score.CreationRef(b.project.ID)}, []score.Outcome{score.Applied}))
	is("final", "applied", updateTx.Hex(), 77.0) // before the directory has it
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	is("final", "applied", updateTx.Hex(), 77.0)
}

func TestAProjectTellsWhatToSignUnder(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	r := b.get("/projects/%s", b.project.ID)
	require.Equal(t, object{
		"name": "Scorelay", "version": "1", "chainId": float64(devnet.ChainID), "verifyingContract": strings.ToLower(shared.contract.Hex()),
	}, r.body["signing"])
	var told struct{ Signing wallet.Domain }
	require.NoError(t, json.Unmarshal([]byte(r.raw), &told))
	require.Equal(t, "accepted", b.post("/update-score", b.typed("one", told.Signing)).body["status"], "a payload signed under it")

	large := newBench(t, func(s *setup) { s.config.ChainID = math.MaxUint64 }).withProject()
	r = large.get("/projects/%s", large.project.ID)
	require.Contains(t, r.raw, `"chainId":18446744073709551615,`, "no digit is lost")
	require.NoError(t, json.Unmarshal([]byte(r.raw), &told))
	require.Equal(t, "accepted", large.post("/update-score", large.typed("one", told.Signing)).body["status"])
}

// TestTheChainKnowsWhatRedisHasLost applies an update on the real contract that Redis never heard of.
func TestTheChainKnowsWhatRedisHasLost(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	require.Equal(t, "status_rebuilding", b.get("/projects/%s/updates/%s", b.project.ID, updateID("one")).code())
	zero := []any{object{"scoreType": "reputation", "score": "0"}, object{"scoreType": "volume", "score": "0"}}
	require.Equal(t, zero, b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)).body["scores"], "not on the chain yet")

	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	require.NoError(t, transact(&shared.contract, registry.EncodeBatch(batch.Batch{Groups: []batch.Group{{
		Project: b.project.ID, Signer: devnet.Address(1), Kind: score.KindFree,
		Updates: []score.Update{
			{Project: b.project.ID, ID: updateID("one"), Signer: devnet.Address(1), Target: devnet.Address(9), Action: 1},
			{Project: b.project.ID, ID: updateID("two"), Signer: devnet.Address(1), Target: devnet.Address(9), ScoreType: 1},
		},
	}}})))
	require.Equal(t, "status_rebuilding", b.get("/projects/%s/updates/%s", b.project.ID, updateID("one")).code(), "its transaction comes back")
	b.restored()
	r := b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
	require.Equal(t, object{
		"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": "final", "outcome": "applied",
		"transactionHash": nil, "blockNumber": nil,
	}, r.body)

	r = b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9))
	require.Equal(t, http.StatusOK, r.status, r)
	require.Equal(t, []any{object{"scoreType": "reputation", "score": "-3"}, object{"scoreType": "volume", "score": "10"}}, r.body["scores"])
	require.NotZero(t, r.body["blockNumber"])
	require.Equal(t, zero, b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(8)).body["scores"])
}

func TestPathsAreChecked(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	for path, code := range map[string]string{
		"/projects/0x12": "invalid_path",
		"/projects/" + b.project.ID.String() + "/updates/0x12":                                      "invalid_path",
		"/projects/" + b.project.ID.String() + "/scores/0x12":                                       "invalid_path",
		"/projects/" + b.project.ID.String() + "/scores/0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed": "invalid_path",
		"/projects/" + score.ProjectID{1}.String() + "/scores/" + devnet.Address(1).Hex():           "project_not_found",
		"/Projects/" + b.project.ID.String():                                                        "not_found",
		"/projects/" + b.project.ID.String() + "/leaderboards/":                                     "not_found",
	} {
		require.Equal(t, code, b.get("%s", path).code(), path)
	}
}

// crowded is a bench whose project has so many updaters, and the owner.
func crowded(t *testing.T, updaters int) *browser {
	t.Helper()
	w := newBrowser(t, nil)
	rec := score.RecordOf(w.project)
	for i := len(rec.Members); i <= updaters; i++ {
		rec.Members[common.BigToAddress(big.NewInt(int64(1_000_000+i)))] = score.Updater
	}
	w.final.records.Store(w.project.ID, rec)
	return w
}

// TestMembersComeInPages: by HTTP and on the page, each once, in the order of addresses; however many an owner adds on the contract, an
// answer is as long as it was, and counts by how many there are.
func TestMembersComeInPages(t *testing.T) {
	t.Parallel()
	const most = 5000
	w := crowded(t, most)
	seen, cursor, pages := map[any]bool{}, "", 0
	for more := true; more; pages++ {
		r := w.get("/projects/%s?limit=500%s", w.project.ID, cursor)
		require.Equal(t, http.StatusOK, r.status, r)
		require.EqualValues(t, most+1, r.body["members"])
		var next string
		next, more = r.body["next"].(string)
		cursor = "&cursor=" + next
		for _, list := range []string{"owners", "updaters"} {
			for _, member := range r.body[list].([]any) {
				require.False(t, seen[member] && list == "updaters", member)
				seen[member] = true
			}
		}
	}
	require.Len(t, seen, most+1)
	require.Equal(t, 11, pages)
	r := w.get("/projects/%s", w.project.ID)
	require.LessOrEqual(t, len(r.body["owners"].([]any))+len(r.body["updaters"].([]any)), 101)
	for _, query := range []string{"cursor=0x12", "limit=0", "limit=501", "after=x"} {
		require.Equal(t, "invalid_query", w.get("/projects/%s?%s", w.project.ID, query).code())
	}

	require.Equal(t, http.StatusSeeOther, w.signIn(w.secret.Reveal(), "/app").status)
	path, shown := "/app/projects/"+w.project.ID.String()+"/members", 0
	link := regexp.MustCompile(`href="([^"]+)" rel="next"`)
	for n := 0; ; n++ {
		r := w.visit(http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, r.status)
		require.Less(t, len(r.raw), 100_000)
		require.Contains(t, r.raw, "5001 wallets")
		shown += strings.Count(r.raw, "Remove updater</a>")
		next := link.FindStringSubmatch(r.raw)
		if next == nil {
			require.Equal(t, most/50, n)
			break
		}
		path = html.UnescapeString(next[1])
	}
	require.GreaterOrEqual(t, shown, most-1)
	require.Equal(t, http.StatusBadRequest, w.visit(http.MethodGet, "/app/projects/"+w.project.ID.String()+"/members?after=x", nil).status)

	w.withTerms(apikey.Terms{LookUps: 10})
	r = w.get("/projects/%s", w.project.ID)
	require.Equal(t, http.StatusOK, r.status)
	units, _ := left(t, r, "look-ups")
	require.InDelta(t, 7, units, 1, "5,001 members count as three")

	for screen, cost := range map[string]int{"members/": 3, "%6dembers": 3, "edit?operation=add+owner&member=" + devnet.Address(1).Hex(): 3, "actions": 1} {
		w.withTerms(apikey.Terms{LookUps: 10})
		require.Equal(t, http.StatusSeeOther, w.signIn(w.secret.Reveal(), "/app").status)
		r = w.look("/app/projects/" + w.project.ID.String() + "/" + screen)
		units, _ := left(t, r, "look-ups")
		require.InDelta(t, 10-cost, units, 1, screen)
	}
}
