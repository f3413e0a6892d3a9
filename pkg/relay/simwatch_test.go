package relay

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// simWatch checks the invariants of every step whenever something is journaled or sent. It folds the journals by
// itself, and it sees the chain as it is.
type simWatch struct {
	r         *simRun
	states    []*lane.State           // by lane
	journaled []int                   // entries, by lane
	written   map[common.Hash]bool    // transactions that were journaled
	cheap     map[common.Hash]bool    // of them those that were refused for their price
	bindings  map[score.Position]bool // what is bound, by any lane
	dropped   map[score.Ref]int       // updates that were given up, by how often
	failed    map[string]int          // transactions that ended without having carried their calldata, by it
	again     map[score.Ref]int       // updates that overtook their project and went again
	highest   uint64                  // block that any branch ever had
	settledBy uint64                  // the highest block that ended a slot
	faked     bool                    // an endpoint made blocks up
	early     bool                    // or called its head finalized
	soleLiar  bool                    // or lied about an account, and a replica may have heard no other
	accepts   bool                    // the operator resumed a lane behind transactions that are not journaled
}

func newSimWatch(r *simRun) *simWatch {
	w := &simWatch{r: r, written: map[common.Hash]bool{}, cheap: map[common.Hash]bool{}, bindings: map[score.Position]bool{}, dropped: map[score.Ref]int{}, failed: map[string]int{}, again: map[score.Ref]int{}}
	for range simMaxLanes {
		w.states = append(w.states, &lane.State{})
		w.journaled = append(w.journaled, 0)
	}
	return w
}

// mayRepeat tells whether work may have been carried out twice, the second time for nothing: a thief did, the operator took
// transactions for done that were not journaled, or what was final was not, so that one that failed did not.
func (w *simWatch) mayRepeat() bool {
	return w.accepts || w.r.plan.thiefCall || w.r.plan.deep || w.faked || w.early
}

// sent checks that bytes are journaled before they leave the process.
func (w *simWatch) sent(raw []byte) {
	tx, err := w.r.chain.Decode(raw)
	if err != nil {
		w.r.fail("bytes were sent that are no transaction: %v", err)
	}
	if !w.written[tx.Hash()] {
		w.r.fail("transaction %s of nonce %d was sent and is not in any journal", tx.Hash(), tx.Nonce())
	}
}

// stored checks an entry against all before it, against the stream, and against the chain.
func (w *simWatch) stored(id score.Lane, e lane.Entry) {
	state := w.states[id]
	w.r.note("lane %d: %s", id, describe(e))
	w.journaled[id]++
	var snapshots []lane.Entry
	switch {
	case e.Bind != nil:
		w.bound(id, e.Bind)
	case e.Pass != nil:
		w.moved(id, e.Pass.Moves)
	case e.Park != nil:
		w.parked(id, state, e.Park)
	case e.Unpark != nil:
		w.r.stats.unparks++
	case e.Settle != nil:
		w.settled(id, state, e.Settle)
	case e.Skip != nil:
		w.skipped(id, state, e.Skip)
	case e.Drop != nil:
		w.gaveUp(state, e.Drop)
	case e.Take != nil:
		w.took(id, e.Take)
	case e.Snapshot != nil:
		snapshots, _ = state.Snapshots()
	}
	if e.Snapshot != nil && (e.Snapshot.Part >= len(snapshots) || !bytes.Equal(snapshots[e.Snapshot.Part].Snapshot.Data, e.Snapshot.Data)) {
		w.r.fail("lane %d: a snapshot is not what the journal says", id)
	}
	if err := state.Apply(e); err != nil {
		w.r.fail("lane %d: the entry %s does not follow: %v", id, describe(e), err)
	}
	for i := range state.Slots {
		slot := &state.Slots[i]
		for k := range slot.Attempts {
			w.written[slot.Attempts[k].Hash] = true
		}
		if last := len(slot.Attempts) - 1; e.Replacement != nil && e.Replacement.Nonce == slot.Nonce && !slot.Reopened { // of one reopened, the one that was executed is the last
			w.replaces(id, slot.Nonce, slot.Attempts[last-1], slot.Attempts[last])
		}
	}
}

