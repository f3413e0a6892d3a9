package standings_test

import (
	"math/big"
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

var server *devnet.RedisServer

func TestMain(m *testing.M) {
	long.Beside(4)
	dir, err := os.MkdirTemp("", "scorelay-standings")
	if err == nil {
		server, err = devnet.StartRedis(dir, devnet.RedisOptions{})
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	server.Close()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var (
	project = score.ProjectID{1, '}'}
	other   = score.ProjectID{2}
	begin   = time.Date(2026, 11, 23, 23, 59, 0, 0, time.UTC)
)

// clientOf is a client of a Redis that may be slow.
func clientOf(t *testing.T, url string) *redisdb.Client {
	t.Helper()
	client, err := redisdb.Open(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout = time.Minute
	return client
}

// setup is a store whose generation is not rebuilding, as of block 5; the project is known to it from block 1 on.
func setup(t *testing.T, client *redisdb.Client) (*standings.Store, uint64) {
	t.Helper()
	s := standings.New(client, standings.Config{Prefix: t.Name() + "[x]:", Source: "here"})
	c, err := s.Begin(t.Context(), 0, 5)
	require.NoError(t, err)
	require.NoError(t, s.Advance(t.Context(), c, at(5)))
	require.NoError(t, s.Create(t.Context(), c.Generation, project, score.Mark{Block: 1}))
	s.Forget()
	return s, c.Generation
}

func at(block uint64) score.Checkpoint {
	return score.Checkpoint{
		Block: block, Hash: common.Hash{byte(block)}, Time: begin.Add(time.Duration(block) * time.Second), Position: "position", Process: "process",
		Back: "back", Anchor: "anchor", Anchored: begin,
	}
}

func wallet(n byte) common.Address { return common.Address{19: n} }

func applied(block uint64, to common.Address, points int64) score.Execution {
	return score.Execution{
		Update: score.Update{Project: project, ID: score.UpdateID{1}, Target: to, Signer: common.Address{9}, Action: 3}, Points: points, Tx: common.Hash{8},
		Block: block, Time: begin.Add(time.Duration(block) * time.Second), Gas: 2000, Fee: 1 << 63,
	}
}

func standing(of common.Address, n int64, rank uint64) score.Standing {
	return score.Standing{Wallet: of, Score: n, Rank: rank}
}

func mark(block uint64, count uint32) score.Mark { return score.Mark{Block: block, Count: count} }

func part(from, to score.Mark, executions ...score.Execution) score.Part {
	return score.Part{Project: project, From: from, To: to, Executions: executions}
}

func TestWhatIsAppendedIsRead(t *testing.T) {
	t.Parallel()
	for kind, start := range map[string]func(t *testing.T) string{
		"redis":    func(*testing.T) string { return server.URL },
		"embedded": embedded,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			appendAndRead(t, clientOf(t, start(t)))
		})
	}
}

func embedded(t *testing.T) string {
	embedded, err := devnet.StartRedis(t.TempDir(), devnet.RedisOptions{Embedded: true})
	require.NoError(t, err)
	t.Cleanup(embedded.Close)
	return embedded.URL
}

func appendAndRead(t *testing.T, client *redisdb.Client) {
	ctx := t.Context()
	s, generation := setup(t, client)
	rejected := applied(60, wallet(9), 7)
	rejected.Outcome, rejected.ScoreType = score.NotMember, 1
	second := applied(60, wallet(1), 1<<60+1)
	second.ScoreType = 1
	list := []score.Execution{applied(2, wallet(1), 7), applied(2, wallet(2), -3), rejected, second, applied(61, wallet(3), 7)}
	require.NoError(t, s.Append(ctx, generation, part(mark(1, 0), mark(62, 0), list...)))

	page, asOf, err := s.Page(ctx, project, 0, nil, 2)
	require.NoError(t, err)
	require.Equal(t, score.AsOf{Block: 5, Time: at(5).Time}, asOf)
	require.Equal(t, score.Page{Standings: []score.Standing{standing(wallet(3), 7, 1), standing(wallet(1), 7, 1)}, Wallets: 3, More: true}, page)
	page, _, err = s.Page(ctx, project, 0, &score.Cursor{Score: 7, Wallet: wallet(1)}, 2)
	require.NoError(t, err)
	require.Equal(t, score.Page{Standings: []score.Standing{standing(wallet(2), -3, 3)}, Wallets: 3}, page)
	page, _, err = s.Around(ctx, project, score.Total, wallet(3), 1)
	require.NoError(t, err)
	require.Equal(t, score.Page{Standings: []score.Standing{standing(wallet(3), 7, 2)}, Wallets: 3, More: true}, page)
	page, _, err = s.Around(ctx, project, 0, wallet(9), 10)
	require.NoError(t, err)
	require.Equal(t, score.Page{Standings: []score.Standing{}, Wallets: 3}, page)
	onBoards, asOf, err := s.BoardStandings(ctx, project, 3, wallet(1))
	require.NoError(t, err)
	require.Equal(t, score.AsOf{Block: 5, Time: at(5).Time}, asOf)
	require.Len(t, onBoards, 4)
	for i, want := range []struct {
		score   int64
		wallets uint64
	}{{1<<60 + 8, 3}, {7, 3}, {1<<60 + 1, 1}} {
		require.Equal(t, standing(wallet(1), want.score, 1), *onBoards[i].Standing)
		require.Equal(t, want.wallets, onBoards[i].Wallets)
	}
	require.Equal(t, score.BoardStanding{}, onBoards[3], "a board without a score")
	page, _, err = s.Page(ctx, project, 7, nil, 10)
	require.NoError(t, err)
	require.Equal(t, score.Page{Standings: []score.Standing{}}, page, "a board without a score")

	scores, _, err := s.Scores(ctx, project, 2, []common.Address{wallet(1), wallet(9)})
	require.NoError(t, err)
	require.Equal(t, [][]int64{{7, 1<<60 + 1}, {0, 0}}, scores)
	newest, _, err := s.Recent(ctx, project)
	require.NoError(t, err)
	require.Equal(t, []score.Execution{list[4], list[3], list[2], list[1], list[0]}, newest)
	daily, _, err := s.Days(ctx, project, begin.AddDate(0, 0, -400), begin.AddDate(0, 0, 1))
	require.NoError(t, err)
	fees := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), new(big.Int).Lsh(big.NewInt(1), 63)) }
	today := begin.Truncate(24 * time.Hour)
	require.Equal(t, []score.Day{
		{Date: today, Applied: 2, Gas: 4000, Fee: fees(2), Wallets: 2},
		{Date: today.AddDate(0, 0, 1), Applied: 2, Rejected: 1, Gas: 6000, Fee: fees(3), Wallets: 1},
	}, daily)
	daily, _, err = s.Days(ctx, project, begin, begin)
	require.NoError(t, err)
	require.Len(t, daily, 1)
	byDay, _, err := s.Applied(ctx, []score.ProjectID{other, project}, begin.AddDate(0, 0, -1), begin.AddDate(0, 0, 2))
	require.NoError(t, err)
	require.Equal(t, [][]uint64{{0, 0, 0, 0}, {0, 2, 2, 0}}, byDay)
	summaries, asOf, err := s.Summaries(ctx, []score.ProjectID{other, project})
	require.NoError(t, err)
	require.Equal(t, []*score.Summary{nil, {Updates: 4, Wallets: 3, Last: list[4].Time}}, summaries)
	require.EqualValues(t, 5, asOf.Block)
	marks, err := s.Marks(ctx, generation, []score.ProjectID{project, other})
	require.NoError(t, err)
	require.Equal(t, []*score.Mark{{Block: 62}, nil}, marks)

	_, _, err = s.Page(ctx, other, 0, nil, 2)
	require.ErrorIs(t, err, score.ErrNotProjected)
	_, _, err = s.Scores(ctx, other, 1, []common.Address{{}})
	require.ErrorIs(t, err, score.ErrNotProjected)
	_, _, err = s.Recent(ctx, other)
	require.ErrorIs(t, err, score.ErrNotProjected)
	_, _, err = s.Days(ctx, other, begin, begin)
	require.ErrorIs(t, err, score.ErrNotProjected)

	back := applied(63, wallet(1), -1<<60)
	back.ScoreType = 1
	require.NoError(t, s.Append(ctx, generation, part(mark(62, 0), mark(63, 1), back)))
	require.Zero(t, client.Exists(ctx, s.Keys(generation, project)[1]).Val(), "a score that a float64 holds again is kept once")
	scores, _, err = s.Scores(ctx, project, 2, []common.Address{wallet(1)})
	require.NoError(t, err)
	require.Equal(t, [][]int64{{7, 1}}, scores)
}

