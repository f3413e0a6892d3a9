package httpapi_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// noon is when the tests' blocks were made.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// projected plays the projector: it projects the bench's project again, with these executions, as of a block of noon.
func (b *bench) projected(block uint64, executions ...score.Execution) {
	b.t.Helper()
	b.projectedAt(noon, block, executions...)
}

func (b *bench) projectedAt(time time.Time, block uint64, executions ...score.Execution) {
	b.t.Helper()
	ctx := b.t.Context()
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	begun, err := b.standings.Checkpoint(ctx)
	require.NoError(b.t, err)
	at, err := b.standings.Begin(ctx, begun.Generation, block)
	require.NoError(b.t, err)
	require.NoError(b.t, b.standings.Create(ctx, at.Generation, b.project.ID, score.Mark{Block: 1}))
	b.append(at.Generation, score.Mark{Block: 1}, block, executions)
	b.advance(at, time, block)
}

func (b *bench) append(generation uint64, after score.Mark, block uint64, executions []score.Execution) {
	b.t.Helper()
	for len(executions) > 0 {
		n := min(len(executions), score.MaxPart)
		to := score.Mark{Block: executions[n-1].Block, Count: 1}
		for i := n - 2; i >= 0 && executions[i].Block == to.Block; i-- {
			to.Count++
		}
		if after.Block == to.Block {
			to.Count += after.Count
		}
		require.NoError(b.t, b.standings.Append(b.t.Context(), generation, score.Part{Project: b.project.ID, From: after, To: to, Executions: executions[:n]}))
		executions, after = executions[n:], to
	}
}

func (b *bench) advance(from score.Checkpoint, time time.Time, block uint64) {
	b.t.Helper()
	to := from
	to.Block, to.Hash, to.Time = block, common.Hash{byte(block)}, time
	require.NoError(b.t, b.standings.Advance(b.t.Context(), from, to))
}

// execution is that of an update which gave a wallet points, by the bench's action "buy" (10) unless said otherwise.
func execution(n int, target common.Address, change ...func(*score.Execution)) score.Execution {
	e := score.Execution{
		Update: score.Update{ID: updateID(fmt.Sprint(n)), Target: target, Signer: devnet.Address(1)}, Points: 10, Outcome: score.Applied, Tx: updateTx,
		Block: 7, Time: noon, Gas: 30_000, Fee: 60_000_000_000_000,
	}
	for _, each := range change {
		each(&e)
	}
	return e
}

func player(n int) (a common.Address) {
	binary.BigEndian.PutUint32(a[16:], uint32(n))
	return a
}

func lower(a common.Address) string { return strings.ToLower(a.Hex()) }

func TestALeaderboardIsReadByPages(t *testing.T) {
	b := newBench(t, nil).withProject()
	var executions []score.Execution
	for n := 1; n <= 5; n++ { // of whom 2 and 3 have the same score
		points := int64([]int{0, 50, 40, 40, -10, -20}[n])
		executions = append(executions, execution(n, player(n), func(e *score.Execution) { e.Points = points }))
	}
	executions = append(executions, execution(6, player(4), func(e *score.Execution) { e.ScoreType, e.Points = 1, math.MaxInt32 }))
	b.projected(9, executions...)
	board := func(path string) (ranks []float64, wallets, scores []string, next string) {
		t.Helper()
		r := b.get("/projects/%s/leaderboards/%s", b.project.ID, path).ok()
		require.Equal(t, object{"block": 9.0, "time": "2026-11-23T12:00:00Z"}, r.body["asOf"])
		for _, each := range r.body["standings"].([]any) {
			s := each.(object)
			ranks, wallets, scores = append(ranks, s["rank"].(float64)), append(wallets, s["wallet"].(string)), append(scores, s["score"].(string))
		}
		next, _ = r.body["next"].(string)
		return ranks, wallets, scores, next
	}
	ranks, all, scores, next := board("reputation")
	require.Equal(t, []float64{1, 2, 2, 4, 5}, ranks)
	require.Equal(t, []string{"50", "40", "40", "-10", "-20"}, scores)
	require.Empty(t, next)
	require.Equal(t, all, paged(func(cursor string) ([]string, string) {
		_, wallets, _, next := board("reputation?limit=2" + cursor)
		return wallets, next
	}))
	ranks, wallets, _, _ := board("reputation?limit=1&around=" + player(4).Hex())
	require.Equal(t, []float64{4}, ranks)
	require.Equal(t, []string{lower(player(4))}, wallets)
	_, wallets, _, _ = board("reputation?limit=3&around=" + player(4).Hex())
	require.Equal(t, all[2:], wallets)
	_, wallets, _, _ = board("reputation?around=" + player(99).Hex())
	require.Empty(t, wallets, "it has no score")
	_, wallets, scores, _ = board("volume")
	require.Equal(t, []string{lower(player(4))}, wallets)
	require.Equal(t, []string{"2147483647"}, scores)
	_, wallets, scores, _ = board("total?limit=1")
	require.Equal(t, []string{lower(player(4))}, wallets)
	require.Equal(t, []string{"2147483637"}, scores)

	for path, says := range map[string]string{
		"reputation?limit=501":       "limit must be an integer from 1 to 500",
		"reputation?limt=5":          "there is no parameter \"limt\"",
		"reputation?limit=5&limit=6": "\"limit\" is there twice",
		"reputation?%FF=5":           `there is no parameter "\xff"`,
		"reputation?cursor=AAAA":     "cursor: not a cursor",
		"reputation?around=0x12":     "around: ",
		"total?around=" + player(1).Hex() + "&cursor=" + b.get("/projects/%s/leaderboards/total?limit=1", b.project.ID).body["next"].(string): "cursor and around exclude each other",
	} {
		r := b.get("/projects/%s/leaderboards/%s", b.project.ID, path)
		require.Equal(t, "invalid_query", r.code(), path)
		require.Contains(t, r.body["detail"], says, path)
	}
	require.Equal(t, "unknown_score_type", b.get("/projects/%s/leaderboards/fame", b.project.ID).code())
	require.Equal(t, "invalid_path", b.wire("GET /projects/"+b.project.ID.String()+"/leaderboards/%zz HTTP/1.1\r\nHost: x\r\nX-API-KEY: "+b.secret.Reveal()+"\r\n\r\n").code())
	require.Equal(t, "project_not_found", b.get("/projects/%s/leaderboards/total", score.ProjectID{1}).code())
}

