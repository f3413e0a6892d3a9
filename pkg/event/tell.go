package event

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// take adds the project's events in the next message, and moves the cursor. more is false at the limit, or if the
// directory is behind.
func (t *turn) take(ctx context.Context, m *ledger.Message) (more bool, err error) {
	if len(t.found) >= t.limit {
		return false, nil
	}
	switch m.Kind {
	case ledger.Rewind:
		t.rewind(m)
		return m.Seq > 0, nil // among blocks older than the ledger, the following messages are of the old chain
	case ledger.Letter:
		return t.letter(ctx, m)
	}
	return t.block(ctx, m)
}

// pass moves the cursor past a message without a part of the begun block (t.at.part).
func (t *turn) pass(m *ledger.Message) {
	begun := t.at.Block + uint64(t.at.part.above)
	t.at.Position = m.Position
	if t.at.part != (place{}) {
		t.at.part.above = uint32(begun - m.Position.Block)
	}
}

// rewind adds a ChainRewound event. A Rewind of blocks older than the ledger leads to the project's beginning.
func (t *turn) rewind(m *ledger.Message) {
	data, id := RewindData{Block: m.Block.Number}, fmt.Sprintf("rewound-%d-%x", m.Seq, m.Position.Hash)
	if m.Block.Hash != (common.Hash{}) {
		data.Hash = &m.Block.Hash
	}
	if m.Seq == 0 {
		id = fmt.Sprintf("rewound-%d-%x", m.Rewound, t.at.Hash)
		t.forget()
		m = &ledger.Message{Time: m.Time}
	}
	t.at = Cursor{Position: m.Position}
	t.found = append(t.found, Event{ID: id, Type: ChainRewound, Time: m.Time, Project: t.project, Data: data, After: t.at})
}

func (t *turn) block(ctx context.Context, m *ledger.Message) (more bool, err error) {
	above, hash := uint32(m.Block.Number-t.at.Block), [8]byte(m.Block.Hash[:8])
	if begun := t.at.part; begun != (place{}) && (begun.above != above || begun.hash != hash) {
		// The message covers eventless blocks below the begun one, perhaps again, since another ledger leads there.
		if len(m.Events) == 0 && m.Block.Number < t.at.Block+uint64(begun.above) {
			t.pass(m)
			return true, nil
		}
		// NATS lost the ledger's end while the chain replaced the block that was begun.
		t.found = append(t.found, Event{
			ID: fmt.Sprintf("rewound-%d-%x", m.Rewound, begun.hash), Type: ChainRewound, Time: m.Time, Project: t.project, Data: RewindData{Block: t.at.Block}, After: Cursor{Position: t.at.Position},
		})
		t.at.part = place{}
	}
	for i := range m.Events {
		e := told{m, &m.Events[i], place{above: above, hash: hash, log: uint32(m.Events[i].Log)}}
		if more, err := t.event(ctx, &e); err != nil || !more {
			return false, err
		}
	}
	switch {
	case m.Whole:
		t.at = Cursor{Position: m.Position}
	case m.Seq > 0:
		t.at = Cursor{Position: m.Position, part: place{uint32(m.Block.Number - m.Position.Block), hash, uint32(m.Events[len(m.Events)-1].Log), wholeLog}}
	case len(m.Events) > 0: // older than the ledger: the message's position has no hash, so the cursor's stays
		last := uint32(m.Events[len(m.Events)-1].Log)
		// The block may be read again from its first part, while the cursor is inside a later part.
		if t.at.part.hash != hash || t.at.part.log <= last {
			t.at.part = place{above, hash, last, wholeLog}
		}
	}
	return true, nil
}

const wholeLog = 1<<32 - 1 // place.index if the whole log was read

type told struct {
	of *ledger.Message
	*ledger.Event
	at place
}

// event adds the project's unread events in one of the contract's events.
func (t *turn) event(ctx context.Context, e *told) (more bool, err error) {
	next := 0 // index of the first unread one
	if begun := &t.at.part; begun.hash == e.at.hash {
		switch {
		case begun.log > e.at.log || begun.log == e.at.log && begun.index == wholeLog:
			return true, nil
		case begun.log == e.at.log:
			next = int(begun.index) + 1
		}
	}
	if kind, data := t.changeOf(e); data != nil && next == 0 {
		return t.add(e, 0, kind, data), nil
	}
	for index, u := range registry.ExecutedOf(e.Event.Event, t.project) {
		if index < next {
			continue
		}
		if len(t.found) >= t.limit {
			return false, nil
		}
		rec, ok, err := t.recordFor(ctx, &u.Update, u.Outcome)
		if err != nil || !ok {
			return false, err
		}
		data := updateData(rec, &u.Update, u.Outcome)
		data.TxRef = e.ref()
		t.add(e, index, updateType(u.Outcome), data)
	}
	return true, nil
}

