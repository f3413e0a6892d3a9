package relay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAPausedProjectIsWithheldUntilItCanBeParked: a session that begins finds positions bound that it has not read, so that it is not known
// which of them are the project's.
func TestAPausedProjectIsWithheldUntilItCanBeParked(t *testing.T) {
	t.Parallel()
	project, other, state := score.ProjectID{1}, score.ProjectID{2}, allBuckets(t)
	bucket := score.BucketOf(project)
	bound, err := score.PositionsOf(score.Span{Position: score.Position{Seq: 5}, Count: 1})
	require.NoError(t, err)
	held := state.Buckets[bucket]
	held.Floor, held.Bound = score.Position{Seq: 1}, bound
	state.Buckets[bucket] = held
	paused := map[score.ProjectID]bool{project: true}
	take := func(in *intake, messages ...score.Message) {
		t.Helper()
		for _, m := range messages {
			require.True(t, in.wantsMessage())
			_, err := in.take(m)
			require.NoError(t, err)
		}
	}
	begin := func() *intake {
		in := begun(t, Config{Limits: batch.DefaultLimits(), Horizon: batch.HorizonLimits{Updates: 8, Lateness: time.Minute}}, state)
		require.False(t, in.pause(paused))
		take(in, ofProject(project, 1, 9), ofProject(other, 2, 3), ofProject(project, 3, 4))
		require.Empty(t, in.parkable())
		require.Equal(t, 3, in.horizon.Len(), "it takes no room")
		require.Equal(t, uint64(3), in.backlog())
		require.Equal(t, uint64(13), in.pausedUpdates())
		require.Equal(t, uint64(13), in.large(1)[project].Waiting)
		seq, _, some := in.oldest()
		require.True(t, some)
		require.Equal(t, uint64(2), seq)
		return in
	}
	require.True(t, begin().pause(nil), "what was withheld is read again where the project is resumed meanwhile")

	in := begin()
	take(in, ofProject(project, 5, 1))
	require.Equal(t, []score.ProjectID{project}, in.parkable())
	e, err := in.park(project)
	require.NoError(t, err)
	require.Equal(t, bound, e.Park.Bound)
	e.Epoch = 1
	require.NoError(t, state.Apply(e))
	in.parkedNow(project)
	require.Empty(t, in.parkable())
	require.Equal(t, score.Position{Seq: 1}, in.parked[project].next)
	require.InDelta(t, 13, in.pausedUpdates(), 1, "with what is bound behind them")
	moves := in.passes()
	require.NoError(t, state.Apply(lane.Entry{Epoch: 1, Pass: &lane.Pass{Moves: moves}}))
	in.journaled(moves)
	require.Equal(t, score.Position{Seq: 6}, state.Buckets[bucket].Floor, "its bucket's floor passes it")
	require.Equal(t, score.Position{Seq: 1}, state.Buckets[bucket].Lowest(), "and the stream keeps it")
	_, again, err := in.ride()
	require.NoError(t, err)
	require.False(t, again)

	require.False(t, in.pause(nil))
	from, again, err := in.ride()
	require.NoError(t, err)
	require.True(t, again)
	require.Equal(t, uint64(1), from)
	require.Equal(t, uint64(3+14), in.backlog())
}
