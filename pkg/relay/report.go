package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
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
// Pending reports are lost with the session. So each end of work is followed by a note of it (ended), and a session that
// finds that an earlier one noted less than the journal holds asks for a restore from the stream and the chain.
type reporter struct {
	id       score.Lane
	statuses Statuses
	lane     *lane.Lane
	fenced   func(context.Context) error // lane.ErrFenced when another session or an operator wrote to the lane's journal
	writer   *report.Writer
	back     takenBack
	failures prometheus.Counter
	log      *slog.Logger
}

// takenBack is how far the reporter came with what it takes back before a restore. A store that was killed since and forgot some of it has
// another note than this, which was written behind it: then nothing counts.
type takenBack struct {
	steps map[step]struct{}
	note  uint64 // fewer ends than there are
}

// step is one write of what is taken back: what tx made of what a slot carries; or, by the zero hash, that it is in the slot.
type step struct {
	slot, tx common.Hash // the slot's by its first transaction
	of       part
}

// part is the part of a lane's state in which a slot is.
type part uint8

const (
	inSlots part = iota
	inLost
	inPast
)

func newReporter(
	id score.Lane, statuses Statuses, l *lane.Lane, fenced func(context.Context) error, failures prometheus.Counter, log *slog.Logger,
) *reporter {
	r := &reporter{id: id, statuses: statuses, lane: l, fenced: fenced, failures: failures, log: log}
	r.writer = report.NewWriter(report.Config{MaxWrites: maxPending, MaxRefs: maxPendingRefs, Hold: hold, Log: log, RequestRestore: func(ctx context.Context) error {
		return r.restoreEnded(ctx, l.State.Ends)
	}})
	return r
}

// restoreEnded asks for a restore after reports were given up, some of the first so many ends among them, once it has taken back what
// the restore would not replace. Meanwhile fewer ends are noted, so that this is done again if it fails or the session ends. The error
// is report.ErrUnfinished where there is more to take back than a head may be held for.
func (r *reporter) restoreEnded(ctx context.Context, ends uint64) error {
	most := max(ends, 1) - 1 // that is noted until this is done
	if err := r.resumeTakingBack(ctx, most); err != nil {
		return err
	}
	made, err := r.takeBack(ctx)
	if errors.Is(err, report.ErrUnfinished) {
		note := most
		if r.back.note > 0 {
			note = r.back.note - 1
		}
		if err := r.statuses.Reported(ctx, r.id, note); err != nil {
			return err
		}
		r.back.note = note
		for _, s := range made {
			r.back.steps[s] = struct{}{}
		}
	}
	if err != nil {
		return err
	}
	if err := r.statuses.RequestRestore(ctx); err != nil {
		return err
	}
	if err := r.statuses.Reported(ctx, r.id, ends); err != nil {
		return err
	}
	r.back = takenBack{}
	return nil
}

// resumeTakingBack begins to take back, with a note, or finds that the store still has all that was taken back.
func (r *reporter) resumeTakingBack(ctx context.Context, note uint64) error {
	if len(r.back.steps) > 0 {
		noted, err := r.statuses.ReportedEnds(ctx, r.id)
		if err != nil || noted == r.back.note {
			return err
		}
	}
	r.back = takenBack{steps: map[step]struct{}{}, note: note}
	return r.statuses.Reported(ctx, r.id, note)
}

// takeBackAgain: a slot was opened again, so what was taken back of it may have been said since.
func (r *reporter) takeBackAgain() { r.back = takenBack{} }

// report makes a report that holds so many references, or leaves it pending.
func (r *reporter) report(ctx context.Context, refs int, write func(context.Context) error) {
	if !r.writer.Write(ctx, refs, write) {
		r.failures.Inc()
	}
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
		r.report(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Final(ctx, tx, block, refs, outcomes) })
	}
}

// released: they are in no slot any more.
func (r *reporter) released(ctx context.Context, nonce uint64, refs []score.Ref) {
	if len(refs) > 0 {
		r.report(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Released(ctx, r.id, nonce, refs) })
	}
}

