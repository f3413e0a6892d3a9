package kv

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/scorelay/scorelay/pkg/score"
)

// situation is the input of a plan. Replicas with equal situations compute the same plan.
type situation struct {
	// able has the lanes to drive that each live replica can drive, ascending
	able map[string][]score.Lane
	// holder has the replica of each lane that a live replica holds
	holder map[score.Lane]string
}

func (s situation) equal(other situation) bool {
	return maps.Equal(s.holder, other.holder) && maps.EqualFunc(s.able, other.able, slices.Equal[[]score.Lane])
}

// placeLanes maps each lane that some live replica can drive to the one that should. A held lane stays, and a free one
// goes to the least loaded replica that has its key. Then lanes move, one by one, to replicas with at least two lanes
// less, from the most loaded ones first. So if all replicas have all keys, shares differ by at most one, and the fewest
// lanes are taken from their holders.
func (s situation) placeLanes() map[score.Lane]string {
	can := map[score.Lane][]string{} // replicas that have a lane's key, by name
	for _, name := range slices.Sorted(maps.Keys(s.able)) {
		for _, id := range s.able[name] {
			can[id] = append(can[id], name)
		}
	}
	lanes := slices.Sorted(maps.Keys(can))
	plan, load := map[score.Lane]string{}, map[string]int{}
	least := func(id score.Lane) string {
		return slices.MinFunc(can[id], func(a, b string) int { return load[a] - load[b] })
	}
	for _, id := range lanes {
		if name := s.holder[id]; slices.Contains(can[id], name) {
			plan[id] = name
			load[name]++
		}
	}
	for _, id := range lanes {
		if _, held := plan[id]; !held {
			plan[id] = least(id)
			load[plan[id]]++
		}
	}
	for {
		gain, move := 1, score.Lane(0)
		for _, id := range lanes {
			if less := load[plan[id]] - load[least(id)]; less > gain {
				gain, move = less, id
			}
		}
		if gain == 1 {
			return plan
		}
		load[plan[move]]--
		plan[move] = least(move)
		load[plan[move]]++
	}
}

// Values of keys: the replica, a space, and a unique text of its process. That of a replica's own key ends with a space
// and the lanes that it can drive.
func holderOf(value string) string {
	holder, _, _ := strings.Cut(value, " ")
	return holder
}

func valueOf(token string, able []score.Lane) string {
	ids := make([]string, len(able))
	for i, id := range able {
		ids[i] = strconv.Itoa(int(id))
	}
	return token + " " + strings.Join(ids, ",")
}

func ableOf(value string) (able []score.Lane) {
	for _, text := range strings.Split(value[strings.LastIndexByte(value, ' ')+1:], ",") {
		if id, err := strconv.ParseUint(text, 10, 16); err == nil {
			able = append(able, score.Lane(id))
		}
	}
	return able
}
