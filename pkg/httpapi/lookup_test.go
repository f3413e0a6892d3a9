package httpapi_test

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