// replaces checks that every node's pool takes an attempt in place of the one before it, unless that was too cheap for all that got it.
func (w *simWatch) replaces(id score.Lane, nonce uint64, old, next lane.Attempt) {
	if w.cheap[old.Hash] && next.Cap > old.Cap && next.Tip > old.Tip {
		return
	}
	if next.Cancel && !old.Cancel && old.Cap*1125 > simCeiling*1000 && next.Cap >= old.Cap && next.Tip >= old.Tip {
		return // it was dropped, or refused: there is most likely none to outbid, and the ceiling leaves no room for it
	}
	if next.Cap*1000 < old.Cap*1125 || next.Tip*1000 < old.Tip*1125 {
		w.r.fail("lane %d: an attempt of slot %d pays %d, %d after %d, %d, which no pool takes", id, nonce, next.Cap, next.Tip, old.Cap, old.Tip)
	}
}

func describe(e lane.Entry) string {
	switch {
	case e.Open != nil:
		return fmt.Sprintf("opened by %s in epoch %d", e.Open.Replica, e.Epoch)
	case e.Bind != nil:
		return fmt.Sprintf("bind of slot %d: %s, %d of them, moves %v", e.Bind.Nonce, e.Bind.Work.Kind, e.Bind.Work.Count, e.Bind.Moves)
	case e.Pass != nil:
		return fmt.Sprintf("pass: %v", e.Pass.Moves)
	case e.Park != nil:
		return fmt.Sprintf("project %s parked, bound %v", e.Park.Project, e.Park.Bound)
	case e.Unpark != nil:
		return fmt.Sprintf("project %s unparked", e.Unpark.Project)
	case e.Replacement != nil:
		return fmt.Sprintf("attempt of slot %d: %s", e.Replacement.Nonce, e.Replacement.Reason)
	case e.Settle != nil:
		return fmt.Sprintf("settle of slot %d: %s, by %s in block %d", e.Settle.Nonce, e.Settle.Result, short(e.Settle.Tx), e.Settle.Block.Number)
	case e.Skip != nil:
		return fmt.Sprintf("skip to %d, %d used", e.Skip.Next, len(e.Skip.Used))
	case e.Reopen != nil:
		return fmt.Sprintf("reopen of slot %d, filled: %t", e.Reopen.Nonce, e.Reopen.Raw != nil)
	case e.Resume != nil:
		return fmt.Sprintf("resumed below %d", e.Resume.Below)
	case e.Split != nil:
		return fmt.Sprintf("split of work %d", e.Split.ID)
	case e.Drop != nil:
		return fmt.Sprintf("drop of work %d: %s", e.Drop.ID, e.Drop.Reason)
	case e.Give != nil:
		return fmt.Sprintf("give to lane %d: buckets %v, work %v", e.Give.To, e.Give.Buckets, e.Give.Work)
	case e.Take != nil:
		return fmt.Sprintf("take of handover %d of lane %d: %d buckets, %d works", e.Take.N, e.Take.From, len(e.Take.Buckets), len(e.Take.Work))
	case e.Taken != nil:
		return fmt.Sprintf("taken by lane %d up to %d", e.Taken.To, e.Taken.N)
	case e.Abandon != nil:
		return "abandoned"
	case e.Snapshot != nil:
		return fmt.Sprintf("snapshot %d/%d of %d bytes", e.Snapshot.Part, e.Snapshot.Parts, len(e.Snapshot.Data))
	}
	return "nothing"
}

// moved checks that what an entry binds is in the lane's buckets and was never bound by any lane, and that floors pass only
// what is bound. It returns what the entry binds.
func (w *simWatch) moved(id score.Lane, moves []lane.Move) (updates []score.Update, alone []score.Ref) {
	type extent struct {
		bucket  score.Bucket
		project score.ProjectID // zero of all that are not parked
	}
	of := func(thing simThing) extent {
		if _, parked := w.states[id].Buckets[thing.bucket].Parked[thing.of()]; parked {
			return extent{thing.bucket, thing.of()}
		}
		return extent{bucket: thing.bucket}
	}
	floors := map[extent]score.Position{}
	for _, m := range moves {
		x := extent{bucket: m.Bucket}
		if m.Project != nil {
			x.project = *m.Project
		}
		floors[x] = m.Floor
		w.r.users.each(func(at score.Position, thing simThing) {
			if of(thing) != x || !m.Bound.Has(at) {
				return
			}
			if w.bindings[at] {
				w.r.fail("lane %d: position %v is bound twice", id, at)
			}
			w.bindings[at] = true
			switch {
			case thing.update != nil:
				updates = append(updates, *thing.update)
			case thing.alone != nil:
				alone = append(alone, *thing.alone)
				w.inOrder(id, *thing.alone, at)
			}
		})
	}
	w.r.users.each(func(at score.Position, thing simThing) {
		if floor, moved := floors[of(thing)]; moved && at.Before(floor) && !w.bindings[at] {
			w.r.fail("lane %d: the floor of bucket %d passes %v, which is not bound", id, thing.bucket, at)
		}
	})
	return updates, alone
}

