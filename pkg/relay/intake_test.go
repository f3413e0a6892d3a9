package relay

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// drawRecords makes envelopes of updates with ids that count up, some of them in signed groups.
func drawRecords(t *rapid.T) (records []score.Message, units int) {
	id := 0
	for seq := range uint64(rapid.IntRange(1, 8).Draw(t, "envelopes")) {
		r := score.Message{Seq: 10 + 3*seq}
		for range rapid.IntRange(1, 6).Draw(t, "units") {
			units++
			n, project := 1, score.ProjectID{rapid.Byte().Draw(t, "project") % 3}
			if rapid.Bool().Draw(t, "signed") {
				n = rapid.IntRange(1, 30).Draw(t, "size")
				r.Signed = append(r.Signed, score.Signed{
					First: len(r.Updates), Count: n, Kind: score.KindFree, Signature: score.GroupSignature{byte(units)},
				})
			}
			for range n {
				r.Updates = append(r.Updates, score.Update{Project: project, ID: score.UpdateID{30: byte(id >> 8), 31: byte(id)}})
				id++
			}
		}
		records = append(records, r)
	}
	return records, units
}

// allBuckets is the state of a lane that owns all buckets and begins.
func allBuckets(t require.TestingT) *lane.State {
	open := &lane.Open{}
	for b := range score.Buckets {
		open.Buckets = append(open.Buckets, score.Bucket(b))
	}
	state := &lane.State{}
	require.NoError(t, state.Apply(lane.Entry{Epoch: 1, Open: open}))
	return state
}

// begun is an intake that reads from where the state says.
func begun(t require.TestingT, config Config, state *lane.State) *intake {
	return begunAfter(t, config, state, nil)
}

func begunAfter(t require.TestingT, config Config, state *lane.State, told map[score.ProjectID]score.Backlog) *intake {
	in, err := newIntake(config, state)
	require.NoError(t, err)
	in.begin(told)
	return in
}

// apply folds what binds the places.
func apply(t require.TestingT, in *intake, places ...*place) {
	moves, err := in.moves(places...)
	require.NoError(t, err)
	require.NoError(t, in.state.Apply(lane.Entry{Epoch: 1, Pass: &lane.Pass{Moves: moves}}))
	in.journaled(moves, places...)
}

// TestAnIntakeBindsEverythingOnce binds what an intake makes of any envelopes, in batches of any size, and kills it after
// any of them: a new one with the state that was journaled continues with the next unit. The fold checks each move.
func TestAnIntakeBindsEverythingOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records, units := drawRecords(t)
		config := Config{Limits: batch.Limits{
			MaxUpdates: rapid.IntRange(1, 40).Draw(t, "most"), MaxGas: 1 << 24, MaxBytes: 128 << 10,
		}}
		want := map[score.GroupSignature][]score.Update{}
		for _, r := range records {
			for _, g := range r.Signed {
				want[g.Signature] = r.Updates[g.First : g.First+g.Count]
			}
		}
		state := allBuckets(t)
		var bound []score.UpdateID
		for killed := true; killed; {
			killed = false
			in := begun(t, config, state)
			for i, r := range records {
				if r.Seq < state.ReadFrom().Seq {
					continue
				}
				_, err := in.take(r)
				require.NoError(t, err)
				for !killed && (i == len(records)-1 || rapid.Bool().Draw(t, "binds")) {
					choice, due := in.horizon.Next(time.Now())
					if !due {
						break
					}
					b := choice.Batch
					for _, g := range b.Groups {
						if g.Signature != nil {
							require.Equal(t, want[*g.Signature], g.Updates, "whole, and once")
							delete(want, *g.Signature)
						}
						for _, u := range g.Updates {
							bound = append(bound, u.ID)
						}
					}
					units -= b.Units()
					apply(t, in, in.places(choice.Units)...)
					in.batchBound(choice.Units)
					killed = rapid.IntRange(0, 5).Draw(t, "killed") == 0
				}
				if killed {
					break
				}
			}
			require.NoError(t, state.Apply(lane.Entry{Epoch: 1, Pass: &lane.Pass{Moves: in.passes()}}))
		}
		require.Empty(t, want)
		require.Zero(t, units)
		slices.SortFunc(bound, func(a, b score.UpdateID) int { return slices.Compare(a[:], b[:]) })
		for i, id := range bound {
			require.Equal(t, score.UpdateID{30: byte(i >> 8), 31: byte(i)}, id, "each once")
		}
		require.Equal(t, score.Position{Seq: records[len(records)-1].Seq + 1}, state.ReadFrom(), "the floors have passed everything")
	})
}

