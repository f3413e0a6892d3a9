package relay

import (
	"time"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Others than the lanes: a thief of their keys, and the operator.

// steal sends a transaction with a lane's key: a transfer, or a call that carries the lane's own work, as one would that was
// bound before the journal was restored from an older copy.
func (r *simRun) steal() {
	id := score.Lane(r.draw(int(r.ids())))
	self := r.laneAddress(id)
	nonce := r.chain.Head().Nonce(self) + uint64(r.draw(2))
	tx := r.sign(laneAccount(id), nonce, &self, nil, 21_000, 900*simGwei)
	if slots := r.watch.states[id].Slots; r.plan.thiefCall && len(slots) > 0 && r.chance(50) {
		if data, err := slots[r.draw(len(slots))].Data(); err == nil && len(data) > 0 {
			tx = r.sign(laneAccount(id), nonce, &r.chain.Contract, data, 6_000_000, 900*simGwei)
		}
	}
	r.did("thief")
	r.note("the thief of lane %d uses nonce %d: %s", id, nonce, short(tx.Hash()))
	for _, n := range r.nodes {
		n.Hear(tx)
	}
}

// patience is how long an operator takes to see that a lane halts.
const patience = 3 * time.Second

// operate lets lanes continue that halt for a while because of a transaction that their journal does not know, as `scorelay
// lanes resume` does.
func (r *simRun) operate() {
	for id := range r.ids() {
		s := r.replicas[r.holders[id]].sessions[id]
		since, halted := r.halted[id]
		switch {
		case s == nil || s.lane.Blocked() != lane.WaitUnjournaled:
			delete(r.halted, id)
		case !halted:
			r.halted[id] = r.clock.Now()
		case r.clock.Now().Sub(since) >= patience:
			if !r.plan.thiefCall {
				r.fail("lane %d halts for a transaction to the contract that its journal does not know, and all are in it", id)
			}
			r.accept(id, s.lane.View().Account.Nonce)
			delete(r.halted, id)
		}
	}
}

func (r *simRun) accept(id score.Lane, below uint64) {
	state := r.watch.states[id]
	if below <= state.FirstOpen() {
		return
	}
	r.watch.accepts = true
	last, err := r.journal.Last(background(), id)
	epoch, identity := state.Epoch+1, state.Identity
	for _, e := range []lane.Entry{
		{Open: &lane.Open{Replica: "operator", Identity: identity}}, {Resume: &lane.Resume{Below: below}},
	} {
		if err != nil {
			r.fail("the operator couldn't write: %v", err)
		}
		e.Version, e.Epoch, e.Time = lane.Version, epoch, r.clock.Now()
		last, err = r.journal.Append(background(), id, last, e)
	}
}

// events are what the contract said in a block.
func (r *simRun) events(b *model.Block) (out []simEvent) {
	for _, receipt := range b.Receipts {
		for _, log := range receipt.Logs {
			switch e, err := registry.ParseLog(log); e := e.(type) {
			case registry.BatchApplied:
				out = append(out, simEvent{tx: receipt.TxHash, updates: e.Batch.Updates(), outcomes: e.Outcomes})
			case registry.ProjectCreated:
				out = append(out, simEvent{tx: receipt.TxHash, project: &e.Project.ID})
			default:
				_ = err // of the access control
			}
		}
	}
	return out
}
