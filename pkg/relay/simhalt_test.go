package relay

import (
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
