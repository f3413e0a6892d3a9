package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/report"
	"github.com/scorelay/scorelay/pkg/score"
)

// The bounds of what is kept while the status store is away: reports, and the references in them, of 65 bytes each.
const (
	maxPending     = 4096
	maxPendingRefs = 200_000
)

// hold is for how long a head waits for pending reports, about: those that are left, and what is left to be taken back before a restore, are
// made at the next. It leaves a write that ends by it time for its last calls.
const hold = report.Timeout / 2

// reporter reports how far updates and creations are, as well as the status store allows (package report): nothing waits for
// it, and a report that fails is pending.
//
// Pending reports are lost with the session. docs/crashes.md (Statuses) has the rules by which a lane notices that, and that the store
// forgot reports: by its notes (ended, resume, look), of which each stands for all reports before it.
type reporter struct {
	id           score.Lane
	statuses     Statuses
	lane         *lane.Lane
	fenced       func(context.Context) error // lane.ErrFenced when another session or an operator wrote to the lane's journal
	writer       *report.Writer
	back         takenBack
	noted        uint64      // ends, in the last note of this session that the store kept; 0 before
	notes        uint64      // that the store kept
	sinceNote    *endReports // no note stands behind it yet
	process      string      // of the status store, when it was asked for last
	failedWrites uint64      // of this session
	failures     prometheus.Counter
	log          *slog.Logger
}

// endReports are those of work that ended, since a note or up to one. A note that failed writes came before asks whether the store still is
// the process that it was.
type endReports struct {
	begun        bool   // the first is written
	failedBefore uint64 // failedWrites when it was
}

func newReporter(
	id score.Lane, statuses Statuses, l *lane.Lane, fenced func(context.Context) error, failures prometheus.Counter, log *slog.Logger,
) *reporter {
	r := &reporter{id: id, statuses: statuses, lane: l, fenced: fenced, sinceNote: &endReports{}, failures: failures, log: log}
	r.writer = report.NewWriter(report.Config{MaxWrites: maxPending, MaxRefs: maxPendingRefs, Hold: hold, Log: log, RequestRestore: func(ctx context.Context) error {
		return r.takeBackAndRestore(ctx, l.State.Ends)
	}})
	return r
}

// note notes so many ends, without a look at what the store has.
func (r *reporter) note(ctx context.Context, ends uint64) error {
	_, err := r.statuses.Reported(ctx, r.id, 0, ends)
	if err == nil {
		r.noted, r.notes = ends, r.notes+1
	}
	return err
}

// report makes a report that holds so many references, or leaves it pending.
func (r *reporter) report(ctx context.Context, refs int, write func(context.Context) error) {
	made := r.writer.Write(ctx, refs, func(ctx context.Context) error {
		err := write(ctx)
		if err != nil && !errors.Is(err, report.ErrUnfinished) {
			r.failedWrites++
		}
		return err
	})
	if !made {
		r.failures.Inc()
	}
}

// reportEnd reports what ended, or that it did not.
func (r *reporter) reportEnd(ctx context.Context, refs int, write func(context.Context) error) {
	of := r.sinceNote
	r.report(ctx, refs, func(ctx context.Context) error {
		failed := r.failedWrites
		if err := write(ctx); err != nil {
			return err
		}
		if !of.begun {
			of.begun, of.failedBefore = true, failed
		}
		return nil
	})
}

// bound: they are in this slot now.
func (r *reporter) bound(ctx context.Context, nonce uint64, refs []score.Ref) {
	r.report(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Bound(ctx, r.id, nonce, refs) })
}

// stage: the slot's transaction came to a stage.
func (r *reporter) stage(ctx context.Context, e lane.Report) {
	epoch := r.lane.State.Epoch
	r.report(ctx, 0, func(ctx context.Context) error {
		return r.statuses.Slot(ctx, r.id, epoch, e.Nonce, e.Stage, e.Tx, e.Block)
	})
}

// final: outcomes[i] is what became of refs[i].
func (r *reporter) final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) {
	if len(refs) > 0 {
		r.reportEnd(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Final(ctx, tx, block, refs, outcomes) })
	}
}

// released: they are in no slot any more.
func (r *reporter) released(ctx context.Context, nonce uint64, refs []score.Ref) {
	if len(refs) > 0 {
		r.reportEnd(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Released(ctx, r.id, nonce, refs) })
	}
}

// takeBackTx: what was said of a slot's work in one of its transactions is taken back.
func (r *reporter) takeBackTx(ctx context.Context, slot *lane.Slot, tx common.Hash) error {
	nonce := slot.Nonce
	refs, err := carried(slot)
	if err == nil && len(refs) > 0 {
		r.reportEnd(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Reopened(ctx, r.id, nonce, tx, refs) })
	}
	return err
}

// takeBackSlot: what was said of the slot's work in any of its attempts, now that the slot ends, is taken back; what the one that ended it
// did is said next. A restore may have read that in a final block which the chain lost before the lane settled the slot, and in another
// block the same transaction may do something else, of which a status would keep what says more.
func (r *reporter) takeBackSlot(ctx context.Context, slot *lane.Slot) error {
	for i := range slot.Attempts {
		if err := r.takeBackTx(ctx, slot, slot.Attempts[i].Hash); err != nil {
			return err
		}
	}
	return nil
}

