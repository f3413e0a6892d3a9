package standings_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

// scripts has the scripts that a client runs follow a plan, each as a write.
type scripts struct{ *fault.Plan }

// planned has a client's scripts follow the plan that it returns.
func planned(client *redisdb.Client) *fault.Plan {
	client.Pause = 0
	plan := &fault.Plan{}
	client.AddHook(scripts{plan})
	return plan
}

func (scripts) DialHook(next redis.DialHook) redis.DialHook { return next }

func (scripts) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s scripts) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) (err error) {
		if !strings.HasPrefix(cmd.Name(), "eval") {
			return next(ctx, cmd)
		}
		// That Redis does not know a script yet is an answer that is lost as any other one.
		if lost := s.Write("script", func() error { err = next(ctx, cmd); return nil }); lost != nil {
			cmd.SetErr(lost)
			return lost
		}
		return err
	}
}

// TestASecondScoreTypeComes: the board of the first one is copied from the total, however often that is interrupted, and what is read meanwhile is right.
func TestASecondScoreTypeComes(t *testing.T) {
	t.Parallel()
	for kind, start := range map[string]func(t *testing.T) string{
		"redis":    func(*testing.T) string { return server.URL },
		"embedded": embedded,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			client := clientOf(t, start(t))
			secondScoreType(t, client, planned(client))
		})
	}
}

func secondScoreType(t *testing.T, client *redisdb.Client, plan *fault.Plan) {
	ctx, wallets := t.Context(), 2*standings.MaxSpread+1
	s, generation := setup(t, client)
	keys := s.Keys(generation, project)
	var executions []score.Execution
	for n := range wallets {
		executions = append(executions, applied(2, common.Address{18: byte(n >> 8), 19: byte(n)}, int64(n)))
	}
	executions[7].Points = -1<<60 - 1 // the first that is copied
	at := mark(1, 0)
	for len(executions) > 0 {
		some := executions[:min(score.MaxPart, len(executions))]
		to := mark(2, at.Count+uint32(len(some)))
		require.NoError(t, s.Append(ctx, generation, part(at, to, some...)))
		at, executions = to, executions[len(some):]
	}
	require.Zero(t, client.Exists(ctx, keys[5]).Val(), "one board is enough")

	last, seventh := int64(wallets-1), int64(-1<<60-1)
	is := func(types ...int64) {
		t.Helper()
		for board, first := range types {
			page, _, err := s.Page(ctx, project, board, nil, 1)
			require.NoError(t, err)
			require.Equal(t, []score.Standing{standing(common.Address{18: byte((wallets - 1) >> 8), 19: byte(wallets - 1)}, first, 1)}, page.Standings)
		}
		scores, _, err := s.Scores(ctx, project, 2, []common.Address{{19: 7}})
		require.NoError(t, err)
		require.Equal(t, seventh, scores[0][0])
	}
	is(last)
	second := applied(5, common.Address{18: byte((wallets - 1) >> 8), 19: byte(wallets - 1)}, 9)
	second.ScoreType = 1
	first := second
	first.ScoreType, first.Block = 0, 4
	small := applied(4, common.Address{19: 7}, 1<<60+1)
	for in := 1; ; in++ {
		plan.Set(fault.Nth(in, []fault.Kind{fault.Persisted, fault.Failed}[in%2]))
		err := s.Append(ctx, generation, part(at, mark(6, 0), second))
		if err == nil {
			break
		}
		require.ErrorIs(t, err, fault.Err)
		plan.Set(nil)
		if in == 4 { // while some are copied, another relayer appends what comes before
			require.NoError(t, s.Append(ctx, generation, part(at, mark(5, 0), first, small)))
			at, last, seventh = mark(5, 0), last+9, 0
		}
		if marks, err := s.Marks(ctx, generation, []score.ProjectID{project}); err == nil && *marks[0] == at {
			is(last)
		}
		require.Less(t, in, 20)
	}
	plan.Set(nil)
	is(last, 9)
	require.NoError(t, s.Append(ctx, generation, part(mark(6, 0), mark(7, 0), applied(6, common.Address{19: 7}, -1<<53))))
	seventh = -1 << 53
	is(last, 9)
	page, _, err := s.Page(ctx, project, score.Total, nil, 1)
	require.NoError(t, err)
	require.Equal(t, last+9, page.Standings[0].Score)
	for board, want := range map[int]int{5: wallets, 4: wallets, 6: 1} {
		require.EqualValues(t, want, client.ZCard(ctx, keys[board]).Val())
	}
}