func TestScoreTypesOfAnyNameHaveABoard(t *testing.T) {
	b := newBench(t, nil)
	b.project.ScoreTypes = []string{"a/b c?ü%", "total"}
	b.withProject().projected(9, execution(1, player(1)))
	r := b.get("/projects/%s/leaderboards/%s", b.project.ID, "a%2Fb%20c%3F%C3%BC%25")
	require.Equal(t, "a/b c?ü%", r.body["scoreType"], r)
	require.Nil(t, b.get("/projects/%s/leaderboards/total", b.project.ID).body["scoreType"], "the sum")
}

func TestFinalScoresOfManyWallets(t *testing.T) {
	b := newBench(t, nil).withProject()
	large := func(e *score.Execution) { e.ScoreType, e.Points = 1, math.MaxInt64-10 }
	b.projected(9, execution(1, player(1)), execution(2, player(2), large), execution(3, player(2)))
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = player(i).Hex()
	}
	r := b.get("/projects/%s/scores?wallets=%s", b.project.ID, strings.Join(texts, ",")).ok()
	require.Equal(t, []any{"reputation", "volume"}, r.body["scoreTypes"])
	wallets := r.body["wallets"].([]any)
	require.Len(t, wallets, 500)
	require.Equal(t, []any{
		object{"wallet": lower(player(0)), "scores": []any{"0", "0"}, "total": "0"},
		object{"wallet": lower(player(1)), "scores": []any{"10", "0"}, "total": "10"},
		object{"wallet": lower(player(2)), "scores": []any{"10", "9223372036854775797"}, "total": "9223372036854775807"},
	}, wallets[:3])
	for query, says := range map[string]string{
		"":                                     "wallets is missing",
		"?wallets=":                            "wallets: ",
		"?wallets=0x12":                        "wallets: ",
		"?wallets=" + strings.Repeat(",", 500): "at most 500, not 501",
	} {
		r := b.get("/projects/%s/scores%s", b.project.ID, query)
		require.Equal(t, "invalid_query", r.code(), query)
		require.Contains(t, r.body["detail"], says)
	}
}

