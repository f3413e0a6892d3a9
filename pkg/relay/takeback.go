package relay

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/report"
	"github.com/scorelay/scorelay/pkg/score"
)

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

// takeBackAndRestore asks for a restore after reports were given up, some of the first so many ends among them, once it has taken back what
// the restore would not replace. Meanwhile fewer ends are noted, so that this is done again if it fails or the session ends. The error
// is report.ErrUnfinished where there is more to take back than a head may be held for.
func (r *reporter) takeBackAndRestore(ctx context.Context, ends uint64) error {
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
		if err := r.note(ctx, note); err != nil {
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
	if err := r.note(ctx, ends); err != nil {
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
	return r.note(ctx, note)
}

// takeBackAgain: a slot was opened again, so what was taken back of it may have been said since.
func (r *reporter) takeBackAgain() { r.back = takenBack{} }

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

// refsIn names what calldata carries: nothing, if it is neither a batch, a creation nor an edit.
func refsIn(data []byte) []score.Ref {
	if b, err := registry.DecodeBatch(data); err == nil {
		return score.Refs(b.Updates())
	}
	if p, err := registry.DecodeCreateProject(data); err == nil {
		return []score.Ref{score.CreationRef(p.ID)}
	}
	if e, err := registry.DecodeEdit(data); err == nil {
		return []score.Ref{e.Ref()}
	}
	return nil
}