// inOrder checks that an edit is bound behind all of its project that was accepted before it, before all that was accepted after it, and
// when nothing of its project that came before it is open in another lane.
func (w *simWatch) inOrder(id score.Lane, ref score.Ref, edit score.Position) {
	if !ref.Edit {
		return
	}
	w.r.users.each(func(at score.Position, thing simThing) {
		creates := thing.alone != nil && thing.alone.Creation
		if thing.of() == ref.Project && at != edit && !creates && at.Before(edit) != w.bindings[at] {
			w.r.fail("lane %d: the edit at %v is bound, and position %v of its project is bound: %t", id, edit, at, w.bindings[at])
		}
	})
	for other, state := range w.states {
		for i := range state.Slots {
			if p, _, err := carriedBy(&state.Slots[i]); err == nil && p != nil && score.Lane(other) != id &&
				slices.ContainsFunc(p.refs(), func(x score.Ref) bool { return x.Project == ref.Project }) {
				w.r.fail("lane %d: the edit at %v is bound, and lane %d carries what came before it in slot %d", id, edit, other, state.Slots[i].Nonce)
			}
		}
	}
}

// parked checks that what is said to be bound of a project that is parked is just that.
func (w *simWatch) parked(id score.Lane, state *lane.State, p *lane.Park) {
	w.r.stats.parks++
	w.r.users.each(func(at score.Position, thing simThing) {
		bound := w.bindings[at] && thing.of() == p.Project && !at.Before(state.Buckets[p.Bucket].Floor)
		if bound != p.Bound.Has(at) {
			w.r.fail("lane %d: project %s is parked, and position %v is bound: %t, which is not so", id, p.Project, at, p.Bound.Has(at))
		}
	})
}

// bound checks that new work is what the stream holds at its positions.
func (w *simWatch) bound(id score.Lane, b *lane.Bind) {
	tx, err := w.r.chain.Decode(b.Raw)
	if err != nil || tx.From != w.r.laneAddress(id) {
		w.r.fail("lane %d: slot %d is bound with a transaction of another key: %v", id, b.Nonce, err)
	}
	if b.Requeued != 0 {
		return
	}
	updates, alone := w.moved(id, b.Moves)
	for i := range updates {
		if since, is := w.r.paused[updates[i].Project]; is && w.r.clock.Now().Sub(since) > lookEvery {
			w.r.fail("lane %d: slot %d carries an update of project %s, which is paused since %s", id, b.Nonce, updates[i].Project, since)
		}
	}
	var carried []score.Update
	var single []score.Ref
	if batch, err := registry.DecodeBatch(tx.Data()); err == nil {
		carried = batch.Updates()
	} else if p, err := registry.DecodeCreateProject(tx.Data()); err == nil {
		single = append(single, score.CreationRef(p.ID))
	} else if e, err := registry.DecodeEdit(tx.Data()); err == nil {
		single = append(single, e.Ref())
	}
	compare := func(a, b score.Update) int {
		return bytes.Compare(fmt.Appendf(nil, "%x", a), fmt.Appendf(nil, "%x", b))
	}
	slices.SortFunc(updates, compare)
	slices.SortFunc(carried, compare)
	if !slices.Equal(updates, carried) || !slices.Equal(alone, single) {
		w.r.fail("lane %d: slot %d carries %d updates and %d creations or edits; the positions that it binds hold %d and %d, or others",
			id, b.Nonce, len(carried), len(single), len(updates), len(alone))
	}
}

