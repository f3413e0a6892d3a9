package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// simMaxLanes bounds the lanes that a schedule ever has.
const simMaxLanes = 12

// simLanes are the roster and the notices as they are stored; each replica knows them as they were some time.
type simLanes struct {
	roster  roster.Roster
	notices map[simPair]lane.Notice
	older   map[simPair]lane.Notice   // what was overwritten last
	pairs   []simPair                 // in the order in which they were first posted
	dead    map[common.Address]uint64 // from which nonce on no transaction of the account is ever carried out
}

type simPair struct{ from, to score.Lane }

func (r *simRun) beginLanes() {
	var signers []common.Address
	for id := range score.Lane(r.plan.lanes) {
		signers = append(signers, r.laneAddress(id))
	}
	first, err := roster.First(signers)
	if err != nil {
		r.fail("no first roster: %v", err)
	}
	r.lanes = &simLanes{roster: first, notices: map[simPair]lane.Notice{}, older: map[simPair]lane.Notice{}, dead: map[common.Address]uint64{}}
}

// ids are those of all lanes that there ever were.
func (r *simRun) ids() score.Lane { return score.Lane(len(r.lanes.roster.Lanes)) }

// simView is what a replica knows of the roster and of the notices.
type simView struct {
	*roster.Live
	r      *simRun
	posted map[simPair]lane.Notice
}

func (v *simView) Gone(_ context.Context, id score.Lane) error {
	return v.change("gone", func(all roster.Roster) (roster.Roster, error) { return all.Gone(id) })
}

func (v *simView) Wake(_ context.Context, id score.Lane) error {
	return v.change("wake", func(all roster.Roster) (roster.Roster, error) { return all.Wake(id) })
}

func (v *simView) change(what string, change func(roster.Roster) (roster.Roster, error)) (refused error) {
	err := simCall(v.fault, what, func() {
		var next roster.Roster
		if next, refused = change(v.r.lanes.roster); refused == nil {
			v.r.lanes.roster = next
		}
	})
	if err != nil {
		return err
	}
	return refused
}

func (v *simView) fault(what string) (before, after error) {
	return v.r.fault(what, v.r.plan.noticeFaults)
}

func (v *simView) Post(_ context.Context, from, to score.Lane, n lane.Notice) error {
	return simCall(v.fault, "post", func() {
		pair := simPair{from, to}
		if old, again := v.r.lanes.notices[pair]; again {
			v.r.lanes.older[pair] = old
		} else if !slices.Contains(v.r.lanes.pairs, pair) {
			v.r.lanes.pairs = append(v.r.lanes.pairs, pair)
		}
		v.r.lanes.notices[pair] = n
	})
}

func (v *simView) Posted(from, to score.Lane) lane.Notice {
	n := v.posted[simPair{from, to}]
	for _, pair := range v.r.lanes.pairs {
		if v.r.plant == takesTwice && pair.from == from {
			n.Given = max(n.Given, v.posted[pair].Given)
		}
	}
	return n
}

func (v *simView) Changed() <-chan struct{} { return nil }

// hearOfLanes shows a replica the roster, or some of the notices, as they are now.
func (r *simRun) hearOfLanes(p *simReplica, all bool) {
	if known, _ := p.view.Current(); (all || r.chance(50)) && !known.Equal(r.lanes.roster) {
		p.view.Set(r.lanes.roster)
	}
	for _, pair := range r.lanes.pairs {
		if !all && !r.chance(60) {
			continue
		}
		if n, there := r.lanes.notices[pair]; there {
			p.view.posted[pair] = n
		} else {
			delete(p.view.posted, pair)
		}
	}
	for id := range r.ids() {
		if s := p.sessions[id]; s != nil {
			s.handover.due = true
		}
	}
}

// loseNotice has a notice vanish, or an old copy of it come back.
func (r *simRun) loseNotice() {
	if len(r.lanes.pairs) == 0 {
		return
	}
	pair := r.lanes.pairs[r.draw(len(r.lanes.pairs))]
	r.did("notice lost")
	if old, there := r.lanes.older[pair]; there && r.chance(50) {
		r.lanes.notices[pair] = old
		return
	}
	delete(r.lanes.notices, pair)
}

// changeLanes does what `scorelay lanes` does.
func (r *simRun) changeLanes() {
	all, id := r.lanes.roster, score.Lane(r.draw(int(r.ids())))
	what, err := []string{"add", "remove", "replace", "cut"}[r.draw(4)], error(nil)
	if r.ids() == simMaxLanes {
		return
	}
	fresh := r.laneAddress(r.ids())
	switch what {
	case "add":
		all, _, err = all.Add(fresh)
	case "remove":
		all, err = all.Remove(id, true)
	case "replace":
		all, _, err = all.Replace(id, fresh, true)
	case "cut":
		all, err = all.Cut(id, false)
	}
	if err != nil {
		return
	}
	r.note("lanes: %s of lane %d", what, id)
	r.did("lanes changed")
	r.lanes.roster = all
	for len(r.holders) < len(all.Lanes) {
		r.holders = append(r.holders, r.draw(len(r.replicas)))
	}
	if what == "cut" && r.chance(30) {
		r.declareDead(id)
	}
}

