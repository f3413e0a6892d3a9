package batch

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Waiting is a unit of a lane's log that is not bound to a slot yet.
type Waiting struct {
	Unit score.Unit
	At   score.Position // of its first update: the message's sequence, and how many updates are before it in the message
	Came time.Time      // when it was added; not before those added before it
}

// HorizonLimits say how far a lane looks ahead.
type HorizonLimits struct {
	Updates  int           // that may wait in a Horizon, at least 1; each takes some 250 bytes, up to 500 if signed alone
	Lateness time.Duration // what waits longer goes next; at least 0
}

// DefaultHorizon is where the price of an update is least: with more, transactions touch more words of ids again.
func DefaultHorizon() HorizonLimits {
	return HorizonLimits{Updates: 20_000, Lateness: 30 * time.Second}
}

// Horizon is what waits in a lane, and chooses what its next transaction carries. It is not safe for concurrent use.
//
// Next offers a choice. The choice remains in the horizon until Bound says that it is journaled. The zero Horizon is not usable;
// see NewHorizon.
type Horizon struct {
	limits  HorizonLimits
	builder *Builder // has the offered units

	units    []*waiting // all, in the order they were added
	updates  int        // of units
	projects map[score.ProjectID]*project
	turn     uint64 // the least that any project with waiting units was served

	offered []*waiting // in the builder, in the order they were taken
	stale   bool       // something was added or taken back since choice was made
	choice  Choice
}

// waiting is a unit with its place.
type waiting struct {
	at      score.Position
	came    int64           // ns since 1970
	first   [1]score.Update // the only one outside signed groups
	state   state
	blocked int32       // how many units that came before it have an id of it
	group   *score.Unit // a signed group
	project *project
}

type state uint8

const (
	idle  state = iota // it can be chosen, unless it is blocked
	taken              // it is offered
	gone               // it is bound, or was removed
)

// project is what waits of a project.
type project struct {
	id      score.ProjectID
	updates int        // of all its units
	order   []*waiting // as planned
	arrived []*waiting // since then; nothing that is blocked
	ids     map[score.UpdateID]*waiting
	after   map[*waiting][]*waiting // that are blocked by it

	served  uint64 // updates in the turns it has had; since its begin as if it had been there from the start
	inTurn  uint64 // updates in the turn it is having
	offered int    // updates
}

func (w *waiting) unit() score.Unit {
	if w.group != nil {
		return *w.group
	}
	return score.Unit{Updates: w.first[:]}
}

func (w *waiting) updates() []score.Update {
	if w.group != nil {
		return w.group.Updates
	}
	return w.first[:]
}

func (w *waiting) public() Waiting {
	return Waiting{Unit: w.unit(), At: w.at, Came: time.Unix(0, w.came)}
}

func (w *waiting) free() bool { return w.state == idle && w.blocked == 0 }

// NewHorizon makes an empty horizon. ErrLimits if the limits would not take any single update.
func NewHorizon(model Model, limits Limits, horizon HorizonLimits) (*Horizon, error) {
	builder, err := NewBuilder(model, limits)
	switch {
	case err != nil:
		return nil, err
	case horizon.Updates < 1 || horizon.Lateness < 0:
		return nil, fmt.Errorf("%w: a horizon of %d updates and %s, must be at least 1 and not negative", ErrLimits, horizon.Updates, horizon.Lateness)
	}
	return &Horizon{limits: horizon, builder: builder, projects: map[score.ProjectID]*project{}}, nil
}

// Len is how many updates wait, with those of the offered choice.
func (h *Horizon) Len() int { return h.updates }

// Room is how many more updates may wait; 0 if there are as many as may, or more. Add takes what it is given: a
// lane that adds what was in one message may exceed its horizon by that.
func (h *Horizon) Room() int { return max(0, h.limits.Updates-h.updates) }

// Of is how many updates of the project wait, with those of the offered choice.
func (h *Horizon) Of(id score.ProjectID) int {
	if p := h.projects[id]; p != nil {
		return p.updates
	}
	return 0
}

// Projects yields the projects with waiting units and how many updates wait of each, in any order.
func (h *Horizon) Projects() iter.Seq2[score.ProjectID, int] {
	return func(yield func(score.ProjectID, int) bool) {
		for id, p := range h.projects {
			if p.updates > 0 && !yield(id, p.updates) {
				return
			}
		}
	}
}

// Add takes another unit, which comes after those added before it: of units with an id in common the one that was added
// first is bound first. It copies the updates, so that a unit does not keep the memory of the message it came in.
func (h *Horizon) Add(unit Waiting) {
	p := h.project(unit.Unit.Updates[0].Project)
	w := &waiting{at: unit.At, came: unit.Came.UnixNano(), project: p}
	if unit.Unit.Signature == nil {
		w.first[0] = unit.Unit.Updates[0]
	} else {
		signature := *unit.Unit.Signature
		w.group = &score.Unit{Updates: slices.Clone(unit.Unit.Updates), Kind: unit.Unit.Kind, Signature: &signature}
	}
	h.units = append(h.units, w)
	p.updates += len(w.updates())
	h.updates += len(w.updates())
	for i := range w.updates() {
		id := w.updates()[i].ID
		before := p.ids[id]
		p.ids[id] = w
		if before != nil && before != w && !slices.Contains(p.after[before], w) {
			w.blocked++
			p.after[before] = append(p.after[before], w)
		}
	}
	if w.blocked == 0 {
		p.arrived = append(p.arrived, w)
		h.stale = true
	}
}