// ended notes, behind all reports about what ends now, that they were made. It comes before the end is journaled, so that a
// crash between them reports twice rather than not at all.
func (r *reporter) ended(ctx context.Context, now int) {
	ends := r.lane.State.Ends + uint64(now) // with what is journaled next
	of, forgot := r.sinceNote, false
	r.sinceNote = &endReports{}
	r.report(ctx, 0, func(ctx context.Context) error {
		if !forgot {
			kept, err := r.noteAfter(ctx, of, ends)
			if err != nil || kept {
				return err
			}
			r.logForgot(ends)
			forgot = true // though what is noted until this is done may look otherwise
		}
		return r.takeBackAndRestore(ctx, ends)
	})
}

// noteAfter notes so many ends, unless the store forgot what it was told: it has less than was noted last, or is another process than it was,
// and writes failed since the first of the reports that the note stands for.
func (r *reporter) noteAfter(ctx context.Context, of *endReports, ends uint64) (kept bool, err error) {
	if of.begun && of.failedBefore != r.failedWrites {
		failed := r.failedWrites
		if same, err := r.sameStore(ctx); err != nil || !same {
			return false, err
		}
		of.failedBefore = failed
	}
	kept, err = r.statuses.Reported(ctx, r.id, r.noted, ends)
	if err == nil && kept {
		r.noted, r.notes = ends, r.notes+1
	}
	return kept, err
}

// sameStore tells whether the store is the process that it was when this was asked last.
func (r *reporter) sameStore(ctx context.Context) (bool, error) {
	process, err := r.statuses.Process(ctx)
	same := process == r.process
	if err == nil {
		r.process = process
	}
	return same, err
}

func (r *reporter) logForgot(ends uint64) {
	r.log.Warn("the status store forgot what it was told last; the relayer restores the statuses from the stream and the chain", "ended", ends)
}

// giveUp gives up what is pending: another lane reports of the same updates from now on.
func (r *reporter) giveUp() {
	r.sinceNote = &endReports{}
	if r.writer.Pending() {
		r.writer.GiveUp()
	}
}

// requestRestore asks for a restore, behind the other reports of an end: the journal does not know what a transaction did, only its event
// tells.
func (r *reporter) requestRestore(ctx context.Context) {
	r.reportEnd(ctx, 0, r.statuses.RequestRestore)
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

// resume begins a session's reports. It asks for a restore if an earlier session ended before it could report how work
// ended, or the status store forgot that it did, and then reports again in which slots the newest work is, in case that session ended between journal and status.
// An end that was reported and not journaled counts for nothing: it is reported again, and what comes here may undo it before.
func (r *reporter) resume(ctx context.Context, window int) {
	ends := r.lane.State.Ends
	r.report(ctx, 0, func(ctx context.Context) error {
		if _, err := r.sameStore(ctx); err != nil {
			return err
		}
		reported, err := r.statuses.ReportedEnds(ctx, r.id)
		switch {
		case err != nil:
			return err
		case reported >= ends:
			return r.note(ctx, ends)
		}
		r.log.Warn("the status store has no note that the end of all the lane's work was reported; the relayer restores the statuses "+
			"from the stream and the chain", "reported", reported, "ended", ends)
		return r.takeBackAndRestore(ctx, ends)
	})
	r.replaySlots(ctx, window)
}

// replaySlots reports the open slots again: what reopened ones take back, and what the newest carry. What cannot be decoded
// is found corrupt when it is settled.
func (r *reporter) replaySlots(ctx context.Context, window int) {
	slots := r.lane.State.Slots
	for i := 0; i < len(slots) && slots[i].Reopened; i++ {
		for k := range slots[i].Attempts {
			if err := r.takeBackTx(ctx, &slots[i], slots[i].Attempts[k].Hash); err != nil {
				return
			}
		}
	}
	for i := max(0, len(slots)-window); i < len(slots); i++ {
		if refs, err := carried(&slots[i]); err == nil && len(refs) > 0 {
			r.bound(ctx, slots[i].Nonce, refs)
		}
	}
}

// replay makes the pending reports, while the lane is this session's: made late by one that lost it, they would undo what
// its successor reported since. The error is lane.ErrFenced.
func (r *reporter) replay(ctx context.Context) error {
	if !r.writer.Pending() {
		r.look(ctx)
		return nil
	}
	switch err := r.fenced(ctx); {
	case errors.Is(err, lane.ErrFenced):
		return err
	case err == nil:
		if err := r.writer.Replay(ctx); err != nil && !errors.Is(err, report.ErrUnfinished) {
			r.failures.Inc()
		}
	}
	return nil
}

// finish makes the pending reports once more before the session ends, if the lane is still its own and there is time: they end with it, and
// its successor would have all statuses restored.
func (r *reporter) finish(ctx context.Context) {
	if !r.writer.Pending() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), report.Timeout)
	defer cancel()
	_ = r.replay(ctx)
}

// look asks for a restore if the store has an older note than it was given: it was killed and forgot its last second, or was flushed.
func (r *reporter) look(ctx context.Context) {
	ends, forgot := r.lane.State.Ends, false
	r.report(ctx, 0, func(ctx context.Context) error {
		if !forgot {
			reported, err := r.statuses.ReportedEnds(ctx, r.id)
			if err != nil || reported >= r.noted {
				return err
			}
			if err := r.fenced(ctx); err != nil { // it may be the successor's note
				return err
			}
			r.logForgot(ends)
			forgot = true // though what is noted until this is done may look otherwise
		}
		return r.takeBackAndRestore(ctx, ends)
	})
}