// declareDead says that no transaction of a lane that was cut, but those that are in a block, will be carried out, and makes it so.
func (r *simRun) declareDead(id score.Lane) {
	l, _ := r.lanes.roster.Lane(id)
	state, address := r.watch.states[id], r.laneAddress(id)
	if l.State != roster.Cut || l.Dead || r.chain.Head().Nonce(address) > state.FirstOpen() {
		return
	}
	all, err := r.lanes.roster.Cut(id, true)
	if err != nil {
		r.fail("lane %d was cut, and cannot be declared dead: %v", id, err)
	}
	r.note("lanes: lane %d is dead from nonce %d on", id, state.FirstOpen())
	r.lanes.roster, r.lanes.dead[address] = all, state.FirstOpen()
}

// ready are the transactions of a node's pool that its next block may hold.
func (r *simRun) ready(n *model.Node, parent *model.Block) []*model.Tx {
	n.Drop(r.isDead)
	return n.Ready(parent)
}

func (r *simRun) isDead(tx *model.Tx) bool {
	from, dead := r.lanes.dead[tx.From]
	return dead && tx.Nonce() >= from
}

// keyed tells whether the replica knows of no cut of the lane, and drives says whether it is to drive it at all.
func (p *simReplica) drives(id score.Lane) (drives, keyed bool) {
	known, _ := p.view.Current()
	l, found := known.Lane(id)
	return found && l.Driven(), found && l.State != roster.Cut
}

// handedOver tells whether each lane owns what it shall, and nothing is on the way.
func (r *simRun) handedOver() bool {
	for _, l := range r.lanes.roster.Lanes {
		state := r.watch.states[l.ID]
		for _, given := range state.Given {
			if len(given.Open) > 0 {
				return false
			}
		}
		switch l.State {
		case roster.Active:
			if len(state.Buckets) != len(r.lanes.roster.Wanted(l.ID)) {
				return false
			}
		case roster.Gone:
			if !state.Empty() {
				return false
			}
		default:
			return false
		}
		for b := range state.Buckets {
			if r.lanes.roster.Owners[b] != l.ID {
				return false
			}
		}
	}
	return true
}

// auditLanes checks what all journals say together.
func (r *simRun) auditLanes() {
	lanes := lane.Lanes{}
	for id := range r.ids() {
		lanes[id] = r.watch.states[id]
	}
	settled, err := lanes.Settled()
	if err != nil {
		r.fail("the journals contradict each other: %v", err)
	}
	for b, at := range settled {
		if at.Seq == 0 && at.Index == 0 && r.source.last > 0 && r.watch.states[r.lanes.roster.Owners[b]].Buckets[score.Bucket(b)].Floor.Seq > 0 {
			r.fail("nothing of bucket %d is settled", b)
		}
	}
}

// took checks that what a lane takes is what another gave it, and did not get before.
func (w *simWatch) took(id score.Lane, e *lane.Take) {
	given := w.states[e.From].Given[id].Open
	i := slices.IndexFunc(given, func(h lane.Handover) bool { return h.N == e.N })
	if i < 0 {
		w.r.fail("lane %d takes handover %d of lane %d, which is not given to it", id, e.N, e.From)
	}
	gave, err := json.Marshal(given[i])
	took, again := json.Marshal(e.Handover)
	if err != nil || again != nil || !bytes.Equal(gave, took) {
		w.r.fail("lane %d takes another handover %d than lane %d gave", id, e.N, e.From)
	}
}

// purged checks that what was purged is bound, and that nothing that is open needs it.
func (w *simWatch) purged(below uint64) {
	w.r.users.each(func(at score.Position, _ simThing) {
		if at.Seq < below && !w.bindings[at] {
			w.r.fail("position %v is purged, and not bound", at)
		}
	})
	for id, state := range w.states {
		for i := range state.Slots {
			if work := &state.Slots[i].Work; work.Kind != lane.NonceOnly && work.From.Seq < below && !w.r.plan.deep && !w.faked && !w.early {
				w.r.fail("messages below %d are purged, and slot %d of lane %d carries what is at %v", below, state.Slots[i].Nonce, id, work.From)
			}
		}
		for i := range state.Queue {
			if work := &state.Queue[i]; work.From.Seq < below && !w.r.plan.deep && !w.faked && !w.early {
				w.r.fail("messages below %d are purged, and lane %d has queued what is at %v", below, id, work.From)
			}
		}
	}
}
