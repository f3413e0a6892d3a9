package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

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
	failures prometheus.Counter
	log      *slog.Logger
}

func newReporter(
	id score.Lane, statuses Statuses, l *lane.Lane, fenced func(context.Context) error, failures prometheus.Counter, log *slog.Logger,
) *reporter {
	r := &reporter{id: id, statuses: statuses, lane: l, fenced: fenced, failures: failures, log: log}
	r.writer = report.NewWriter(report.Config{MaxWrites: maxPending, MaxRefs: maxPendingRefs, Log: log, RequestRestore: func(ctx context.Context) error {
		return r.restoreEnded(ctx, l.State.Ends)
	}})
	return r
}

// restoreEnded asks for a restore after reports were given up, some of the first so many ends among them, once it has taken back what
// the restore would not replace. Meanwhile one end less is noted, so that this is done again if it fails or the session ends.
func (r *reporter) restoreEnded(ctx context.Context, ends uint64) error {
	if err := r.statuses.Reported(ctx, r.id, max(ends, 1)-1); err != nil {
		return err
	}
	if err := r.takeBack(ctx); err != nil {
		return err
	}
	if err := r.statuses.RequestRestore(ctx); err != nil {
		return err
	}
	return r.statuses.Reported(ctx, r.id, ends)
}

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

// replaced: what was said of the slot's work in attempts that did not carry it, now that the slot ends, is taken back. A
// restore may have read that in a final block which the chain lost before the lane settled the slot.
func (r *reporter) replaced(ctx context.Context, slot *lane.Slot, e *lane.Settle) error {
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
func (r *reporter) takeBack(ctx context.Context) error {
	state := r.lane.State
	for i := range state.Slots {
		if slot := &state.Slots[i]; slot.Reopened {
			if err := r.clear(ctx, slot, common.Hash{}, slot.Work.Kind == lane.NonceOnly); err != nil {
				return err
			}
		}
	}
	for i := range state.Lost {
		if err := r.clear(ctx, &state.Lost[i], common.Hash{}, true); err != nil {
			return err
		}
	}
	for i := range state.Past {
		past := &state.Past[i]
		stands := past.Tx
		if past.Reopened {
			stands = common.Hash{}
		}
		if err := r.clear(ctx, &past.Slot, stands, true); err != nil {
			return err
		}
	}
	return nil
}

// clear takes back what a slot's transactions made of what they carry, but for the one that stands; and, if it is released, that
// it is in the slot.
func (r *reporter) clear(ctx context.Context, slot *lane.Slot, stands common.Hash, release bool) error {
	data, err := slot.Data()
	if err != nil {
		return err
	}
	refs := refsIn(data)
	if len(refs) == 0 {
		return nil
	}
	for i := range slot.Attempts {
		if tx := slot.Attempts[i].Hash; tx != stands {
			if err := r.statuses.Reopened(ctx, r.id, slot.Nonce, tx, refs); err != nil {
				return err
			}
		}
	}
	if !release {
		return nil
	}
	return r.statuses.Released(ctx, r.id, slot.Nonce, refs)
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
	case err == nil && r.writer.Replay(ctx) != nil:
		r.failures.Inc()
	}
	return nil
}

// look asks for a restore if the store has an older note than it was given: it was killed and forgot its last second. One that was flushed
// has none, and knows that by itself; that a lane's very first note was forgotten is not seen.
func (r *reporter) look(ctx context.Context) {
	ends := r.lane.State.Ends
	r.report(ctx, 0, func(ctx context.Context) error {
		reported, err := r.statuses.ReportedEnds(ctx, r.id)
		if err != nil || reported == 0 || reported >= ends {
			return err
		}
		r.log.Warn("the status store forgot what it was told last; the relayer restores the statuses from the stream and the chain",
			"reported", reported, "ended", ends)
		return r.restoreEnded(ctx, ends)
	})
}
