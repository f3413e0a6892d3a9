package roster

import (
	"cmp"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

// share evens out the active lanes' buckets with the fewest moves: the largest lanes keep the odd ones.
func (r *Roster) share() {
	lanes := r.actives()
	owned := map[score.Lane]int{}
	for _, owner := range r.Owners {
		owned[owner]++
	}
	slices.SortStableFunc(lanes, func(a, b score.Lane) int { return cmp.Compare(owned[b], owned[a]) })
	free := map[score.Lane]int{} // buckets that a lane may still keep or get
	for i, id := range lanes {
		free[id] = score.Buckets / len(lanes)
		if i < score.Buckets%len(lanes) {
			free[id]++
		}
	}
	var moving []score.Bucket
	for b, owner := range r.Owners {
		if free[owner] == 0 {
			moving = append(moving, score.Bucket(b))
			continue
		}
		free[owner]--
	}
	for _, b := range moving {
		for free[lanes[0]] == 0 {
			lanes = lanes[1:]
		}
		r.Owners[b] = lanes[0]
		free[lanes[0]]--
	}
}
