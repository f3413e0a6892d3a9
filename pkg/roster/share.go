package roster

import (
	"cmp"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

// share makes the shares of the active lanes even with the fewest moves. Those that have most keep the odd bucket; what is more
// than a share moves to those with less, and so does what belongs to no active lane.
func (r *Roster) share() {
	lanes := r.actives()
	owned := map[score.Lane]int{}
	for _, owner := range r.Owners {
		owned[owner]++
	}
	slices.SortStableFunc(lanes, func(a, b score.Lane) int { return cmp.Compare(owned[b], owned[a]) })
	free := map[score.Lane]int{} // what a lane may still keep or get
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
