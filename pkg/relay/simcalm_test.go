package relay

import (
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	calmSeconds  = 400 // in which all must come to its end once the faults are over
	stillSeconds = 45  // in which a lane that is not at its end must journal something
	quietSeconds = 3   // in which nothing happens any more, until that is believed
)

// calmDown ends all faults, and lets everything run until all that was accepted has its end.
func (r *simRun) calmDown() {
	r.note("calm")
	r.calm = true
	for _, s := range r.zombies {
		s.heads.Close()
	}
	r.zombies = nil
	for _, n := range r.nodes {
		n.Faults, n.Rules, n.Keeps = model.Faults{}, r.rules(), true
		n.Drop(func(tx *model.Tx) bool { return tx.From == r.chain.Admin }) // one that takes a role away again
	}
	for _, p := range r.replicas {
		for _, link := range p.client.Links() {
			link.Down = false
		}
	}
	r.chain.BaseFee, r.chain.Tip = simGwei, simGwei
	r.paused = map[score.ProjectID]time.Time{}
	for id := range r.ids() {
		if r.plan.role {
			r.setRole(id, true)
		}
	}
	quiet, last, still := 0, make([]int, simMaxLanes), make([]int, simMaxLanes)
	for second := range calmSeconds {
		r.calmSecond()
		if second%20 == 10 {
			r.purge(r.anyReplica())
		}
		for id := range r.ids() {
			if second%30 == 20 { // what is too cheap for the chain will never be carried out without the key
				r.declareDead(id)
			}
		}
		if quiet++; !r.quiet() {
			quiet = 0
		}
		for id, journaled := range r.watch.journaled {
			if still[id]++; id >= int(r.ids()) || journaled != last[id] || r.done(score.Lane(id)) {
				last[id], still[id] = journaled, 0
			}
			if still[id] == stillSeconds {
				r.fail("lane %d waits for %d s of calm: %s", id, stillSeconds, r.waiting())
			}
		}
		if quiet == quietSeconds {
			r.stats.calmed = second + 1 - quietSeconds
			return
		}
	}
	r.fail("not all came to its end within %d s of calm: %s", calmSeconds, r.waiting())
}

func (r *simRun) calmSecond() {
	for range 2 {
		r.advance(500)
		for _, p := range r.replicas {
			r.hearOfLanes(p, true)
		}
		for _, p := range r.replicas {
			r.round(p)
		}
		for id := range r.ids() {
			p := r.replicas[r.holders[id]]
			r.turn(p, func() { r.run(p, id) })
		}
	}
	r.operate()
	r.foldOn(r.replicas[r.keeper])
	r.gossip(100)
	r.mine(r.nodes[0])
}

// run lets a lane do all there is to do now.
func (r *simRun) run(p *simReplica, id score.Lane) {
	if p.sessions[id] == nil {
		r.drive(p, id)
	}
	s := p.sessions[id]
	if s == nil {
		return
	}
	for i := range 200 {
		read, again := s.intake.read, s.intake.second.read
		for _, what := range []int{min(2*i, 2), 3} { // it hears of a head first
			if err := r.step(s, what); err != nil {
				r.note("session of lane %d ends: %v", id, err)
				s.heads.Close()
				delete(p.sessions, id)
				return
			}
		}
		if i > 0 && s.intake.read == read && s.intake.second.read == again {
			return
		}
	}
}

// quiet tells whether nothing is left to do.
func (r *simRun) quiet() bool {
	if !r.handedOver() {
		return false
	}
	for _, l := range r.lanes.roster.Lanes {
		id := l.ID
		s := r.replicas[r.holders[id]].sessions[id]
		if l.State == roster.Gone {
			continue
		}
		if s == nil || s.reporter.pending() || !r.done(id) {
			return false
		}
	}
	return r.foldedAll()
}

// done tells whether all that is in a lane's buckets is final.
func (r *simRun) done(id score.Lane) bool {
	state := r.watch.states[id]
	done := state.Epoch > 0 && len(state.Slots)+len(state.Queue) == 0
	r.users.each(func(at score.Position, thing simThing) {
		if held, owned := state.Buckets[thing.bucket]; owned && !held.Of(thing.of()).Has(at) {
			done = false
		}
	})
	for _, held := range state.Buckets { // a project of which nothing waits is unparked
		done = done && len(held.Parked) == 0
	}
	return done
}

// waiting says what is left.
func (r *simRun) waiting() string {
	var out []string
	for id := range r.ids() {
		state, s := r.watch.states[id], r.replicas[r.holders[id]].sessions[id]
		l, _ := r.lanes.roster.Lane(id)
		text := fmt.Sprintf("lane %d (%s, dead %t, %d of %d buckets, took %v, given %v, %d leaving): next nonce %d, chain's nonce %d, %d open, %d queued, reads from %v", id, l.State, l.Dead, len(state.Buckets), len(r.lanes.roster.Wanted(id)), state.Took, briefly(state), r.leaving(s), state.Next,
			r.chain.Head().Nonce(r.laneAddress(id)), len(state.Slots), len(state.Queue), state.ReadFrom())
		if s != nil {
			text += fmt.Sprintf(", waits for %q (%q), reports pending: %t", s.blocked(), s.waiting.reason, s.reporter.pending())
			if head := s.lane.View(); head != nil {
				text += fmt.Sprintf(", head %d, final %d, account %d at %d, reorged %v, foreign %d", head.Head.Number, head.Final.Number,
					head.Account.Nonce, head.Account.At.Number, head.Reorged, len(head.Foreign))
			}
		}
		out = append(out, text)
	}
	out = append(out, fmt.Sprintf("chain's head %d, statuses complete %t, fold at %v, ledger ends at %d, dead letters at %d, settled by %d",
		r.chain.Head().Number, r.statuses.complete, r.replicas[r.keeper].fold.at, r.ledger.last, r.source.letterSeq, r.watch.settledBy))
	return strings.Join(out, "; ")
}

// briefly tells of each lane how many handovers it was given, and how many of them are open.
func briefly(state *lane.State) map[score.Lane][2]int {
	out := map[score.Lane][2]int{}
	for to, given := range state.Given {
		out[to] = [2]int{int(given.N), len(given.Open)}
	}
	return out
}

func (r *simRun) leaving(s *simSession) int {
	if s == nil {
		return 0
	}
	return len(s.intake.leaving)
}

// simEvent is what the contract said.
type simEvent struct {
	tx       common.Hash
	updates  []score.Update
	outcomes []score.Outcome
	project  *score.ProjectID
}