// TestTwoRelayersAppend: what one writes between two scripts of the other's append counts once, and so does what the other writes then.
func TestTwoRelayersAppend(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), clientOf(t, server.URL)
	plan, wallets := planned(client), 2*standings.MaxSpread+1
	s, generation := setup(t, client)
	at := mark(1, 0)
	for n := range wallets {
		next := mark(uint64(n+2), 1)
		require.NoError(t, s.Append(ctx, generation, part(at, next, applied(next.Block, common.Address{18: byte(n >> 8), 19: byte(n)}, int64(n)))))
		at = next
	}
	highest := common.Address{18: byte((wallets - 1) >> 8), 19: byte(wallets - 1)}
	has := func(want ...int64) {
		t.Helper()
		scores, _, err := s.Scores(ctx, project, 2, []common.Address{highest})
		require.NoError(t, err)
		require.Equal(t, [][]int64{want}, scores)
		page, _, err := s.Page(ctx, project, 0, nil, 1)
		require.NoError(t, err)
		require.EqualValues(t, wallets, page.Wallets)
	}
	meanwhile := func(in int, other, own score.Part) {
		happened := false
		plan.Before(in, func() {
			happened = true
			require.NoError(t, s.Append(ctx, generation, other))
		})
		require.NoError(t, s.Append(ctx, generation, own))
		require.True(t, happened)
	}
	one, two := applied(at.Block+1, highest, 10), applied(at.Block+2, highest, 100)
	begin, middle, end := mark(at.Block+1, 0), mark(at.Block+1, 1), mark(at.Block+2, 1)
	require.NoError(t, s.Append(ctx, generation, part(at, begin)))
	meanwhile(2, part(begin, end, one, two), part(begin, middle, one))
	has(int64(wallets-1)+110, 0)
	third, fourth := applied(end.Block+1, highest, 1), applied(end.Block+2, highest, 2)
	begin, middle, end = end, mark(end.Block+1, 1), mark(end.Block+2, 1)
	meanwhile(2, part(begin, middle, third), part(begin, end, third, fourth))
	has(int64(wallets-1)+113, 0)
	newest, _, err := s.Recent(ctx, project)
	require.NoError(t, err)
	require.Equal(t, []score.Execution{fourth, third, two, one}, newest[:4])

	// While the first type's board is copied, the highest wallet becomes the lowest, which was copied already.
	low, second := applied(end.Block+1, highest, -1_000_000), applied(end.Block+2, highest, 7)
	second.ScoreType = 1
	meanwhile(3, part(end, mark(end.Block+1, 1), low), part(end, mark(end.Block+2, 1), low, second))
	has(int64(wallets-1)+113-1_000_000, 7)
}

// TestARedisWithoutMemoryHoldsWhatItHad: an append is refused as a whole, and works when there is memory again.
func TestARedisWithoutMemoryHoldsWhatItHad(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	ctx, client := t.Context(), clientOf(t, fresh.Redis(t).URL)
	client.Pause = 0
	s, generation := setup(t, client)
	first, second := applied(2, wallet(1), 1), applied(3, wallet(1), 1<<60)
	second.ScoreType = 1
	require.NoError(t, s.Append(ctx, generation, part(mark(1, 0), mark(3, 0), first)))
	require.NoError(t, client.ConfigSet(ctx, "maxmemory", "1").Err())
	require.ErrorContains(t, s.Append(ctx, generation, part(mark(3, 0), mark(4, 0), second)), "OOM")
	require.ErrorContains(t, s.Append(ctx, generation, part(mark(3, 0), mark(4, 0), applied(3, wallet(1), 5))), "OOM")
	scores, _, err := s.Scores(ctx, project, 2, []common.Address{wallet(1)})
	require.NoError(t, err)
	require.Equal(t, [][]int64{{1, 0}}, scores)
	require.NoError(t, client.ConfigSet(ctx, "maxmemory", "0").Err())
	require.NoError(t, s.Append(ctx, generation, part(mark(1, 0), mark(4, 0), first, second)))
	scores, _, err = s.Scores(ctx, project, 2, []common.Address{wallet(1)})
	require.NoError(t, err)
	require.Equal(t, [][]int64{{1, 1 << 60}}, scores)
}