func TestStatisticsAreByDay(t *testing.T) {
	b := newBench(t, nil).withProject()
	on := func(day int) func(*score.Execution) {
		return func(e *score.Execution) { e.Time, e.Block = noon.AddDate(0, 0, day), uint64(7+day) }
	}
	rejected := func(e *score.Execution) { e.Outcome = score.NotMember }
	b.projected(12, execution(1, player(1), on(0)), execution(2, player(1), on(2)), execution(3, player(2), on(2)), execution(4, player(3), on(2), rejected))
	r := b.get("/projects/%s/stats?from=2026-11-01&to=2026-11-30", b.project.ID)
	require.Equal(t, object{
		"projectId": b.project.ID.String(), "updates": 3.0, "wallets": 2.0, "lastUpdate": "2026-11-25T12:00:00Z",
		"days": []any{
			object{"date": "2026-11-23", "applied": 1.0, "rejected": 0.0, "wallets": 1.0, "gas": 30_000.0, "fee": "60000000000000"},
			object{"date": "2026-11-25", "applied": 2.0, "rejected": 1.0, "wallets": 1.0, "gas": 90_000.0, "fee": "180000000000000"},
		},
		"asOf": object{"block": 12.0, "time": "2026-11-23T12:00:00Z"},
	}, r.body)
	require.Len(t, b.get("/projects/%s/stats?to=2026-11-23", b.project.ID).body["days"], 1)
	for _, query := range []string{"from=2026-11-24&to=2026-11-23", "from=2025-11-22&to=2026-11-23", "from=yesterday", "to=2026-02-30"} {
		require.Equal(t, "invalid_query", b.get("/projects/%s/stats?%s", b.project.ID, query).code(), query)
	}
	b.get("/projects/%s/stats?from=2025-11-23&to=2026-11-23", b.project.ID).ok()
}

func TestProjectsAreListed(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.projected(9, execution(1, player(1)), execution(2, player(1)))
	ids := []string{b.project.ID.String()}
	for n := range 4 {
		id := b.project.ID
		id[31] ^= byte(n + 1)
		b.final.records.Store(id, &score.Record{ID: id, Name: fmt.Sprint(n)})
		ids = append(ids, id.String())
	}
	list := func(query string) (listed []string, next string) {
		t.Helper()
		r := b.get("/projects%s", query).ok()
		for _, each := range r.body["projects"].([]any) {
			listed = append(listed, each.(object)["projectId"].(string))
			if listed[len(listed)-1] == ids[0] {
				require.Equal(t, object{"projectId": ids[0], "name": b.project.Name, "updates": 2.0, "wallets": 1.0}, each)
			} else {
				require.Nil(t, each.(object)["updates"], "not projected yet")
			}
		}
		next, _ = r.body["next"].(string)
		return listed, next
	}
	all, next := list("")
	require.ElementsMatch(t, ids, all)
	require.IsIncreasing(t, all)
	require.Empty(t, next)
	require.Equal(t, all, paged(func(cursor string) ([]string, string) { return list("?limit=2" + cursor) }))

	b.withTerms(apikey.Terms{Projects: []score.ProjectID{b.project.ID, {9}}})
	mine, _ := list("")
	require.Equal(t, ids[:1], mine, "those of the key that exist")
	require.Equal(t, "key_other_projects", b.get("/projects/%s/leaderboards/total", ids[1]).code())
}

func TestWhatIsRebuiltIsNotTold(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	at, err := b.standings.Begin(t.Context(), 0, 1000)
	require.NoError(t, err)
	b.advance(at, noon, 400)
	for _, path := range []string{"", "/%s/leaderboards/total", "/%s/scores?wallets=" + player(1).Hex(), "/%s/stats", "/%s/wallets/" + player(1).Hex() + "/history"} {
		if path != "" {
			path = fmt.Sprintf(path, b.project.ID)
		}
		r := b.get("/projects%s", path)
		require.Equal(t, "index_rebuilding", r.code(), path)
		require.Contains(t, r.body["detail"], "of 1000", path)
		require.Equal(t, "5", r.header.Get("Retry-After"))
	}
	require.Equal(t, http.StatusOK, b.get("/projects/%s/scores/%s", b.project.ID, player(1)).status, "the chain tells")
}

// TestARebuildThatHasNotBegun says so, and names no block.
func TestARebuildThatHasNotBegun(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	r := b.get("/projects/%s/stats", b.project.ID)
	require.Equal(t, "index_rebuilding", r.code())
	require.Equal(t, "not begun yet; a relayer begins by itself", r.body["detail"])
}

// carryTo carries out an update for each target, of ids that count up, and returns the block.
func (b *bench) carryTo(first int, targets ...common.Address) uint64 {
	b.t.Helper()
	group := batch.Group{Project: b.project.ID, Signer: devnet.Address(1), Kind: score.KindFree}
	for i, target := range targets {
		group.Updates = append(group.Updates, returned(b.project.ID, 1, fmt.Sprint(first+i)).Updates...)
		group.Updates[i].Target = target
	}
	return b.carry(group)
}

// paged reads pages from the first to the last, each by the one before's cursor.
func paged(page func(cursor string) (some []string, next string)) (all []string) {
	for cursor := ""; ; {
		some, next := page(cursor)
		if all = append(all, some...); next == "" {
			return all
		}
		cursor = "&cursor=" + next
	}
}

