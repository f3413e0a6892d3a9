package kv

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/score"
)

// drawSituation is any: replicas with any keys, lanes held by some replica or none.
func drawSituation(t *rapid.T) situation {
	s := situation{able: map[string][]score.Lane{}, holder: map[score.Lane]string{}}
	lanes := rapid.IntRange(1, 12).Draw(t, "lanes")
	every := rapid.Bool().Draw(t, "every replica has all keys")
	for i := range rapid.IntRange(1, 5).Draw(t, "replicas") {
		name, able := fmt.Sprint("r", i), []score.Lane(nil)
		for id := range score.Lane(lanes) {
			if every || rapid.IntRange(0, 2).Draw(t, "has its key") > 0 {
				able = append(able, id)
			}
		}
		s.able[name] = able
		for _, id := range able {
			if rapid.Bool().Draw(t, "holds it") {
				s.holder[id] = name
			}
		}
	}
	return s
}

func (s situation) clone() situation {
	return situation{able: maps.Clone(s.able), holder: maps.Clone(s.holder)}
}

// moves are how many lanes a plan takes from their holders.
func (s situation) moves(plan map[score.Lane]string) (n int) {
	for id, name := range s.holder {
		if plan[id] != name {
			n++
		}
	}
	return n
}

// unevenness is the sum of the squares of the shares: no plan is more even than the one with the least.
func unevenness(plan map[score.Lane]string) (sum int) {
	shares := map[string]int{}
	for _, name := range plan {
		shares[name]++
	}
	for _, n := range shares {
		sum += n * n
	}
	return sum
}

// best tries all plans, and returns the least unevenness and the fewest moves of such a plan.
func (s situation) best() (uneven, moves int) {
	lanes := slices.Sorted(maps.Keys(s.placeLanes()))
	plan := map[score.Lane]string{}
	uneven = -1
	var try func(i int)
	try = func(i int) {
		if i == len(lanes) {
			u, m := unevenness(plan), s.moves(plan)
			if uneven < 0 || u < uneven || u == uneven && m < moves {
				uneven, moves = u, m
			}
			return
		}
		for name, able := range s.able {
			if slices.Contains(able, lanes[i]) {
				plan[lanes[i]] = name
				try(i + 1)
			}
		}
	}
	try(0)
	return uneven, moves
}

// TestAPlanIsEvenAndMovesTheFewest where all replicas have all keys. Where not, every lane that can be driven is, and none moves by
// itself to a replica with less.
func TestAPlanIsEvenAndMovesTheFewest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		for name, able := range s.able {
			s.able[name] = slices.DeleteFunc(able, func(id score.Lane) bool { return id > 5 }) // all plans can be tried
		}
		maps.DeleteFunc(s.holder, func(id score.Lane, _ string) bool { return id > 5 })
		plan := s.placeLanes()
		for name, able := range s.able {
			for _, id := range able {
				require.Contains(t, plan, id, name)
				require.Contains(t, s.able[plan[id]], id)
			}
		}
		load := map[string]int{}
		for _, name := range plan {
			load[name]++
		}
		all := true
		for name, able := range s.able {
			all = all && len(able) == len(plan)
			for _, id := range able {
				require.LessOrEqual(t, load[plan[id]], load[name]+1, "lane %d would be better at %s", id, name)
			}
		}
		if !all {
			return
		}
		uneven, moves := s.best()
		require.Equal(t, uneven, unevenness(plan))
		require.Equal(t, moves, s.moves(plan))
	})
}

// TestMovesComeToAnEnd: from any situation, with any replicas that stay, each acting by what it sees, which may be late.
func TestMovesComeToAnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := drawSituation(t)
		late := rapid.Bool().Draw(t, "views may be late")
		names := slices.Sorted(maps.Keys(now.able))
		views := map[string]situation{}
		for _, name := range names {
			views[name] = now.clone()
		}
		plan := now.placeLanes()
		bound := 2*now.moves(plan) + len(plan) // given back and taken; those that were free, taken
		if late {
			bound = 20 * len(plan)
		}
		for moves, quiet := 0, 0; quiet < 2*len(names); {
			name := names[rapid.IntRange(0, len(names)-1).Draw(t, "acts")]
			seen := rapid.IntRange(0, 3).Draw(t, "sees all")
			if !late || seen == 0 || quiet > len(names) {
				views[name] = now.clone()
			}
			if !now.act(t, name, views[name]) {
				quiet++
				if quiet > len(names) { // views are late for a while only
					quiet = now.settle(t, names, quiet)
				}
				continue
			}
			quiet = 0
			moves++
			require.LessOrEqual(t, moves, bound, "they move on and on")
		}
		plan = now.placeLanes()
		require.Zero(t, now.moves(plan))
		require.Len(t, now.holder, len(plan), "every lane that can be driven is")
	})
}

// settle has every replica see all; it returns 0 when one then moves.
func (s situation) settle(t *rapid.T, names []string, quiet int) int {
	for _, name := range names {
		if s.act(t, name, s.clone()) {
			return 0
		}
	}
	return quiet + len(names)
}

// act has a replica make one move by what it sees, as a share does: give one lane back, or take one that is free.
func (s situation) act(_ *rapid.T, name string, seen situation) bool {
	plan := seen.placeLanes()
	for _, id := range slices.Sorted(maps.Keys(s.holder)) {
		if s.holder[id] == name && plan[id] != name {
			delete(s.holder, id)
			delete(seen.holder, id) // it sees its own moves
			return true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(plan)) {
		_, held := seen.holder[id]
		if plan[id] != name || held {
			continue
		}
		if _, taken := s.holder[id]; taken { // the server refuses it, which it notes
			seen.holder[id] = s.holder[id]
			return false
		}
		s.holder[id], seen.holder[id] = name, name
		return true
	}
	return false
}

func TestAReplicasKeySaysWhatItCanDrive(t *testing.T) {
	t.Parallel()
	for _, able := range [][]score.Lane{nil, {0}, {3, 200, 255}} {
		require.Equal(t, able, ableOf(valueOf("name TOKEN", able)))
	}
	require.Nil(t, ableOf("name TOKEN"))
}

func BenchmarkPlan(b *testing.B) {
	s := situation{able: map[string][]score.Lane{}, holder: map[score.Lane]string{}}
	for i := range 16 {
		for id := range score.Lane(256) {
			s.able[fmt.Sprint("r", i)] = append(s.able[fmt.Sprint("r", i)], id)
		}
	}
	for id := range score.Lane(256) {
		s.holder[id] = "r0"
	}
	for b.Loop() {
		s.placeLanes()
	}
}
