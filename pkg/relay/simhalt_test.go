package relay

import (
	"maps"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// neverHalts is a Halt of a NATS that loses nothing.
type neverHalts struct{}

func (neverHalts) Halted() bool                { return false }
func (neverHalts) Journaled(time.Time, uint64) {}
func (neverHalts) Unjournaled(score.Lane)      {}

// simHalt is the Halt of a simulation, whose NATS loses nothing: only a thief who calls the contract may stop the deployment.
type simHalt struct {
	neverHalts
	r *simRun
}

func (h simHalt) Unjournaled(id score.Lane) {
	if !h.r.plan.thiefCall && !h.r.plan.deep {
		h.r.fail("lane %d halts accepting for a transaction that its journal does not know, and all are in it", id)
	}
}

// pausedProjects are those that the operator paused.
func (r *simRun) pausedProjects() map[score.ProjectID]bool {
	paused := map[score.ProjectID]bool{}
	for id := range r.paused {
		if r.plant != pauseIgnored {
			paused[id] = true
		}
	}
	return paused
}

// pause has the operator pause a project.
func (r *simRun) pause() {
	if len(r.users.projects) == 0 {
		return
	}
	id := r.users.projects[r.draw(len(r.users.projects))].ID
	if _, is := r.paused[id]; !is {
		r.note("project %s paused", id)
		r.paused[id] = r.clock.Now()
		r.stats.pauses++
		r.did("pause")
	}
}

// resume has the operator resume a project, or all of them.
func (r *simRun) resume() {
	ids := slices.SortedFunc(maps.Keys(r.paused), func(a, b score.ProjectID) int { return slices.Compare(a[:], b[:]) })
	if len(ids) > 0 && !r.chance(20) {
		ids = ids[:1]
	}
	for _, id := range ids {
		r.note("project %s resumed", id)
		delete(r.paused, id)
	}
}