// settled checks that a slot ends only by a transaction that used its nonce in a block deep enough.
func (w *simWatch) settled(id score.Lane, state *lane.State, e *lane.Settle) {
	slot := state.Slot(e.Nonce)
	if slot == nil {
		return // the fold says so
	}
	block := w.r.chain.Block(e.Block.Hash)
	if block == nil {
		if w.faked {
			return
		}
		w.r.fail("lane %d: slot %d is settled by block %d (%s), which there never was", id, e.Nonce, e.Block.Number, e.Block.Hash)
	}
	depth := max(w.r.plan.confirmations, 1)
	if w.r.plan.confirmations == 0 && !w.early {
		depth = w.r.plan.lag + 1
	}
	w.settledBy = max(w.settledBy, min(block.Number, w.r.chain.Head().Number))
	if block.Number+depth-1 > w.highest {
		w.r.fail("lane %d: slot %d is settled by block %d, and no branch had more than %d blocks", id, e.Nonce, block.Number, w.highest)
	}
	attempt := slot.Attempt(e.Tx)
	at := slices.IndexFunc(block.Txs, func(tx *model.Tx) bool { return tx.From == w.r.laneAddress(id) && tx.Nonce() == e.Nonce })
	byAccount := e.Result == lane.Foreign && (slot.Work.Kind == lane.NonceOnly || e.Nonce < state.Resumed)
	switch {
	case byAccount && block.Nonce(w.r.laneAddress(id)) > e.Nonce: // the block need not hold the transaction
		if own := holds(block, slot); own != nil && slot.Work.Kind != lane.NonceOnly {
			w.r.fail("lane %d: slot %d is settled as another's by an account, and its own transaction is in block %d", id, e.Nonce, own.Number)
		}
	case byAccount && slot.Work.Kind == lane.NonceOnly && w.soleLiar:
		// An account without proof was the lie of the only endpoint that answered. Nothing is lost with the slot, and the gap is filled when an account shows it.
	case at < 0:
		w.r.fail("lane %d: slot %d is settled by block %d, which does not use its nonce", id, e.Nonce, block.Number)
	case e.Result == lane.Foreign && slot.Attempt(block.Txs[at].Hash()) != nil:
		w.r.fail("lane %d: slot %d is settled as another's, and its own transaction is in block %d", id, e.Nonce, block.Number)
	case e.Result != lane.Foreign && (attempt == nil || block.Txs[at].Hash() != e.Tx):
		w.r.fail("lane %d: slot %d is settled by %s, and block %d holds %s", id, e.Nonce, e.Tx, block.Number, block.Txs[at].Hash())
	case e.Result == lane.Done && (attempt.Cancel && slot.Work.Kind != lane.NonceOnly || block.Receipts[at].Status != types.ReceiptStatusSuccessful),
		e.Result == lane.Reverted && block.Receipts[at].Status == types.ReceiptStatusSuccessful, e.Result == lane.Cancelled && !attempt.Cancel:
		w.r.fail("lane %d: slot %d is settled as %s, which its receipt in block %d does not say", id, e.Nonce, e.Result, block.Number)
	}
	switch data, err := slot.Data(); {
	case e.Result == lane.Done:
		w.overtook(e)
	case err == nil && e.Result != lane.Foreign:
		w.failed[string(data)]++
	}
}

// holds is the block, of this one and those before it, that holds one of the slot's transactions; nil if none does.
func holds(block *model.Block, slot *lane.Slot) *model.Block {
	for ; block != nil; block = block.Parent {
		if slices.ContainsFunc(block.Txs, func(tx *model.Tx) bool { return slot.Attempt(tx.Hash()) != nil }) {
			return block
		}
	}
	return nil
}

func (w *simWatch) overtook(e *lane.Settle) {
	for _, work := range e.Again {
		if b, err := registry.DecodeBatch(work.Data); err == nil {
			for _, u := range b.Updates() {
				w.again[u.Ref()]++
			}
		}
	}
}

// skipped checks that nonces are skipped only over transactions that used them, or where the journal begins.
func (w *simWatch) skipped(id score.Lane, state *lane.State, e *lane.Skip) {
	if state.First == nil {
		return
	}
	for i, used := range e.Used {
		tx := w.r.chain.Tx(used.Tx)
		if tx == nil || tx.From != w.r.laneAddress(id) || tx.Nonce() != state.Next+uint64(i) || w.written[used.Tx] && !state.Abandoned {
			w.r.fail("lane %d: nonce %d is skipped, and %s does not explain it", id, state.Next+uint64(i), used.Tx)
		}
	}
}

// gaveUp counts what is dropped, which must be dead-lettered by then.
func (w *simWatch) gaveUp(state *lane.State, e *lane.Drop) {
	i := slices.IndexFunc(state.Queue, func(work lane.Work) bool { return work.ID == e.ID })
	if i < 0 {
		return // the fold says so
	}
	if tries := w.failed[string(state.Queue[i].Data)]; tries < refusedTries {
		w.r.fail("work is dropped after %d transactions of its own that failed on the chain: %s", tries, e.Reason)
	}
	b, err := registry.DecodeBatch(state.Queue[i].Data)
	if err != nil {
		return // a creation; see the audit
	}
	for _, u := range b.Updates() {
		w.dropped[u.Ref()]++
		letter := slices.ContainsFunc(w.r.source.order, func(id string) bool {
			d := w.r.source.letters[id]
			return d.Update != nil && *d.Update == u
		})
		if !letter {
			w.r.fail("an update is dropped without a dead letter: %s", u.ID)
		}
	}
}
