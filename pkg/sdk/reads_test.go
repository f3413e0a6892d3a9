package sdk_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/sdk"
)

const asOf = `"asOf":{"block":9,"time":"2026-11-23T12:00:00Z"}`

var (
	noon  = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	alice = common.HexToAddress("0x00000000000000000000000000000000000A11CE")
)

func TestProjects(t *testing.T) {
	t.Parallel()
	client, asked, _ := answering(t, 200, nil, `{"projects":[{"projectId":"`+project.String()+`","name":"Acme","updates":123,"wallets":7},
		{"projectId":"`+project.String()+`","name":"New","updates":null,"wallets":null}],"next":"0x12",`+asOf+`}`)
	list, err := client.Projects(t.Context(), sdk.Page{})
	require.NoError(t, err)
	require.Equal(t, "GET /projects", *asked)
	require.Equal(t, &sdk.ProjectList{
		Projects: []sdk.ProjectSummary{{ProjectID: project, Name: "Acme", Updates: 123, Wallets: 7}, {ProjectID: project, Name: "New"}},
		Next:     "0x12", AsOf: sdk.AsOf{Block: 9, Time: noon},
	}, list)
	_, err = client.Projects(t.Context(), sdk.Page{Limit: 5, Cursor: list.Next})
	require.NoError(t, err)
	require.Equal(t, "GET /projects?cursor=0x12&limit=5", *asked)
}

func TestLeaderboard(t *testing.T) {
	t.Parallel()
	client, asked, _ := answering(t, 200, nil, `{"wallets":2,"standings":[{"rank":1,"wallet":"`+alice.Hex()+`","score":"-9223372036854775808"}],"next":null,`+asOf+`}`)
	board, err := client.Leaderboard(t.Context(), project, "a/b ü", sdk.Page{Cursor: "x"})
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/leaderboards/a%2Fb%20%C3%BC?cursor=x", *asked)
	require.Equal(t, &sdk.Leaderboard{
		Wallets: 2, Standings: []sdk.Standing{{Rank: 1, Wallet: alice, Score: -9223372036854775808}}, AsOf: sdk.AsOf{Block: 9, Time: noon},
	}, board)
	_, err = client.Around(t.Context(), project, sdk.Total, alice, 5)
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/leaderboards/total?around="+alice.Hex()+"&limit=5", *asked)
}

func TestFinalScores(t *testing.T) {
	t.Parallel()
	client, asked, _ := answering(t, 200, nil, `{"scoreTypes":["skill"],"wallets":[{"wallet":"`+alice.Hex()+`","scores":["9223372036854775807"],"total":"9223372036854775807"}],`+asOf+`}`)
	scores, err := client.FinalScores(t.Context(), project, []common.Address{alice})
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/scores?wallets="+alice.Hex(), *asked)
	require.Equal(t, &sdk.FinalScores{
		ScoreTypes: []string{"skill"}, Scores: [][]int64{{9223372036854775807}}, Totals: []int64{9223372036854775807}, AsOf: sdk.AsOf{Block: 9, Time: noon},
	}, scores)
	_, err = client.FinalScores(t.Context(), project, []common.Address{alice, alice})
	require.ErrorIs(t, err, sdk.ErrAnswer)
	client, _, _ = answering(t, 200, nil, `{"scoreTypes":["skill"],"wallets":[{"scores":["1e3"],"total":"1"}]}`)
	_, err = client.FinalScores(t.Context(), project, []common.Address{alice})
	require.ErrorIs(t, err, sdk.ErrAnswer)
}

func TestHistory(t *testing.T) {
	t.Parallel()
	client, asked, _ := answering(t, 200, nil, `{"history":[{"updateId":"`+project.String()+`","action":"win","points":-5,"scoreType":"skill","signer":"`+alice.Hex()+`",
		"time":"2026-11-23T12:00:00Z","transactionHash":"`+project.String()+`","blockNumber":8,"status":"final","outcome":"applied"},
		{"updateId":"`+project.String()+`","action":null,"points":null,"scoreType":null,"signer":"`+alice.Hex()+`",
		"time":"2026-11-23T12:00:00Z","transactionHash":"`+project.String()+`","blockNumber":8,"status":"included","outcome":"unknown_action"}],"next":"y",`+asOf+`}`)
	history, err := client.History(t.Context(), project, alice, sdk.HistoryPage{Page: sdk.Page{Limit: 2}, Final: true})
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/wallets/"+alice.Hex()+"/history?final=true&limit=2", *asked)
	id := sdk.UpdateID(project)
	require.Equal(t, &sdk.History{History: []sdk.HistoryEntry{
		{UpdateID: id, Action: "win", Points: -5, ScoreType: "skill", Signer: alice, Time: noon, Tx: sdk.Hash(project), Block: 8, Stage: "final", Outcome: "applied"},
		{UpdateID: id, Signer: alice, Time: noon, Tx: sdk.Hash(project), Block: 8, Stage: "included", Outcome: "unknown_action"},
	}, Next: "y", AsOf: sdk.AsOf{Block: 9, Time: noon}}, history)
}

func TestStats(t *testing.T) {
	t.Parallel()
	day := `{"date":"2026-11-23","applied":1,"rejected":2,"wallets":3,"gas":4,"fee":"18446744073709551616"}`
	client, asked, _ := answering(t, 200, nil, `{"updates":1,"wallets":3,"lastUpdate":null,"days":[`+day+`],`+asOf+`}`)
	stats, err := client.Stats(t.Context(), project, noon.AddDate(0, 0, -1), noon)
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/stats?from=2026-11-22&to=2026-11-23", *asked)
	fee := new(big.Int).Lsh(big.NewInt(1), 64)
	require.Equal(t, &sdk.Stats{Updates: 1, Wallets: 3, Days: []sdk.Day{
		{Date: noon.Truncate(24 * time.Hour), Applied: 1, Rejected: 2, Wallets: 3, Gas: 4, Fee: fee},
	}, AsOf: sdk.AsOf{Block: 9, Time: noon}}, stats)
	client, _, _ = answering(t, 200, nil, `{"days":[{"date":"today","fee":"1"}]}`)
	_, err = client.Stats(t.Context(), project, noon, noon)
	var failed *sdk.Error
	require.ErrorAs(t, err, &failed)
}