// reopened: what was said of a slot's work in one of its transactions is taken back.
func (r *reporter) reopened(ctx context.Context, slot *lane.Slot, tx common.Hash) error {
	nonce := slot.Nonce
	refs, err := carried(slot)
	if err == nil && len(refs) > 0 {
		r.report(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Reopened(ctx, r.id, nonce, tx, refs) })
	}
	return err
}

// replaced: what was said of the slot's work in any of its attempts, now that the slot ends, is taken back; what the one that ended it
// did is said next. A restore may have read that in a final block which the chain lost before the lane settled the slot, and in another
// block the same transaction may do something else, of which a status would keep what says more.
func (r *reporter) replaced(ctx context.Context, slot *lane.Slot) error {
	for i := range slot.Attempts {
		if err := r.reopened(ctx, slot, slot.Attempts[i].Hash); err != nil {
			return err
		}
	}
	return nil
}

// ended notes, behind all reports about what ends now, that they were made. It comes before the end is journaled, so that a
// crash between them reports twice rather than not at all.
func (r *reporter) ended(ctx context.Context, now int) {
	ends := r.lane.State.Ends + uint64(now) // with what is journaled next
	r.report(ctx, 0, func(ctx context.Context) error { return r.statuses.Reported(ctx, r.id, ends) })
}

// giveUp gives up what is pending: another lane reports of the same updates from now on.
func (r *reporter) giveUp() {
	if r.writer.Pending() {
		r.writer.GiveUp()
	}
}

// requestRestore asks for a restore: the journal does not know what a transaction did, only its event tells.
func (r *reporter) requestRestore(ctx context.Context) { r.report(ctx, 0, r.statuses.RequestRestore) }

// carried names what the slot carries; nothing where it only uses its nonce up. The error is lane.ErrCorrupt.
func carried(slot *lane.Slot) ([]score.Ref, error) {
	b, _, err := batchOf(slot)
	if err != nil {
		return nil, err
	}
	return refsOf(slot.Work, b), nil
}

// batchOf reads the batch that the slot carries, nil where it carries none, and its calldata. The error is lane.ErrCorrupt.
func batchOf(slot *lane.Slot) (*batch.Batch, []byte, error) {
	data, err := slot.Data()
	if err != nil || slot.Work.Kind != lane.Updates {
		return nil, data, err
	}
	b, err := registry.DecodeBatch(data)
	if err != nil {
		return nil, nil, fmt.Errorf("slot %d: %w: %w", slot.Nonce, lane.ErrCorrupt, err)
	}
	return &b, data, nil
}

// refsOf names what the work is; b is its batch, if it is one.
func refsOf(work lane.Work, b *batch.Batch) []score.Ref {
	switch work.Kind {
	case lane.Creation:
		return []score.Ref{score.CreationRef(*work.Project)}
	case lane.Updates:
		return score.Refs(b.Updates())
	}
	return nil
}

// resume begins a session's reports. It asks for a restore if an earlier session ended before it could report how work
// ended, or the status store forgot that it did, and then reports again in which slots the newest work is, in case that session ended between journal and status.
// An end that was reported and not journaled counts for nothing: it is reported again, and what comes here may undo it before.
//
// The journal holds 7 ends. A note of 7: nothing is missing. A note of 8: the session was killed between the note and the
// Settle; the note is taken back to 7. A note of 5, or none, after a flush: two ends or all may not have been reported; a
// restore is requested and 7 noted.
func (r *reporter) resume(ctx context.Context, window int) {
	ends := r.lane.State.Ends
	r.report(ctx, 0, func(ctx context.Context) error {
		reported, err := r.statuses.ReportedEnds(ctx, r.id)
		switch {
		case err != nil || reported == ends:
			return err
		case reported > ends:
			return r.statuses.Reported(ctx, r.id, ends)
		}
		r.log.Warn("the status store has no note that the end of all the lane's work was reported; the relayer restores the statuses "+
			"from the stream and the chain", "reported", reported, "ended", ends)
		return r.restoreEnded(ctx, ends)
	})
	r.replaySlots(ctx, window)
}