// project finds or makes the place of a project. One that begins to wait is served as if it had had its turns until now,
// so that it can neither catch up on the time before nor gain a turn by beginning again.
func (h *Horizon) project(id score.ProjectID) *project {
	p := h.projects[id]
	if p == nil {
		p = &project{id: id, ids: map[score.UpdateID]*waiting{}, after: map[*waiting][]*waiting{}}
		h.projects[id] = p
	}
	if p.updates == 0 {
		p.served = max(p.served, h.turn)
	}
	return p
}

// Bound says that the choice of the last Next is journaled: its units leave the horizon, and later ones with an id of
// theirs can be chosen.
func (h *Horizon) Bound() {
	for _, w := range h.offered {
		w.state = gone
		w.project.inTurn += uint64(len(w.updates()))
		h.leave(w)
	}
	for _, w := range h.offered {
		if p := w.project; p.offered > 0 {
			p.offered = 0
			p.endTurn(h.builder.limits.MaxUpdates)
		}
	}
	h.offered = h.offered[:0]
	h.forget()
}

// leave takes a unit that is gone out of the accounts, and lets those that it blocked be chosen.
func (h *Horizon) leave(w *waiting) {
	p, n := w.project, len(w.updates())
	h.updates, p.updates = h.updates-n, p.updates-n
	after := p.after[w]
	for i := range w.updates() {
		if id := w.updates()[i].ID; len(after) == 0 || p.ids[id] == w {
			delete(p.ids, id)
		}
	}
	for _, next := range after {
		if next.blocked--; next.blocked == 0 {
			p.arrived = append(p.arrived, next)
		}
	}
	delete(p.after, w)
}

// forget drops what is gone, and the projects whose past makes no difference any more. The choice is over.
func (h *Horizon) forget() {
	h.units = slices.DeleteFunc(h.units, isGone)
	least, some := uint64(0), false
	for _, p := range h.projects {
		p.order, p.arrived = withoutFirst(p.order), withoutFirst(p.arrived)
		if p.updates > 0 && (!some || p.served < least) {
			least, some = p.served, true
		}
	}
	h.turn = max(h.turn, least)
	for id, p := range h.projects {
		if p.updates == 0 && (!some || p.served+p.inTurn <= h.turn) {
			delete(h.projects, id)
		}
	}
	h.withdraw()
}

func isGone(w *waiting) bool { return w.state == gone }

// withoutFirst drops the first units as far as they are gone. Others that are gone are passed over when their place comes.
func withoutFirst(units []*waiting) []*waiting {
	for len(units) > 0 && units[0].state == gone {
		units[0] = nil
		units = units[1:]
	}
	return units
}

// withdraw makes the offered units wait again.
func (h *Horizon) withdraw() {
	for _, w := range h.offered {
		w.state = idle
	}
	for _, p := range h.projects {
		p.offered = 0
	}
	h.offered, h.choice, h.stale = h.offered[:0], Choice{}, true
	h.builder.Reset()
}

// Trim has no more of a project wait than so many updates: units that were added later leave the horizon, but for the one that
// goes beyond. It returns them in the order they were added. If the offered choice had any of them, there is none any more.
func (h *Horizon) Trim(id score.ProjectID, keep int) (removed []Waiting) {
	p := h.projects[id]
	if p == nil || p.updates <= keep {
		return nil
	}
	kept, offered := 0, false
	clear(p.ids)
	for _, w := range h.units {
		if w.project != p {
			continue
		}
		if kept < keep {
			kept += len(w.updates())
			for i := range w.updates() {
				p.ids[w.updates()[i].ID] = w
			}
			continue
		}
		offered = offered || w.state == taken
		removed = append(removed, w.public())
		w.state = gone
		delete(p.after, w)
	}
	for w, after := range p.after { // what is removed came after what it is blocked by
		if p.after[w] = slices.DeleteFunc(after, isGone); len(p.after[w]) == 0 {
			delete(p.after, w)
		}
	}
	h.updates, p.updates = h.updates-p.updates+kept, kept
	h.units, p.order, p.arrived = slices.DeleteFunc(h.units, isGone), slices.DeleteFunc(p.order, isGone), slices.DeleteFunc(p.arrived, isGone)
	if offered {
		h.offered = slices.DeleteFunc(h.offered, isGone)
		h.withdraw()
	}
	return removed
}

// Reprice has the next choice cost what the model says, at most maxGas; one that was offered is not any more. A bound that has no
// room for a single update is raised to that.
func (h *Horizon) Reprice(model Model, maxGas uint64) {
	maxGas = max(maxGas, model.Gas(single))
	if b := h.builder; b.model != model || b.limits.MaxGas != maxGas {
		b.model, b.limits.MaxGas = model, maxGas
		h.withdraw()
	}
}