// add returns false at the limit.
func (t *turn) add(e *told, index int, kind Type, data any) bool {
	if len(t.found) >= t.limit {
		return false
	}
	t.at.part = e.at
	t.at.part.index = uint32(index)
	t.found = append(t.found, Event{
		ID: fmt.Sprintf("%s-%d-%d", e.of.Block.Hash, e.Log, index), Type: kind, Time: e.of.Time, Project: t.project, Data: data, After: t.at,
	})
	return true
}

// changeOf returns an event's change of the project itself; data is nil if there is none.
func (t *turn) changeOf(e *told) (Type, any) {
	on := e.ref()
	switch of := e.Event.Event.(type) {
	case registry.ProjectCreated:
		if of.Project.ID == t.project {
			created := projectData(&of.Project)
			created.Outcome, created.TxRef = score.Applied.String(), on
			return ProjectCreated, created
		}
	case registry.ActionAdded:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{Action: &of.Action, TxRef: on}
		}
	case registry.ScoreTypeAdded:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{ScoreType: &of.Name, TxRef: on}
		}
	case registry.MemberChanged:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{Member: &of.Member, Roles: roleNames(of.Roles), TxRef: on}
		}
	case registry.SignedOnlySet:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{SignedOnly: &of.SignedOnly, TxRef: on}
		}
	}
	return "", nil
}

func (e *told) ref() TxRef { return TxRef{Tx: &e.Tx.Hash, Block: &e.of.Block.Number} }

func roleNames(r score.Role) []string {
	names := []string{}
	if r&score.Owner != 0 {
		names = append(names, "owner")
	}
	if r&score.Updater != 0 {
		names = append(names, "updater")
	}
	return names
}

func updateType(o score.Outcome) Type {
	switch o {
	case score.Applied:
		return UpdateApplied
	case score.Duplicate:
		return UpdateDuplicate
	default:
		return UpdateRejected
	}
}

func projectData(p *score.Project) ProjectData {
	return ProjectData{
		Name: p.Name, Actions: p.Actions, ScoreTypes: p.ScoreTypes, Owners: p.Owners, Updaters: append([]common.Address{}, p.Updaters...), SignedOnly: p.SignedOnly,
	}
}

// letter adds the project's events of a dead letter; ok is false if the directory is behind it.
func (t *turn) letter(ctx context.Context, m *ledger.Message) (ok bool, err error) {
	var told []Event
	if ref, ok := m.Letter.Ref(); ok && ref.Project == t.project {
		if told, ok, err = t.eventsOf(ctx, m.Letter); err != nil || !ok {
			return false, err
		}
	}
	before := t.at
	t.pass(m)
	for i := range told {
		told[i].After = before // the letter comes again until all its events are processed
	}
	if len(told) > 0 {
		told[len(told)-1].After = t.at
	}
	t.found = append(t.found, told...)
	return true, nil
}

// eventsOf returns a dead letter's rejection and, if it was replayed, one replay event, however often it was
// replayed. ok is as in letter.
func (t *turn) eventsOf(ctx context.Context, d *score.DeadLetter) (told []Event, ok bool, err error) {
	var rec *score.Record
	if d.Update != nil {
		if rec, ok, err = t.recordFor(ctx, d.Update, d.Outcome); err != nil || !ok {
			return nil, false, err
		}
	}
	rejected, replayed, data := describe(rec, d)
	e := Event{ID: idOf(d), Type: rejected, Time: d.Time.UTC(), Project: t.project, Data: data}
	told = append(told, e)
	if !d.Replayed.IsZero() { // the replayed letter replaced the original one, which may have yet to be read
		e.ID, e.Type, e.Time = e.ID+"-replayed", replayed, d.Replayed.UTC()
		told = append(told, e)
	}
	return told, true, nil
}

// describe's rec is the record of an update's project, nil for other letters.
func describe(rec *score.Record, d *score.DeadLetter) (rejected, replayed Type, data any) {
	var on TxRef
	if d.Tx != (common.Hash{}) {
		on.Tx = &d.Tx
	}
	outcome := d.Outcome.String()
	switch {
	case d.Update != nil:
		update := updateData(rec, d.Update, d.Outcome)
		update.TxRef = on
		return UpdateRejected, UpdateReplayed, update
	case d.Edit != nil:
		return EditRejected, "", EditData{Nonce: d.Edit.Nonce, Owner: d.Edit.Owner, Edits: d.Edit.Edits, Outcome: outcome, TxRef: on}
	default:
		created := projectData(d.Project)
		created.Outcome, created.TxRef = outcome, on
		return ProjectRejected, ProjectReplayed, created
	}
}