func TestAFloorInsideASignedGroupIsCorrupt(t *testing.T) {
	t.Parallel()
	r := score.Message{
		Seq: 7, Updates: make([]score.Update, 12),
		Signed: []score.Signed{{First: 0, Count: 3, Kind: score.KindFree}, {First: 4, Count: 6, Kind: score.KindFree}},
	}
	for i := range r.Updates {
		r.Updates[i].ID[31] = byte(i)
	}
	for index := range uint32(13) {
		state := allBuckets(t)
		bucket := score.BucketOf(score.ProjectID{})
		require.NoError(t, state.Apply(lane.Entry{Epoch: 1, Pass: &lane.Pass{Moves: []lane.Move{{Bucket: bucket, Floor: score.Position{Seq: 7, Index: index}}}}}))
		in := begun(t, Config{Limits: batch.DefaultLimits()}, state)
		_, err := in.take(r)
		if inside := index > 0 && index < 3 || index > 4 && index < 10; inside {
			require.ErrorIs(t, err, lane.ErrCorrupt, "%d", index)
			continue
		}
		require.NoError(t, err, "%d", index)
		require.Equal(t, 12-int(index), in.horizon.Len())
	}
}

func TestALaneKeepsWhatIsInItsBuckets(t *testing.T) {
	t.Parallel()
	own, other := score.ProjectID{1}, score.ProjectID{2}
	require.NotEqual(t, score.BucketOf(own), score.BucketOf(other))
	state := &lane.State{}
	unread := uint64(score.BucketOf(own))
	require.NoError(t, state.Apply(lane.Entry{Epoch: 1, Open: &lane.Open{Buckets: []score.Bucket{score.BucketOf(own)}}}))
	in := begun(t, Config{Limits: batch.DefaultLimits()}, state)

	for seq, m := range []score.Message{
		{Updates: []score.Update{{Project: other}, {Project: own, ID: score.UpdateID{1}}, {Project: other}}},
		{Project: &score.Project{ID: other}},
		{Updates: []score.Update{{Project: own, ID: score.UpdateID{2}}}},
	} {
		m.Seq = uint64(seq + 1)
		unreadable, err := in.take(m)
		require.NoError(t, err)
		require.Nil(t, unreadable)
		require.Nil(t, in.alone)
	}
	require.Equal(t, 2, in.horizon.Len())
	first, second := in.inHorizon[score.Position{Seq: 1, Index: 1}], in.inHorizon[score.Position{Seq: 3}]
	apply(t, in, second)
	require.Equal(t, score.Position{Seq: 1, Index: 1}, state.ReadFrom(), "the first is not bound")
	apply(t, in, first)
	require.Equal(t, score.Position{Seq: 4}, state.ReadFrom())
	require.Empty(t, in.row(score.BucketOf(own)).places)

	corrupt := score.Message{Corrupt: errors.New("it cannot be read")}
	corrupt.Seq = score.Buckets + unread - 1
	unreadable, err := in.take(corrupt)
	require.NoError(t, err)
	require.Nil(t, unreadable, "another lane's")
	corrupt.Seq++
	unreadable, err = in.take(corrupt)
	require.NoError(t, err)
	require.NotNil(t, unreadable)
	apply(t, in, unreadable)
	require.Equal(t, score.Position{Seq: corrupt.Seq + 1}, state.ReadFrom())
}

// TestAPlaceThatIsForgottenDoesNotFold: what a bug drops before it is bound was counted when it was read.
func TestAPlaceThatIsForgottenDoesNotFold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := allBuckets(t)
		in := begun(t, Config{Limits: batch.DefaultLimits()}, state)
		units := rapid.IntRange(2, 9).Draw(t, "units")
		m := score.Message{Seq: 5}
		for i := range units {
			m.Updates = append(m.Updates, score.Update{ID: score.UpdateID{byte(i)}})
		}
		_, err := in.take(m)
		require.NoError(t, err)
		r := in.row(score.BucketOf(score.ProjectID{}))
		lost := rapid.IntRange(0, units-1).Draw(t, "lost")
		r.places = slices.Delete(r.places, lost, lost+1)
		var folds error
		for left := slices.Clone(r.places); len(left) > 0 && folds == nil; {
			i := rapid.IntRange(0, len(left)-1).Draw(t, "binds")
			moves, err := in.moves(left[i])
			require.NoError(t, err)
			if folds = state.Apply(lane.Entry{Epoch: 1, Pass: &lane.Pass{Moves: moves}}); folds == nil {
				in.journaled(moves, left[i])
			}
			left = slices.Delete(left, i, i+1)
		}
		require.ErrorIs(t, folds, lane.ErrCorrupt)
	})
}