// TestAPartIsAddedOnce: repeated, overlapping and late parts add nothing; one that begins too late is a gap.
func TestAPartIsAddedOnce(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), clientOf(t, server.URL)
	s, generation := setup(t, client)
	has := func(want int64) {
		t.Helper()
		scores, _, err := s.Scores(ctx, project, 1, []common.Address{wallet(1)})
		require.NoError(t, err)
		require.Equal(t, [][]int64{{want}}, scores)
	}
	one, two, three, four := applied(2, wallet(1), 1), applied(2, wallet(1), 10), applied(3, wallet(1), 100), applied(9, wallet(1), 1000)
	for range 2 {
		require.NoError(t, s.Append(ctx, generation, part(mark(1, 0), mark(2, 1), one)))
		has(1)
	}
	for range 2 {
		require.NoError(t, s.Append(ctx, generation, part(mark(1, 0), mark(3, 1), one, two, three)))
		has(111)
	}
	var gap *score.GapError
	require.ErrorAs(t, s.Append(ctx, generation, part(mark(4, 0), mark(9, 1), four)), &gap)
	require.Equal(t, mark(3, 1), gap.Mark)
	require.NoError(t, s.Append(ctx, generation, part(mark(3, 1), mark(4, 0))))
	require.NoError(t, s.Append(ctx, generation, part(mark(2, 1), mark(10, 0), two, three, four)))
	has(1111)
	require.NoError(t, s.Create(ctx, generation, project, mark(0, 0)))
	require.NoError(t, s.Append(ctx, generation, part(mark(1, 0), mark(9, 1), one, two, three, four)))
	has(1111)

	require.ErrorContains(t, s.Append(ctx, generation, part(mark(10, 0), mark(11, 0), applied(11, wallet(1), 1))), "ends at block 11")
	require.ErrorContains(t, s.Append(ctx, generation, part(mark(10, 0), mark(12, 0), applied(9, wallet(1), 1))), "not in the order")
	require.ErrorContains(t, s.Append(ctx, generation, part(mark(10, 0), mark(12, 0), applied(10, wallet(1), 1<<62), applied(10, wallet(1), 1<<62))), "no int64")
	has(1111)
	elsewhere := part(mark(1, 0), mark(2, 1), one)
	elsewhere.Project = other
	require.ErrorIs(t, s.Append(ctx, generation, elsewhere), score.ErrNotProjected)
	require.ErrorIs(t, s.Append(ctx, generation+1, part(mark(10, 0), mark(11, 0))), score.ErrNotProjected)
}

