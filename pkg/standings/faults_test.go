package standings_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

var errFault = errors.New("the connection broke")

// faults has one script fail, before Redis runs it or before its answer is read.
type faults struct {
	in    int // how many scripts from now; 0: none
	after bool
}

// broken lets faults into a client.
func broken(client *redisdb.Client) *faults {
	f := &faults{}
	client.Pause = 0
	client.AddHook(f)
	return f
}

func (f *faults) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (f *faults) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f *faults) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !strings.HasPrefix(cmd.Name(), "eval") || f.in == 0 {
			return next(ctx, cmd)
		}
		if f.in--; f.in > 0 {
			return next(ctx, cmd)
		}
		if f.after {
			_ = next(ctx, cmd)
		}
		cmd.SetErr(errFault)
		return errFault
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
			secondScoreType(t, client, broken(client))
		})
	}
}

func secondScoreType(t *testing.T, client *redisdb.Client, fault *faults) {
	ctx, wallets := t.Context(), 2*1000+1
	s, generation := setup(t, client)
	keys := s.Keys(generation, project)
	var executions []score.Execution
	for n := range wallets {
		executions = append(executions, applied(2, common.Address{18: byte(n >> 8), 19: byte(n)}, int64(n)))
	}
	executions[7].Points = 1<<60 + 1
	at := mark(1, 0)
	for len(executions) > 0 {
		some := executions[:min(score.MaxPart, len(executions))]
		to := mark(2, at.Count+uint32(len(some)))
		require.NoError(t, s.Append(ctx, generation, part(at, to, some...)))
		at, executions = to, executions[len(some):]
	}
	require.Zero(t, client.Exists(ctx, keys[5]).Val(), "one board is enough")

	last := int64(wallets - 1)
	is := func(types ...int64) {
		t.Helper()
		for board, first := range types {
			page, _, err := s.Page(ctx, project, board, &score.Cursor{Score: 1 << 60}, 1)
			require.NoError(t, err)
			require.Equal(t, []score.Standing{standing(common.Address{18: byte((wallets - 1) >> 8), 19: byte(wallets - 1)}, first, page.Standings[0].Rank)}, page.Standings)
		}
		scores, _, err := s.Scores(ctx, project, 2, []common.Address{{19: 7}})
		require.NoError(t, err)
		require.EqualValues(t, 1<<60+1, scores[0][0])
	}
	is(last)
	second := applied(5, common.Address{18: byte((wallets - 1) >> 8), 19: byte(wallets - 1)}, 9)
	second.ScoreType = 1
	first := second
	first.ScoreType, first.Block = 0, 4
	for in := 1; ; in++ {
		fault.in, fault.after = in, in%2 == 0
		err := s.Append(ctx, generation, part(at, mark(6, 0), second))
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errFault)
		fault.in = 0
		if in == 4 { // while some are copied, another relayer appends what comes before
			require.NoError(t, s.Append(ctx, generation, part(at, mark(5, 0), first)))
			at, last = mark(5, 0), last+9
		}
		if marks, err := s.Marks(ctx, generation, []score.ProjectID{project}); err == nil && *marks[0] == at {
			is(last)
		}
		require.Less(t, in, 20)
	}
	fault.in = 0
	is(last, 9)
	page, _, err := s.Page(ctx, project, score.Total, &score.Cursor{Score: 1 << 60}, 1)
	require.NoError(t, err)
	require.Equal(t, last+9, page.Standings[0].Score)
	for board, want := range map[int]int{5: wallets, 4: wallets, 6: 1} {
		require.EqualValues(t, want, client.ZCard(ctx, keys[board]).Val())
	}
}
