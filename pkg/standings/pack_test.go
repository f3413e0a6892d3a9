package standings_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

func packed() score.Execution {
	e := applied(1, wallet(1), math.MinInt64)
	e.Block, e.ScoreType, e.Outcome, e.Gas, e.Fee = math.MaxUint64, 63, score.BadSignature, math.MaxUint64, math.MaxUint64
	return e
}

func TestPackedExecutionsAreSmall(t *testing.T) {
	t.Parallel()
	e := packed()
	got, err := standings.Unpack(string(standings.Pack(&e)))
	require.NoError(t, err)
	got.Project = e.Project // whose key it has
	require.Equal(t, e, got)
	usual := applied(20_000_000, wallet(1), 100)
	usual.Fee = 2000 * 1e9
	require.LessOrEqual(t, len(standings.Pack(&usual)), 130)
}

// FuzzUnpack: reading what another program wrote into Redis ends with an error, or with what packs to what reads the same.
func FuzzUnpack(f *testing.F) {
	e := packed()
	f.Add(string(standings.Pack(&e)))
	d := score.Day{Applied: 1, Fee: big.NewInt(7)}
	f.Add(standings.PackDay(&d))
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := standings.Unpack(text); err == nil {
			again, err := standings.Unpack(string(standings.Pack(&e)))
			require.NoError(t, err)
			require.Equal(t, e, again)
		}
		if d, err := standings.UnpackDay(7, text); err == nil {
			again, err := standings.UnpackDay(7, standings.PackDay(&d))
			require.NoError(t, err)
			require.Equal(t, d.Fee.String(), again.Fee.String())
			again.Fee = d.Fee
			require.Equal(t, d, again)
			require.Equal(t, 7*24*time.Hour, d.Date.Sub(time.Unix(0, 0)))
		}
	})
}

// TestWhatOthersWroteIsNotRead: an error that says nothing about Redis' health, and nothing is written.
func TestWhatOthersWroteIsNotRead(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), clientOf(t, server.URL)
	s, generation := setup(t, client)
	one := part(mark(1, 0), mark(2, 1), applied(2, wallet(1), 1))
	keys := s.Keys(generation, project)
	for field, wrong := range map[string]string{"mark": "x 1", "updates": "-1"} {
		was, err := client.HGet(ctx, keys[0], field).Result()
		require.NoError(t, client.HSet(ctx, keys[0], field, wrong, "last", "").Err())
		require.Error(t, s.Append(ctx, generation, one))
		_, _, summary := s.Summaries(ctx, []score.ProjectID{project})
		require.Error(t, summary)
		if err == nil {
			require.NoError(t, client.HSet(ctx, keys[0], field, was).Err())
		} else {
			require.NoError(t, client.HDel(ctx, keys[0], field).Err())
		}
	}
	require.NoError(t, client.LPush(ctx, keys[3], "x").Err())
	_, _, err := s.Recent(ctx, project)
	require.ErrorContains(t, err, "unexpected data")
	require.NoError(t, client.HSet(ctx, keys[2], "20000", "1 2 3").Err())
	_, _, err = s.Days(ctx, project, begin.AddDate(-100, 0, 0), begin.AddDate(100, 0, 0))
	require.ErrorContains(t, err, "unexpected data")
	day := time.Unix(20000*24*60*60, 0)
	_, _, err = s.Applied(ctx, []score.ProjectID{project}, day, day)
	require.ErrorContains(t, err, "unexpected data")
	require.NoError(t, client.ZAdd(ctx, keys[4], redis.Z{Score: 0.5, Member: "short"}).Err())
	_, _, err = s.Page(ctx, project, score.Total, nil, 9)
	require.ErrorContains(t, err, "unexpected data")
	require.NoError(t, client.Del(ctx, keys[4]).Err())
	require.NoError(t, client.Set(ctx, keys[4], "", 0).Err())
	require.ErrorContains(t, s.Append(ctx, generation, one), "WRONGTYPE")
	require.NoError(t, client.Del(ctx, keys[1:]...).Err())
	require.NoError(t, s.Append(ctx, generation, one), "Redis is well")
}
