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
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// TestAnUpdatesStatusFollowsIt, and a creation's.
func TestAnUpdatesStatusFollowsIt(t *testing.T) {
	b := newBench(t, nil).withProject()
	ctx := t.Context()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	project := "/projects/" + b.project.ID.String()
	for slot, c := range []struct {
		path string
		ref  score.Ref
	}{{project + "/updates/" + updateID("one").String(), b.refs("one")[0]}, {project, score.CreationRef(b.project.ID)}} {
		slot, refs := uint64(slot), []score.Ref{c.ref}
		is := func(stage string, outcome, tx, block any) {
			t.Helper()
			r := b.get("%s", c.path).ok()
			require.Equal(t, []any{stage, outcome, tx, block}, []any{r.body["status"], r.body["outcome"], r.body["transactionHash"], r.body["blockNumber"]})
		}
		is("accepted", nil, nil, nil)
		require.NoError(t, b.status.Bound(ctx, 1, slot, refs, 1<<30, nil))
		is("batched", nil, nil, nil)
		require.NoError(t, b.status.Slot(ctx, 1, 1, slot, score.Submitted, updateTx, 0))
		is("submitted", nil, updateTx.Hex(), nil)
		require.NoError(t, b.status.Slot(ctx, 1, 1, slot, score.Included, updateTx, 77))
		is("included", nil, updateTx.Hex(), 77.0)
		require.NoError(t, b.status.Final(ctx, updateTx, 78, refs, []score.Outcome{score.Applied}))
		is("final", "applied", updateTx.Hex(), 78.0) // of a creation, before the directory has it
	}
	require.Equal(t, object{
		"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": "final", "outcome": "applied",
		"transactionHash": updateTx.Hex(), "blockNumber": 78.0,
	}, b.lookUpOne("one").body)
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	known := b.get("%s", project).body
	require.Equal(t, []any{"final", "applied", updateTx.Hex(), 78.0}, []any{known["status"], known["outcome"], known["transactionHash"], known["blockNumber"]})
}

func TestAProjectTellsWhatToSignUnder(t *testing.T) {
	b := newBench(t, nil).withProject()
	r := b.get("/projects/%s", b.project.ID)
	require.Equal(t, object{
		"name": "Scorelay", "version": "1", "chainId": float64(devnet.ChainID), "verifyingContract": strings.ToLower(shared.contract.Hex()),
	}, r.body["signing"])
	var told struct{ Signing wallet.Domain }
	require.NoError(t, json.Unmarshal([]byte(r.raw), &told))
	require.Equal(t, "accepted", b.post("/update-score", b.typed("one", told.Signing)).body["status"], "a payload signed under it")

	large := startBench(t, func(s *setup) { s.config.ChainID = math.MaxUint64 }).withProject()
	r = large.get("/projects/%s", large.project.ID)
	require.Contains(t, r.raw, `"chainId":18446744073709551615,`, "no digit is lost")
	require.NoError(t, json.Unmarshal([]byte(r.raw), &told))
	require.Equal(t, "accepted", large.post("/update-score", large.typed("one", told.Signing)).body["status"])
}

// TestTheChainKnowsWhatRedisHasLost applies an update on the real contract that Redis never heard of.
func TestTheChainKnowsWhatRedisHasLost(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.Equal(t, "status_rebuilding", b.lookUpOne("one").code())
	zero := []any{object{"scoreType": "reputation", "score": "0"}, object{"scoreType": "volume", "score": "0"}}
	require.Equal(t, zero, b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)).body["scores"], "not on the chain yet")

	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	both := returned(b.project.ID, 1, "one", "two")
	both.Updates[1].Action, both.Updates[1].ScoreType = 0, 1
	b.carry(both)
	require.Equal(t, "status_rebuilding", b.lookUpOne("one").code(), "its transaction comes back")
	b.restored()
	r := b.lookUpOne("one")
	require.Equal(t, object{
		"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": "final", "outcome": "applied",
		"transactionHash": nil, "blockNumber": nil,
	}, r.body)

	r = b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)).ok()
	require.Equal(t, []any{object{"scoreType": "reputation", "score": "-3"}, object{"scoreType": "volume", "score": "10"}}, r.body["scores"])
	require.NotZero(t, r.body["blockNumber"])
	require.Equal(t, zero, b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(8)).body["scores"])
}

func TestPathsAreChecked(t *testing.T) {
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
	const most = 5000
	w := crowded(t, most)
	seen, pages := map[any]bool{}, 0
	paged(func(cursor string) (_ []string, next string) {
		pages++
		r := w.get("/projects/%s?limit=500%s", w.project.ID, cursor).ok()
		require.EqualValues(t, most+1, r.body["members"])
		for _, list := range []string{"owners", "updaters"} {
			for _, member := range r.body[list].([]any) {
				require.False(t, seen[member] && list == "updaters", member)
				seen[member] = true
			}
		}
		next, _ = r.body["next"].(string)
		return nil, next
	})
	require.Len(t, seen, most+1)
	require.Equal(t, 11, pages)
	r := w.get("/projects/%s", w.project.ID)
	require.LessOrEqual(t, len(r.body["owners"].([]any))+len(r.body["updaters"].([]any)), 101)
	for _, query := range []string{"cursor=0x12", "limit=0", "limit=501", "after=x"} {
		require.Equal(t, "invalid_query", w.get("/projects/%s?%s", w.project.ID, query).code())
	}

	require.Equal(t, http.StatusSeeOther, w.signIn(w.secret.Reveal(), "/app").status)
	path, shown := w.path()+"/members", 0
	link := regexp.MustCompile(`href="([^"]+)" rel="next"`)
	for n := 0; ; n++ {
		r := w.look(path).ok()
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
	require.Equal(t, http.StatusBadRequest, w.look(w.path()+"/members?after=x").status)

	w.withTerms(apikey.Terms{LookUps: 10})
	units, _ := left(t, w.get("/projects/%s", w.project.ID).ok(), "look-ups")
	require.InDelta(t, 7, units, 1, "5,001 members count as three")

	for screen, cost := range map[string]int{"members/": 3, "%6dembers": 3, "edit?operation=add+owner&member=" + devnet.Address(1).Hex(): 3, "actions": 1} {
		w.withTerms(apikey.Terms{LookUps: 10})
		require.Equal(t, http.StatusSeeOther, w.signIn(w.secret.Reveal(), "/app").status)
		r = w.look(w.path() + "/" + screen)
		units, _ := left(t, r, "look-ups")
		require.InDelta(t, 10-cost, units, 1, screen)
	}
}
