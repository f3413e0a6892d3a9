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

type planner struct {
	names  []string     // sorted
	lanes  []score.Lane // with an able replica
	able   [][]bool     // by lane and replica
	holder []int        // by lane; -1: none
	at     []int        // planned replica by lane; -1: none
	load   []int        // by replica
	worth  int          // weight of evenness: above the maximum number of moves
	ways   [][]hop
	from   []arrival // by replica, while a lane is added
	index  map[string]int
}

// hop is the cheapest way to shift a lane from one replica to another.
type hop struct{ lane, cost int }

// arrival is the cheapest way for a lane to reach a replica, by shifting other lanes on the way.
type arrival struct {
	// before is the replica that lane comes from; -1 if lane is the one that is added
	cost, lane, before int
	reached            bool
}

// placeLanes maps each lane to the replica that should drive it. Shares are as even as signer keys allow, and among such
// plans it takes the fewest lanes from their holders.
//
// It is a minimum-cost flow that adds one lane after another by the cheapest path. A path costs one per lane taken
// from its holder, plus a cost at its end that grows with that replica's load, which evens the loads.
func (s situation) placeLanes() map[score.Lane]string {
	p := s.planner()
	for lane := range p.lanes {
		p.add(lane)
	}
	out := map[score.Lane]string{}
	for lane, id := range p.lanes {
		out[id] = p.names[p.at[lane]]
	}
	return out
}

func (s situation) planner() *planner {
	p := &planner{names: slices.Sorted(maps.Keys(s.able)), index: map[string]int{}}
	can := map[score.Lane][]bool{}
	for i, name := range p.names {
		p.index[name] = i
		for _, id := range s.able[name] {
			if can[id] == nil {
				can[id] = make([]bool, len(p.names))
			}
			can[id][i] = true
		}
	}
	p.lanes = slices.Sorted(maps.Keys(can))
	for _, id := range p.lanes {
		p.able = append(p.able, can[id])
		p.at = append(p.at, -1)
		holder := -1
		if name, held := s.holder[id]; held {
			if i, alive := p.index[name]; alive && can[id][i] {
				holder = i
			}
		}
		p.holder = append(p.holder, holder)
	}
	p.load, p.worth = make([]int, len(p.names)), len(p.lanes)+1
	return p
}

func (p *planner) cost(lane, replica int) int {
	if p.holder[lane] >= 0 && p.holder[lane] != replica {
		return 1
	}
	return 0
}

func (p *planner) add(lane int) {
	p.findWays()
	p.from = make([]arrival, len(p.names))
	for r := range p.names {
		if p.able[lane][r] {
			p.from[r] = arrival{p.cost(lane, r), lane, -1, true}
		}
	}
	for range p.names { // Bellman-Ford
		if !p.relax() {
			break
		}
	}
	end, best := -1, 0
	for r, a := range p.from {
		if total := a.cost + p.worth*(2*p.load[r]+1); a.reached && (end < 0 || total < best) {
			end, best = r, total
		}
	}
	p.load[end]++
	for r := end; r >= 0; r = p.from[r].before {
		p.at[p.from[r].lane] = r
	}
}

func (p *planner) findWays() {
	p.ways = make([][]hop, len(p.names))
	for r := range p.ways {
		p.ways[r] = make([]hop, len(p.names))
		for t := range p.ways[r] {
			p.ways[r][t].lane = -1
		}
	}
	for lane, r := range p.at {
		if r < 0 {
			continue
		}
		for t := range p.names {
			cost := p.cost(lane, t) - p.cost(lane, r)
			if way := &p.ways[r][t]; t != r && p.able[lane][t] && (way.lane < 0 || cost < way.cost) {
				*way = hop{lane, cost}
			}
		}
	}
}

func (p *planner) relax() (found bool) {
	for r, a := range p.from {
		if !a.reached {
			continue
		}
		for t, way := range p.ways[r] {
			if way.lane < 0 {
				continue
			}
			if to := &p.from[t]; !to.reached || a.cost+way.cost < to.cost {
				*to, found = arrival{a.cost + way.cost, way.lane, r, true}, true
			}
		}
	}
	return found
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
