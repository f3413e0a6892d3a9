package relay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// messageOf is one of so many updates.
func messageOf(seq uint64, updates int) score.Message {
	m := score.Message{Seq: seq}
	for i := range updates {
		m.Updates = append(m.Updates, score.Update{ID: score.UpdateID{30: byte(seq), 31: byte(i)}})
	}
	return m
}

// TestFloorsPassWhatIsBoundAndLost: the stream lost its end, which held what a lane had bound beyond its floor.
func TestFloorsPassWhatIsBoundAndLost(t *testing.T) {
	t.Parallel()
	config := Config{Limits: batch.DefaultLimits()}
	state := allBuckets(t)
	in := begun(t, config, state)
	for seq := range uint64(5) {
		_, err := in.take(messageOf(seq+1, 3))
		require.NoError(t, err)
	}
	at := func(in *intake, seq uint64, index uint32) *place {
		return in.inHorizon[score.Position{Seq: seq, Index: index}]
	}
	apply(t, in, at(in, 1, 0), at(in, 2, 1), at(in, 4, 0), at(in, 4, 1), at(in, 5, 2)) // floor 1/1

	in = begun(t, config, state) // the next session finds a stream that ended at 2 and was moved behind 5
	for _, seq := range []uint64{1, 2, 9} {
		_, err := in.take(messageOf(seq, 3))
		require.NoError(t, err)
	}
	for _, p := range []*place{at(in, 1, 1), at(in, 1, 2), at(in, 2, 0), at(in, 2, 2)} {
		apply(t, in, p)
	}
	bucket := score.BucketOf(score.ProjectID{})
	require.Equal(t, lane.Extent{Floor: score.Position{Seq: 9}}, lane.Extent{Floor: state.Buckets[bucket].Floor, Bound: state.Buckets[bucket].Bound})
	apply(t, in, at(in, 9, 0), at(in, 9, 1), at(in, 9, 2))
	require.Equal(t, score.Position{Seq: 10}, state.Buckets[bucket].Floor)
}

// TestFloorsPassWhatFillersReplace: the loss was accepted, and the places of what was lost are filled, not purged yet.
func TestFloorsPassWhatFillersReplace(t *testing.T) {
	t.Parallel()
	config, state := Config{Limits: batch.DefaultLimits()}, allBuckets(t)
	in := begun(t, config, state)
	take := func(seq uint64, updates int) {
		_, err := in.take(messageOf(seq, updates))
		require.NoError(t, err)
	}
	for seq := range uint64(5) {
		take(seq+1, 2)
	}
	at := func(seq uint64, index uint32) *place { return in.inHorizon[score.Position{Seq: seq, Index: index}] }
	apply(t, in, at(1, 0), at(3, 1), at(4, 0), at(5, 1))

	in = begun(t, config, state)
	take(1, 2)
	for seq := uint64(2); seq < 7; seq++ {
		take(seq, 0)
	}
	apply(t, in, at(1, 1))
	require.Equal(t, score.Position{Seq: 7}, state.Buckets[score.BucketOf(score.ProjectID{})].Floor)
}

// TestWhatIsLostIsNotOwed: a parked project's allowance shrinks over positions that are bound and lost, which no reading brings.
func TestWhatIsLostIsNotOwed(t *testing.T) {
	t.Parallel()
	project, state := score.ProjectID{1}, allBuckets(t)
	bucket := score.BucketOf(project)
	held := state.Buckets[bucket]
	held.Floor = score.Position{Seq: 1}
	lost, err := score.PositionsOf(score.Span{Position: score.Position{Seq: 2}, Count: 3})
	require.NoError(t, err)
	held.Parked = map[score.ProjectID]lane.Extent{project: {Floor: score.Position{Seq: 1}, Bound: lost}}
	state.Buckets[bucket] = held
	in := begun(t, Config{Limits: batch.DefaultLimits(), Horizon: batch.HorizonLimits{Updates: 8, Lateness: time.Minute}}, state)
	_, _, err = in.ride() // nothing was passed yet
	require.NoError(t, err)
	for _, m := range []score.Message{ofProject(project, 1, 4), ofProject(project, 5, 2)} {
		_, err := in.take(m)
		require.NoError(t, err)
	}
	other := score.ProjectID{2}
	in.parked[other] = &parked{row: &row{bucket: score.BucketOf(other), project: &other}}
	in.shareAgain()
	require.Equal(t, score.Position{Seq: 1, Index: 3}, in.parked[project].next)
	require.Equal(t, uint64(3), in.parked[project].owed, "one of message 1 and both of message 5")
}

func ofProject(project score.ProjectID, seq uint64, updates int) score.Message {
	m := score.Message{Seq: seq}
	for i := range updates {
		m.Updates = append(m.Updates, score.Update{Project: project, ID: score.UpdateID{byte(seq), byte(i)}})
	}
	return m
}
