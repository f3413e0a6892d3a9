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
	reportTimeout = 2 * time.Second // stores give up much earlier
	reportHold    = time.Second     // of late reports at a head, about; the next head makes the others
	// slots close behind a slot (Statuses.Bound); nodes hold at most as many transactions of a signer
	reportBeside = 64

	noSlot = math.MaxUint64 // reporter.late if no report is
)

// reporter publishes which slot work is in, and the slot's stage. The lane depends on no report. Outcomes come from
// the ledger (index.Statuses), except those of edits.
//
// Reports contain the lane's current state. So only the nonce of a failed report is kept, and later heads make all
// reports from that slot on again, in order. All are made when the store lost them (a new generation). So they are
// when a session begins, since the last session may have ended between journal and report.
//
// A failed Released is dropped, since the state lacks it. The status stays as it was until the work is in another
// slot or final.
type reporter struct {
	id       score.Lane
	config   *Config
	statuses Statuses
	lane     *lane.Lane
	// laneJournal.fenced
	fenced func(context.Context) error
	// open slots from this nonce on are reported again
	late       uint64
	lateEdits  bool   // settled edits are reported again
	generation string // of the store, last read
	failures   prometheus.Counter
}

func newReporter(id score.Lane, config *Config, statuses Statuses, l *lane.Lane, fenced func(context.Context) error, failures prometheus.Counter) *reporter {
	return &reporter{id: id, config: config, statuses: statuses, lane: l, fenced: fenced, late: noSlot, failures: failures}
}

func (r *reporter) report(ctx context.Context, write func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	err := write(ctx)
	if err != nil {
		r.failures.Inc()
	}
	return err == nil
}

func (r *reporter) pending() bool { return r.late != noSlot || r.lateEdits }

func (r *reporter) bound(ctx context.Context, nonce uint64) {
	if nonce < r.late && !r.report(ctx, func(ctx context.Context) error { return r.slot(ctx, r.lane.State.Slot(nonce)) }) {
		r.late = nonce
	}
}

func (r *reporter) stage(ctx context.Context, e lane.Report) {
	if e.Nonce < r.late && !r.report(ctx, func(ctx context.Context) error { return r.staged(ctx, e) }) {
		r.late = e.Nonce
	}
}

func (r *reporter) staged(ctx context.Context, e lane.Report) error {
	return r.statuses.Slot(ctx, r.id, r.lane.State.Epoch, e.Nonce, e.Stage, e.Tx, e.Block)
}

func (r *reporter) released(ctx context.Context, nonce uint64, refs []score.Ref) {
	if len(refs) > 0 {
		r.report(ctx, func(ctx context.Context) error { return r.statuses.Released(ctx, r.id, nonce, refs) })
	}
}

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

// slot reports a slot's work and stage. Corrupt work is left to settle.
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
	switch { // slot.Final may be on another branch
	case slot.Reopened:
		final = 0
	case known && e.Block > 0:
		final = min(final, e.Block-1)
	}
	// The id may have been accepted again since. A rejection by a later slot's transaction is of the later try and
	// stays, so txs contain such transactions.
	for i := range r.lane.State.Slots {
		if later := &r.lane.State.Slots[i]; slot.Nonce < later.Nonce && later.Nonce <= slot.Nonce+reportBeside {
			txs = append(txs, later.Txs()...)
		}
	}
	if err := r.statuses.Bound(ctx, r.id, slot.Nonce, refs, final, txs); err != nil || !known {
		return err
	}
	return r.staged(ctx, e)
}

func carried(slot *lane.Slot) ([]score.Ref, error) {
	p, _, err := carriedBy(slot)
	if err != nil || p == nil {
		return nil, err
	}
	return p.refs(), nil
}

// carriedBy returns a slot's work, nil for none, and its calldata. The error is lane.ErrCorrupt.
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

func (r *reporter) resume() { r.late, r.lateEdits = 0, true }

// replay makes late reports while the lane is this session's, since later ones would undo the successor's. Reopened
// slots are reported at each head, since the ledger may report the loss of their blocks later. The error is
// lane.ErrFenced.
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
		return nil // unknown: the next head retries
	}
	began := r.config.Now()
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
		if r.config.Now().Sub(began) >= reportHold || !r.report(ctx, func(ctx context.Context) error { return r.slot(ctx, slot) }) {
			return nil
		}
		if slot.Nonce >= r.late {
			r.late = slot.Nonce + 1
		}
	}
	r.late = noSlot
	return nil
}