// TestAWalletsHistory: two batches are projected, one is not; the contract's logs tell of the first as the projection does.
func TestAWalletsHistory(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	one := b.carryTo(1, player(1), player(2), player(1))
	two := b.carryTo(4, player(1))
	at := func(block uint64) func(*score.Execution) {
		return func(e *score.Execution) { e.Block, e.Action, e.Points = block, 1, -3 }
	}
	first := []score.Execution{execution(1, player(1), at(one)), execution(2, player(2), at(one)), execution(3, player(1), at(one)), execution(4, player(1), at(two))}
	b.projected(two, first...)
	three := b.carryTo(5, player(1))
	b.chain.final.Store(two)
	path := "/projects/" + b.project.ID.String() + "/wallets/" + player(1).Hex() + "/history"
	told := func(query string) (ids []string, next string) {
		t.Helper()
		r := b.get("%s%s", path, query).ok()
		require.Equal(t, float64(two), r.body["asOf"].(object)["block"])
		for _, each := range r.body["history"].([]any) {
			e := each.(object)
			ids = append(ids, e["updateId"].(string))
			require.Equal(t, []any{"return", -3.0, "reputation", lower(devnet.Address(1)), "applied"},
				[]any{e["action"], e["points"], e["scoreType"], e["signer"], e["outcome"]})
			status := "included"
			if e["blockNumber"].(float64) <= float64(two) {
				status = "final"
			}
			require.Equal(t, status, e["status"])
		}
		next, _ = r.body["next"].(string)
		return ids, next
	}
	want := []string{updateID("5").String(), updateID("4").String(), updateID("3").String(), updateID("1").String()}
	ids, next := told("")
	require.Equal(t, want, ids)
	require.Empty(t, next)
	ids, _ = told("?final=true")
	require.Equal(t, want[1:], ids)
	for limit := 1; limit <= 4; limit++ {
		require.Equal(t, want, paged(func(cursor string) ([]string, string) { return told(fmt.Sprintf("?limit=%d%s", limit, cursor)) }))
	}
	b.chain.down.Store(true)
	require.Equal(t, "chain_unavailable", b.get("%s", path).code())
	ids, _ = told("?final=true")
	require.Equal(t, want[1:], ids, "without the chain")
	b.chain.down.Store(false)

	// So many others came since that the projection keeps none of the wallet's.
	for n := range score.MaxRecent + 1 {
		first = append(first, execution(100+n, player(3), func(e *score.Execution) { e.Block = three }))
	}
	b.projected(three, first...)
	require.Eventually(t, func() bool { return b.get("%s", path).body["asOf"].(object)["block"] == float64(three) }, time.Minute, 10*time.Millisecond)
	two = three
	ids, _ = told("")
	require.Equal(t, want, ids, "by the logs")
	require.Equal(t, "invalid_query", b.get("%s?cursor=AAAA", path).code())
}

func TestWhatTakesLongCostsMoreThanOneLookUp(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.projected(9, execution(1, player(1)))
	b.withTerms(apikey.Terms{LookUps: 100})
	leaves := func(path string) (units, back int) { // back: look-ups that may have come back since the first was taken
		b.withTerms(apikey.Terms{LookUps: 100})
		began := time.Now()
		units, _ = left(t, b.get("/projects/%s%s", b.project.ID, path).ok(), "look-ups")
		return units, int(100*time.Since(began).Seconds()) + 1
	}
	takesOne := func(path string) {
		units, _ := leaves(path)
		require.Equal(t, 99, units, path)
	}
	takesOne("/leaderboards/total")
	takesOne("/wallets/" + player(1).Hex() + "/history?final=true") // it asks Redis alone
	units, back := leaves("/wallets/" + player(1).Hex() + "/history")
	require.LessOrEqual(t, units, 95+back, "it reads the logs of what is not final")
	many := "/scores?wallets=" + strings.Repeat(player(1).Hex()+",", 499) + player(1).Hex()
	takesOne(many)
	for n := len(b.project.ScoreTypes); n < score.MaxScoreTypes; n++ {
		b.project.ScoreTypes = append(b.project.ScoreTypes, strconv.Itoa(n))
	}
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	units, back = leaves(many)
	require.GreaterOrEqual(t, units, 84, "32,000 scores")
	require.LessOrEqual(t, units, 84+back, "32,000 scores")
	b.withTerms(apikey.Terms{LookUps: 1})
	for _, path := range []string{"/wallets/" + player(1).Hex() + "/history", many} {
		require.Equal(t, http.StatusOK, b.get("/projects/%s%s", b.project.ID, path).status, "a key may always have one")
		b.withTerms(apikey.Terms{LookUps: 1})
	}
}