// takeBack takes back what may be said of slots and is not so: that updates are in one that does not carry them any more, since a
// restore writes a rejection only over what is merely accepted, as a slot may be of a later try with the same id; and what a
// transaction made of them whose block the chain lost, since a restore only adds. Of a slot that was reopened once, that may be any.
//
// It makes the steps that were not made before, at least one, until hold is over; and tells which.
func (r *reporter) takeBack(ctx context.Context) (made []step, err error) {
	began := time.Now()
	do := func(s step, write func() error) error {
		if _, before := r.back.steps[s]; before {
			return nil
		}
		if len(made) > 0 && time.Since(began) >= hold {
			return report.ErrUnfinished
		}
		if err := write(); err != nil {
			return err
		}
		made = append(made, s)
		return nil
	}
	state := r.lane.State
	for i := range state.Slots {
		if slot := &state.Slots[i]; slot.Reopened {
			if err := r.clear(ctx, slot, inSlots, common.Hash{}, slot.Work.Kind == lane.NonceOnly, do); err != nil {
				return made, err
			}
		}
	}
	for i := range state.Lost {
		if err := r.clear(ctx, &state.Lost[i], inLost, common.Hash{}, true, do); err != nil {
			return made, err
		}
	}
	for i := range state.Past {
		settled := &state.Past[i]
		stands := settled.Tx
		if settled.Reopened {
			stands = common.Hash{}
		}
		if err := r.clear(ctx, &settled.Slot, inPast, stands, true, do); err != nil {
			return made, err
		}
	}
	return made, nil
}

// clear takes back what a slot's transactions made of what they carry, but for the one that stands; and, if it is released, that
// it is in the slot.
func (r *reporter) clear(
	ctx context.Context, slot *lane.Slot, of part, stands common.Hash, release bool, do func(step, func() error) error,
) error {
	if len(slot.Attempts) == 0 { // a nonce that others used
		return nil
	}
	last := step{slot: slot.Attempts[0].Hash, of: of}
	if _, before := r.back.steps[last]; before {
		return nil
	}
	data, err := slot.Data()
	if err != nil {
		return err
	}
	refs := refsIn(data)
	if len(refs) == 0 {
		return nil
	}
	for i := range slot.Attempts {
		tx := slot.Attempts[i].Hash
		if tx == stands {
			continue
		}
		err := do(step{last.slot, tx, of}, func() error { return r.statuses.Reopened(ctx, r.id, slot.Nonce, tx, refs) })
		if err != nil {
			return err
		}
	}
	if !release {
		return nil
	}
	return do(last, func() error { return r.statuses.Released(ctx, r.id, slot.Nonce, refs) })
}

// refsIn names what calldata carries: nothing, if it is neither a batch nor a creation.
func refsIn(data []byte) []score.Ref {
	if b, err := registry.DecodeBatch(data); err == nil {
		return score.Refs(b.Updates())
	}
	if p, err := registry.DecodeCreateProject(data); err == nil {
		return []score.Ref{score.CreationRef(p.ID)}
	}
	return nil
}

// replaySlots reports the open slots again: what reopened ones take back, and what the newest carry. What cannot be decoded
// is found corrupt when it is settled.
func (r *reporter) replaySlots(ctx context.Context, window int) {
	slots := r.lane.State.Slots
	for i := 0; i < len(slots) && slots[i].Reopened; i++ {
		for k := range slots[i].Attempts {
			if err := r.reopened(ctx, &slots[i], slots[i].Attempts[k].Hash); err != nil {
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

// look asks for a restore if the store has an older note than it was given: it was killed and forgot its last second. One that was flushed
// has none, and knows that by itself; that a lane's very first note was forgotten is not seen.
func (r *reporter) look(ctx context.Context) {
	ends, forgot := r.lane.State.Ends, false
	r.report(ctx, 0, func(ctx context.Context) error {
		if !forgot {
			reported, err := r.statuses.ReportedEnds(ctx, r.id)
			if err != nil || reported == 0 || reported >= ends {
				return err
			}
			r.log.Warn("the status store forgot what it was told last; the relayer restores the statuses from the stream and the chain",
				"reported", reported, "ended", ends)
			forgot = true // though what is noted until this is done may look otherwise
		}
		return r.restoreEnded(ctx, ends)
	})
}
