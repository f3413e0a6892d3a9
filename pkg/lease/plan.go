package lease

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/scorelay/scorelay/pkg/score"
)

// situation is what a replica decides by: all that see the same come to the same plan.
type situation struct {
	able   map[string][]score.Lane // the lanes that each replica alive can drive and that shall be driven, ascending
	holder map[score.Lane]string   // of the lanes that a replica alive holds
}

func (s situation) equal(other situation) bool {
	return maps.Equal(s.holder, other.holder) && maps.EqualFunc(s.able, other.able, slices.Equal[[]score.Lane])
}

// planner is the working of a plan.
type planner struct {
	names  []string       // of the replicas, sorted
	lanes  []score.Lane   // that at least one can drive
	able   [][]bool       // by lane and replica
	holder []int          // by lane; -1: none
	at     []int          // by lane: the replica it is planned for; -1: none yet
	load   []int          // by replica
	worth  int            // of evenness, in moves: more than there can be
	ways   [][]hop        // between replicas
	from   []arrival      // by replica, of the lane that is added
	index  map[string]int // of a name
}

// hop is the cheapest way to shift a lane from one replica to another.
type hop struct{ lane, cost int }

// arrival is how a lane reaches a replica best: another lane makes place for it on the way.
type arrival struct {
	cost, lane, before int // before: the replica from which lane comes; -1: it is the new one
	reached            bool
}

// plan tells which replica shall drive each lane: shares are as even as keys allow, and of all such plans it is one that takes
// the fewest lanes from their holders. So a lane that is given back, or taken, as the plan says leaves a plan behind that moves one
// less: moves come to an end, in any order.
//
// It is a flow of least cost, a lane after the other by the cheapest way. A way costs the lanes that it moves, and at its end the
// number of lanes that the replica has already, which makes loads even.
func (s situation) plan() map[score.Lane]string {
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

// cost of a lane at a replica: 1 when it is taken from its holder.
func (p *planner) cost(lane, replica int) int {
	if p.holder[lane] >= 0 && p.holder[lane] != replica {
		return 1
	}
	return 0
}

// add plans for one more lane.
func (p *planner) add(lane int) {
	p.findWays()
	p.from = make([]arrival, len(p.names))
	for r := range p.names {
		if p.able[lane][r] {
			p.from[r] = arrival{p.cost(lane, r), lane, -1, true}
		}
	}
	for range p.names { // Bellman and Ford
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

// findWays finds the cheapest lane to shift between each two replicas.
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

// valueOf is what a replica's key holds: its token and the lanes that it can drive.
func valueOf(token string, able []score.Lane) string {
	ids := make([]string, len(able))
	for i, id := range able {
		ids[i] = strconv.Itoa(int(id))
	}
	return token + " " + strings.Join(ids, ",")
}

// ableOf reads the lanes of a replica's key.
func ableOf(value string) (able []score.Lane) {
	for _, text := range strings.Split(value[strings.LastIndexByte(value, ' ')+1:], ",") {
		if id, err := strconv.ParseUint(text, 10, 16); err == nil {
			able = append(able, score.Lane(id))
		}
	}
	return able
}
