package relay

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/relay/internal/model"
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
		n.Faults, n.Rules, n.Keeps = model.Faults{}, model.Rules{}, true
		n.Drop(func(tx *model.Tx) bool { return tx.From == r.chain.Admin }) // one that takes a role away again
	}
	for _, p := range r.replicas {
		for _, link := range p.client.Links() {
			link.Down = false
		}
	}
	r.chain.BaseFee, r.chain.Tip = simGwei, simGwei
	for id := range score.Lane(r.plan.lanes) {
		if r.plan.role {
			r.setRole(id, true)
		}
	}
	quiet, last, still := 0, make([]int, r.plan.lanes), make([]int, r.plan.lanes)
	for second := range calmSeconds {
		r.calmSecond()
		if quiet++; !r.quiet() {
			quiet = 0
		}
		for id, journaled := range r.watch.journaled {
			if still[id]++; journaled != last[id] || r.done(score.Lane(id)) {
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
			r.round(p)
		}
		for id := range score.Lane(r.plan.lanes) {
			p := r.replicas[r.holders[id]]
			r.turn(p, func() { r.run(p, id) })
		}
	}
	r.operate()
	r.restore(r.replicas[0])
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
	what := 0
	for range 100 {
		before := s.intake.read
		if err := r.step(s, what); err != nil {
			r.note("session of lane %d ends: %v", id, err)
			s.heads.Close()
			delete(p.sessions, id)
			return
		}
		if what == 2 && s.intake.read == before {
			return
		}
		what = 2
	}
}

// quiet tells whether nothing is left to do.
func (r *simRun) quiet() bool {
	for id := range score.Lane(r.plan.lanes) {
		s := r.replicas[r.holders[id]].sessions[id]
		if s == nil || s.reporter.writer.Pending() || !r.done(id) {
			return false
		}
	}
	return r.statuses.complete
}

// done tells whether all that is in a lane's buckets is final.
func (r *simRun) done(id score.Lane) bool {
	state := r.watch.states[id]
	done := state.Epoch > 0 && len(state.Slots)+len(state.Queue) == 0
	r.users.each(func(at score.Position, thing simThing) {
		if held, owned := state.Buckets[thing.bucket]; owned && !held.Has(at) {
			done = false
		}
	})
	return done
}

// waiting says what is left.
func (r *simRun) waiting() string {
	var out []string
	for id := range score.Lane(r.plan.lanes) {
		state, s := r.watch.states[id], r.replicas[r.holders[id]].sessions[id]
		text := fmt.Sprintf("lane %d: next nonce %d, chain's nonce %d, %d open, %d queued, reads from %v", id, state.Next,
			r.chain.Head().Nonce(r.laneAddress(id)), len(state.Slots), len(state.Queue), state.ReadFrom())
		if s != nil {
			text += fmt.Sprintf(", waits for %q (%q), reports pending: %t", s.blocked(), s.waiting.reason, s.reporter.writer.Pending())
			if head := s.lane.View(); head != nil {
				text += fmt.Sprintf(", head %d, final %d, account %d at %d, gone %v, foreign %d", head.Head.Number, head.Final.Number,
					head.Account.Nonce, head.Account.At.Number, head.Gone, len(head.Foreign))
			}
		}
		out = append(out, text)
	}
	out = append(out, fmt.Sprintf("chain's head %d, statuses complete %t", r.chain.Head().Number, r.statuses.complete))
	return strings.Join(out, "; ")
}

// simEvent is what the contract said.
type simEvent struct {
	tx       common.Hash
	updates  []score.Update
	outcomes []score.Outcome
	project  *score.ProjectID
}
