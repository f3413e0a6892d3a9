package relay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	reportTimeout = 2 * time.Second // of one report; stores give up much earlier by themselves
	reportHold    = time.Second     // for how long a head waits for late reports, about; the others are made at the next
	reportBeside  = 64              // later slots whose transactions are named with a slot: nodes hold no more of a signer at once

	noSlot = math.MaxUint64 // as a nonce: none is late
)

// reporter reports in which slot work is and how far the slot is, as well as the status store allows: nothing waits for it. What became of
// work the ledger tells (index.Statuses), but for edits.
//
// Reports follow what is journaled, and say what the lane's state says. So nothing is kept of one that failed but from which slot on
// all are made again, at a later head: that is bounded, in order, and newer than what failed. All are made when a session
// begins, and when the store has another generation: it lost what it was told. Of those that no state tells, that work is in no slot any
// more, one that fails is dropped: the status says what it said until the work is in another slot, or final.
type reporter struct {
	id         score.Lane
	statuses   Statuses
	lane       *lane.Lane
	fenced     func(context.Context) error // lane.ErrFenced when another session or an operator wrote to the lane's journal
	late       uint64                      // open slots from this nonce on are to be reported again; noSlot: none
	lateEdits  bool                        // those that were made are to be reported again
	generation string                      // of the store, when it was looked at last
	failures   prometheus.Counter
}

func newReporter(id score.Lane, statuses Statuses, l *lane.Lane, fenced func(context.Context) error, failures prometheus.Counter) *reporter {
	return &reporter{id: id, statuses: statuses, lane: l, fenced: fenced, late: noSlot, failures: failures}
}

// report makes a report, and reports whether the store took it.
func (r *reporter) report(ctx context.Context, write func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	err := write(ctx)
	if err != nil {
		r.failures.Inc()
	}
	return err == nil
}

// pending reports whether reports are late.
func (r *reporter) pending() bool { return r.late != noSlot || r.lateEdits }

// bound: the slot is journaled.
func (r *reporter) bound(ctx context.Context, nonce uint64) {
	if nonce < r.late && !r.report(ctx, func(ctx context.Context) error { return r.slot(ctx, r.lane.State.Slot(nonce)) }) {
		r.late = nonce
	}
}

// stage: the slot's transaction came to a stage.
func (r *reporter) stage(ctx context.Context, e lane.Report) {
	if e.Nonce < r.late && !r.report(ctx, func(ctx context.Context) error { return r.staged(ctx, e) }) {
		r.late = e.Nonce
	}
}

func (r *reporter) staged(ctx context.Context, e lane.Report) error {
	return r.statuses.Slot(ctx, r.id, r.lane.State.Epoch, e.Nonce, e.Stage, e.Tx, e.Block)
}

// released: they are in no slot any more.
func (r *reporter) released(ctx context.Context, nonce uint64, refs []score.Ref) {
	if len(refs) > 0 {
		r.report(ctx, func(ctx context.Context) error { return r.statuses.Released(ctx, r.id, nonce, refs) })
	}
}

// edited: the lane's newest settled slot carried an edit, which is made.
func (r *reporter) edited(ctx context.Context) {
	past := r.lane.State.Past
	if !r.report(ctx, func(ctx context.Context) error { return r.edit(ctx, &past[len(past)-1]) }) {
		r.lateEdits = true
	}
}

func (r *reporter) edit(ctx context.Context, past *lane.Past) error {
	refs, err := carried(&past.Slot)
	if err != nil {
		return nil //nolint:nilerr // a journal that contradicts itself is no matter of the store's
	}
	return r.statuses.Final(ctx, past.Tx, past.Block.Number, refs, []score.Outcome{score.Applied})
}

// slot reports what an open slot carries, and how far it is. What cannot be decoded is found corrupt when it is settled.
func (r *reporter) slot(ctx context.Context, slot *lane.Slot) error {
	refs, err := carried(slot)
	if err != nil || len(refs) == 0 {
		return nil //nolint:nilerr // see above
	}
	txs := slot.Txs()
	for _, tx := range txs {
		if !slot.Reopened || slot.Work.Kind != lane.Edit {
			break
		}
		if err := r.statuses.Reopened(ctx, r.id, slot.Nonce, tx, refs); err != nil {
			return err
		}
	}
	e, known := r.lane.Reported(slot.Nonce)
	final := slot.Final
	switch { // it was of another branch, maybe
	case slot.Reopened:
		final = 0
	case known && e.Block > 0:
		final = min(final, e.Block-1)
	}
	for i := range r.lane.State.Slots { // the id may have been accepted again since, and what later slots rejected is no earlier try's
		if later := &r.lane.State.Slots[i]; slot.Nonce < later.Nonce && later.Nonce <= slot.Nonce+reportBeside {
			txs = append(txs, later.Txs()...)
		}
	}
	if err := r.statuses.Bound(ctx, r.id, slot.Nonce, refs, final, txs); err != nil || !known {
		return err
	}
	return r.staged(ctx, e)
}

// carried names what the slot carries; nothing where it only uses its nonce up. The error is lane.ErrCorrupt.
func carried(slot *lane.Slot) ([]score.Ref, error) {
	p, _, err := carriedBy(slot)
	if err != nil || p == nil {
		return nil, err
	}
	return p.refs(), nil
}

// carriedBy reads what the slot carries, nil where that is nothing, and its calldata. The error is lane.ErrCorrupt.
func carriedBy(slot *lane.Slot) (*piece, []byte, error) {
	data, err := slot.Data()
	if err != nil || slot.Work.Kind == lane.NonceOnly {
		return nil, data, err
	}
	p, err := pieceOf(slot.Work.Kind, data)
	if err != nil {
		return nil, nil, fmt.Errorf("slot %d: %w: %w", slot.Nonce, lane.ErrCorrupt, err)
	}
	return p, data, nil
}

// resume begins a session's reports: the last one may have ended between journal and report.
func (r *reporter) resume() { r.late, r.lateEdits = 0, true }

// replay makes late reports, while the lane is this session's: made by one that lost it, they would undo what its successor reported. Those of slots
// that are open again are made at each head: the ledger may tell only later that their blocks are gone. The error is lane.ErrFenced.
func (r *reporter) replay(ctx context.Context) error {
	r.report(ctx, func(ctx context.Context) error {
		generation, err := r.statuses.Generation(ctx)
		if err == nil && generation != r.generation {
			r.generation = generation
			r.resume()
		}
		return err
	})
	state := r.lane.State
	if !r.pending() && (len(state.Slots) == 0 || !state.Slots[0].Reopened) {
		return nil
	}
	if err := r.fenced(ctx); err != nil {
		if errors.Is(err, lane.ErrFenced) {
			return err
		}
		return nil // it is not known
	}
	began := time.Now()
	for i := range state.Past {
		past := &state.Past[i]
		if r.lateEdits && past.Work.Kind == lane.Edit && !r.report(ctx, func(ctx context.Context) error { return r.edit(ctx, past) }) {
			return nil
		}
	}
	r.lateEdits = false
	for i := range state.Slots {
		slot := &state.Slots[i]
		if slot.Nonce < r.late && !slot.Reopened {
			continue
		}
		if time.Since(began) >= reportHold || !r.report(ctx, func(ctx context.Context) error { return r.slot(ctx, slot) }) {
			return nil
		}
		if slot.Nonce >= r.late {
			r.late = slot.Nonce + 1
		}
	}
	r.late = noSlot
	return nil
}
