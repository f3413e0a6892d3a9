package lane_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

func parks(project score.ProjectID, bound ...score.Position) lane.Entry {
	p := &lane.Park{Bucket: score.BucketOf(project), Project: project}
	for _, b := range bound {
		p.Bound = append(p.Bound, score.Span{Position: b, Count: 1})
	}
	return entry(func(e *lane.Entry) { e.Park = p })
}

func unparks(project score.ProjectID) lane.Entry {
	return entry(func(e *lane.Entry) { e.Unpark = &lane.Unpark{Bucket: score.BucketOf(project), Project: project} })
}

// ofProject makes a Bind's move one of a parked project.
func ofProject(e lane.Entry, project score.ProjectID) lane.Entry {
	bind := *e.Bind
	bind.Moves = slices.Clone(bind.Moves)
	bind.Moves[0].Project = &project
	e.Bind = &bind
	return e
}

func TestTheFoldRefusesParkingThatLosesOrRepeats(t *testing.T) {
	t.Parallel()
	mine, other := projectIn(0, 1), projectIn(1, 1)
	wrong := parks(mine)
	wrong.Park.Bucket = 1
	first := binds(0, 0, at(2, 0), 1, at(1, 0), at(2, 3)) // 2/3 is beyond the floor
	refused(t, map[string][]lane.Entry{
		"a project of another lane":              {opened, parks(other)},
		"a project of another bucket":            {opens(0, 1), wrong},
		"parked twice":                           {opened, parks(mine), parks(mine)},
		"with a position that is not bound":      {opened, first, parks(mine, at(2, 4))},
		"with a position below the floor":        {opened, first, parks(mine, at(1, 0))},
		"unparked and not parked":                {opened, unparks(mine)},
		"unparked behind its bucket":             {opened, parks(mine), binds(0, 0, at(2, 0), 1, at(1, 0)), unparks(mine)},
		"unparked ahead of its bucket":           {opened, parks(mine), ofProject(binds(0, 0, at(2, 0), 1, at(1, 0)), mine), unparks(mine)},
		"a position of a project not parked":     {opened, ofProject(binds(0, 0, at(2, 0), 1, at(1, 0)), mine)},
		"bound twice, by itself":                 {opened, parks(mine), ofProject(first, mine), ofProject(binds(1, 0, at(2, 0), 0, at(2, 3)), mine)},
		"passed by itself, and not bound":        {opened, parks(mine), ofProject(binds(0, 0, at(3, 0), 3, at(1, 0), at(2, 3)), mine)},
		"unparked with what the others have too": {opened, parks(mine), first, ofProject(binds(1, 0, at(2, 0), 1, at(1, 1), at(2, 3)), mine), unparks(mine)},
	})
}

// TestParkedProjectsFollowAModel binds positions of three projects of one bucket in any order, parks and unparks them, and holds
// the state against a set of what is bound.
func TestParkedProjectsFollowAModel(t *testing.T) {
	t.Parallel()
	projects := []score.ProjectID{projectIn(0, 1), projectIn(0, 2), projectIn(0, 3)}
	rapid.Check(t, func(t *rapid.T) {
		type place struct {
			score.Position
			project int
			bound   bool
		}
		var places []*place
		for seq := uint64(1); seq <= 6; seq++ {
			for index := range uint32(rapid.IntRange(1, 6).Draw(t, "size")) {
				places = append(places, &place{at(seq, index), rapid.IntRange(0, 2).Draw(t, "project"), false})
			}
		}
		s, err := fold([]lane.Entry{opened})
		require.NoError(t, err)
		parked := map[int]bool{}
		// floor is how far the extent that a project is in may go at most, and what it passes then; up to a limit.
		floor := func(project int, limit score.Position) (f score.Position, passed uint64) {
			f = limit
			from := s.Buckets[0].Of(projects[project]).Floor
			for _, p := range places {
				if !(parked[project] && p.project == project || !parked[project] && !parked[p.project]) || !p.Before(f) {
					continue
				}
				if !p.bound {
					return p.Position, passed
				}
				if !p.Before(from) {
					passed++
				}
			}
			return f, passed
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			project := rapid.IntRange(0, 2).Draw(t, "of")
			held := s.Buckets[0]
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0: // park
				if parked[project] {
					require.ErrorIs(t, s.Apply(parks(projects[project])), lane.ErrCorrupt)
					break
				}
				var bound []score.Position
				for _, p := range places {
					if p.project == project && p.bound && !p.Before(held.Floor) {
						bound = append(bound, p.Position)
					}
				}
				require.NoError(t, s.Apply(parks(projects[project], bound...)))
				parked[project] = true
			case 1: // unpark
				if err := s.Apply(unparks(projects[project])); parked[project] && held.Floor == held.Parked[projects[project]].Floor {
					require.NoError(t, err)
					parked[project] = false
				} else {
					require.ErrorIs(t, err, lane.ErrCorrupt)
				}
			default: // bind
				var open []*place
				for _, p := range places {
					if p.project == project && !p.bound {
						open = append(open, p)
					}
				}
				if len(open) == 0 {
					break
				}
				chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(open), 1, 3, rapid.ID).Draw(t, "chosen")
				slices.SortFunc(chosen, func(a, b *place) int {
					if a.Before(b.Position) {
						return -1
					}
					return 1
				})
				var positions []score.Position
				for _, p := range chosen {
					p.bound = true
					positions = append(positions, p.Position)
				}
				limit := at(7, 0)
				if parked[project] && !rapid.Bool().Draw(t, "ahead") { // no further than the bucket, so that it can be unparked
					limit = held.Floor
				}
				f, passed := floor(project, limit)
				if from := held.Of(projects[project]).Floor; f.Before(from) {
					f, passed = from, 0
				}
				e := binds(s.Next, 0, f, passed, positions...)
				if parked[project] {
					e = ofProject(e, projects[project])
				}
				require.NoError(t, s.Apply(e))
			}
			for _, p := range places {
				require.Equal(t, p.bound, s.Buckets[0].Of(projects[p.project]).Has(p.Position), "%v of project %d", p.Position, p.project)
			}
			settled := settledOf(t, s)
			for _, p := range places {
				require.False(t, !p.bound && p.Before(settled), "%v has no outcome", p.Position)
			}
		}
	})
}
