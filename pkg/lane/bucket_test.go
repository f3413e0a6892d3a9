package lane_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

func at(seq uint64, index uint32) score.Position { return score.Position{Seq: seq, Index: index} }

// binds is a Bind of one bucket: positions are of one update each.
func binds(nonce uint64, bucket score.Bucket, floor score.Position, passed uint64, positions ...score.Position) lane.Entry {
	e := bindEntry(nonce, 0, make([]byte, len(positions))...)
	move := lane.Move{Bucket: bucket, Floor: floor, Passed: passed}
	for _, p := range positions {
		move.Bound = append(move.Bound, score.Span{Position: p, Count: 1})
	}
	e.Bind.Moves = []lane.Move{move}
	e.Bind.Work.From = positions[0]
	return e
}

func TestTheFoldRefusesFloorsThatLoseOrRepeat(t *testing.T) {
	t.Parallel()
	pass := func(m ...lane.Move) lane.Entry {
		return entry(func(e *lane.Entry) { e.Pass = &lane.Pass{Moves: m} })
	}
	first := binds(0, 0, at(2, 0), 1, at(1, 0), at(2, 3)) // 2/3 is beyond the floor
	more := first
	more.Bind = new(*first.Bind)
	more.Bind.Work.Count = 3
	refused(t, map[string][]lane.Entry{
		"a bucket of another lane":                  {opened, binds(0, 1, at(2, 0), 1, at(1, 0))},
		"a bucket of another lane passed":           {opened, pass(lane.Move{Bucket: 1, Floor: at(9, 0)})},
		"a position below the floor":                {opened, first, binds(1, 0, at(2, 0), 0, at(1, 5))},
		"a position bound twice":                    {opened, first, binds(1, 0, at(2, 0), 0, at(2, 3))},
		"a floor that falls":                        {opened, first, binds(1, 0, at(1, 9), 0, at(3, 0))},
		"a position that was not bound passed":      {opened, first, binds(1, 0, at(3, 0), 3, at(2, 0))},
		"a position passed that was not there":      {opened, first, pass(lane.Move{Floor: at(2, 9)})},
		"a pass over what was not bound":            {opened, first, pass(lane.Move{Floor: at(9, 0), Passed: 2})},
		"more work than positions":                  {opened, more},
		"work without positions":                    {opened, entry(func(e *lane.Entry) { e.Bind = new(*first.Bind); e.Bind.Moves = nil })},
		"one of two moves is refused":               {opened, first, pass(lane.Move{Floor: at(2, 9), Passed: 1}, lane.Move{Bucket: 7})},
		"queued work with positions":                {opened, first, settleEntry(0, lane.Foreign), entry(func(e *lane.Entry) { e.Bind = new(*binds(1, 0, at(3, 0), 0, at(2, 4)).Bind); e.Bind.Requeued = 1 })},
		"buckets that come with a later session":    {opened, entry(func(e *lane.Entry) { e.Epoch = 2; e.Open = &lane.Open{Buckets: []score.Bucket{5}} })},
		"positions that are twice in the same move": {opened, binds(0, 0, at(2, 0), 2, at(1, 0), at(1, 0))},
	})
}

// TestFloorsFollowAModel binds the positions of three buckets of a small stream in any order, and holds the state against a
// set of what is bound. A move that is wrong by one position is refused.
func TestFloorsFollowAModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// The stream: which bucket each position is of. Bucket 3 is another lane's.
		places := map[score.Bucket][]score.Position{}
		for seq := uint64(1); seq <= 6; seq++ {
			for index := range uint32(rapid.IntRange(1, 8).Draw(t, "size")) {
				b := score.Bucket(rapid.IntRange(0, 3).Draw(t, "bucket"))
				places[b] = append(places[b], at(seq, index))
			}
		}
		s, err := fold([]lane.Entry{entry(func(e *lane.Entry) { e.Open = &lane.Open{Buckets: []score.Bucket{0, 1, 2}} })})
		require.NoError(t, err)
		bound := map[score.Bucket]map[score.Position]bool{0: {}, 1: {}, 2: {}}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			b := score.Bucket(rapid.IntRange(0, 2).Draw(t, "of"))
			open := slices.DeleteFunc(slices.Clone(places[b]), func(p score.Position) bool { return bound[b][p] })
			if len(open) == 0 {
				continue
			}
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(open), 1, 5, rapid.ID).Draw(t, "chosen")
			slices.SortFunc(chosen, score.Position.Compare)
			after := maps.Clone(bound[b])
			for _, p := range chosen {
				after[p] = true
			}
			floor, passed := at(7, 0), uint64(0)
			for _, p := range places[b] {
				if !after[p] {
					floor = p
					break
				}
				if !p.Before(s.Buckets[b].Floor) {
					passed++
				}
			}
			good := binds(s.Next, b, floor, passed, chosen...)
			for _, wrong := range []uint64{passed - 1, passed + 1} {
				bad := binds(s.Next, b, floor, wrong, chosen...)
				require.ErrorIs(t, s.Apply(bad), lane.ErrCorrupt)
			}
			require.NoError(t, s.Apply(good))
			bound[b] = after
			require.ErrorIs(t, s.Apply(binds(s.Next, b, floor, 0, chosen[0])), lane.ErrCorrupt, "bound twice")
		}
		for b := range bound {
			held := s.Buckets[b]
			for _, p := range places[b] {
				require.Equal(t, bound[b][p], p.Before(held.Floor) || held.Bound.Has(p), "bucket %d, %v", b, p)
			}
		}
	})
}

// settledOf tells how far bucket 0 is settled, if the lane is the only one.
func settledOf(t require.TestingT, s *lane.State) score.Position {
	settled, err := lane.Lanes{0: s}.Settled()
	require.NoError(t, err)
	return settled[0]
}

func TestSettledIsTheLowestOpenPositionOfEachBucket(t *testing.T) {
	t.Parallel()
	zero, err := fold([]lane.Entry{opened, bindEntry(0, 1, 1, 2), bindEntry(1, 2, 3), settleEntry(0, lane.Done)})
	require.NoError(t, err)
	one, err := fold([]lane.Entry{entry(func(e *lane.Entry) { e.Open = &lane.Open{Buckets: []score.Bucket{1, 2}} }), binds(0, 1, at(9, 0), 1, at(8, 0)), settleEntry(0, lane.Done)})
	require.NoError(t, err)
	lanes := lane.Lanes{0: zero, 1: one}
	settled, err := lanes.Settled()
	require.NoError(t, err)
	require.Equal(t, at(2, 0), settled[0], "what a slot carries")
	require.Equal(t, at(9, 0), settled[1])
	require.Zero(t, settled[2], "nothing of it is bound")
	needed, err := lanes.NeededFrom()
	require.NoError(t, err)
	require.Zero(t, needed, "most buckets belong to lanes that were not read")
	require.EqualValues(t, 2, zero.Seen())
	require.EqualValues(t, 8, one.Seen())
}
