package relay

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay/internal/model"
	"github.com/scorelay/scorelay/pkg/score"
)

// Others than the lanes: a thief of their keys, the operator, and the one who restores statuses.

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

// restore brings the statuses back from the stream and the final blocks, as index.Restorer does.
func (r *simRun) restore(by *simReplica) {
	if r.statuses.complete || !r.alive(by) {
		return
	}
	final, ok := by.tracker.Final()
	block := r.chain.Block(final.Hash)
	if !ok || block == nil || block.Number < r.watch.settledBy {
		return // a real one reads the final block from endpoints, which may be behind what lanes settled by, too
	}
	r.note("%s restores the statuses up to block %d", by.name, final.Number)
	for _, record := range r.users.records {
		if ref, alone := record.Alone(); alone {
			r.statuses.accepted(ref)
		}
		r.statuses.accepted(score.Refs(record.Updates)...)
	}
	var blocks []*model.Block
	for ; block != nil; block = block.Parent {
		blocks = append(blocks, block)
	}
	slices.Reverse(blocks)
	for _, b := range blocks {
		r.restoreBlock(b)
	}
	r.restoreLetters()
	r.restoreEdits(blocks[len(blocks)-1])
	r.statuses.complete = true
}

func (r *simRun) restoreBlock(b *model.Block) {
	for _, e := range r.events(b) {
		switch {
		case e.project != nil:
			_ = r.statuses.final("dead", e.tx, b.Number, []score.Ref{score.CreationRef(*e.project)}, []score.Outcome{score.Applied})
		default:
			_ = r.statuses.final("event", e.tx, b.Number, score.Refs(e.updates), e.outcomes)
		}
	}
}

// restoreLetters writes the outcomes that no event tells.
func (r *simRun) restoreLetters() {
	for _, id := range r.source.order {
		switch d := r.source.letters[id]; {
		case d.Edit != nil:
			_ = r.statuses.final("dead", d.Tx, 0, []score.Ref{d.Edit.Ref()}, []score.Outcome{d.Outcome})
		case d.Outcome != score.Unprocessable && d.Outcome != score.ProjectExists:
		case d.Project != nil:
			_ = r.statuses.final("dead", d.Tx, 0, []score.Ref{score.CreationRef(d.Project.ID)}, []score.Outcome{d.Outcome})
		case d.Update != nil:
			_ = r.statuses.final("dead", d.Tx, 0, []score.Ref{d.Update.Ref()}, []score.Outcome{d.Outcome})
		}
	}
}

// restoreEdits writes the outcomes of edits that were made: no event has their nonces, but their lanes are done with them, and no dead
// letter tells of them.
func (r *simRun) restoreEdits(final *model.Block) {
	lanes := lane.Lanes{}
	for id := range r.ids() {
		lanes[id] = r.watch.states[id]
	}
	for _, e := range r.users.edits {
		done, err := lanes.Ended(e.Project, score.Position{Seq: e.seq})
		if err != nil {
			r.fail("couldn't tell what the lanes are done with: %v", err)
		}
		if done && r.users.letter(e.seq) == nil && e.Nonce < final.NextEdit(e.Project) {
			_ = r.statuses.final("dead", common.Hash{}, 0, []score.Ref{e.Ref()}, []score.Outcome{score.Applied})
		}
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