// TestGenerations: one begins after the other, and what is of an old one is removed.
func TestGenerations(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), clientOf(t, server.URL)
	s := standings.New(client, standings.Config{Prefix: t.Name() + "*:", Source: "here"})
	c, err := s.Checkpoint(ctx)
	require.NoError(t, err)
	require.Zero(t, c)
	var rebuilding *score.RebuildingError
	_, _, err = s.Page(ctx, project, 0, nil, 1)
	require.ErrorAs(t, err, &rebuilding)
	require.Zero(t, *rebuilding)

	first, err := s.Begin(ctx, 0, 9)
	require.NoError(t, err)
	require.NotZero(t, first.Generation)
	again, err := s.Begin(ctx, 0, 10)
	require.NoError(t, err)
	require.Equal(t, first, again, "another writer began it")
	eight := at(8)
	eight.Generation, eight.Target = first.Generation, 9
	for range 2 { // the answer was lost
		require.NoError(t, s.Advance(ctx, first, eight))
	}
	require.ErrorIs(t, s.Advance(ctx, first, at(9)), score.ErrFoldMoved)
	s.Forget()
	_, _, err = s.Summaries(ctx, []score.ProjectID{project})
	require.ErrorAs(t, err, &rebuilding)
	require.Equal(t, score.RebuildingError{Block: 8, Target: 9}, *rebuilding)
	nine := at(9)
	nine.Generation, nine.Target = first.Generation, 8
	require.NoError(t, s.Advance(ctx, eight, nine))
	c, err = s.Checkpoint(ctx)
	require.NoError(t, err)
	require.Equal(t, nine, c, "with a lower target")
	require.NoError(t, s.Create(ctx, first.Generation, project, mark(1, 0)))
	require.NoError(t, s.Append(ctx, first.Generation, part(mark(1, 0), mark(2, 1), applied(2, wallet(1), 1<<60))))
	s.Forget()
	_, _, err = s.Page(ctx, project, 0, nil, 1)
	require.NoError(t, err)

	second, err := s.Begin(ctx, first.Generation, 0)
	require.NoError(t, err)
	require.Equal(t, score.Checkpoint{Generation: second.Generation}, second)
	require.Greater(t, second.Generation, first.Generation)
	require.ErrorIs(t, s.Advance(ctx, nine, at(10)), score.ErrFoldMoved)
	require.NoError(t, s.Create(ctx, second.Generation, project, mark(7, 0)))
	require.NoError(t, s.Create(ctx, second.Generation, other, mark(7, 0)))
	require.NoError(t, s.Sweep(ctx, second.Generation))
	require.Zero(t, client.Exists(ctx, s.Keys(first.Generation, project)...).Val())
	require.Equal(t, first.Generation, s.Remembers().Generation)
	page, _, err := s.Page(ctx, project, 0, nil, 1)
	require.NoError(t, err, "the generation that is remembered is gone")
	require.Zero(t, page.Wallets)
	marks, err := s.Marks(ctx, second.Generation, []score.ProjectID{project, other})
	require.NoError(t, err)
	require.Equal(t, []*score.Mark{{Block: 7}, {Block: 7}}, marks)

	elsewhere := standings.New(client, standings.Config{Prefix: t.Name() + "*:", Source: "there"})
	c, err = elsewhere.Checkpoint(ctx)
	require.NoError(t, err)
	require.Zero(t, c, "of another contract")
	third, err := elsewhere.Begin(ctx, 0, 5)
	require.NoError(t, err)
	require.Greater(t, third.Generation, second.Generation)
}
