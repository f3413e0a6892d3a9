package batch

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Waiting is a unit that waits for its assignment.
type Waiting struct {
	Unit score.Unit
	// At is the position of the first update.
	At   score.Position
	Came time.Time // when it was added; ascending
}

type HorizonLimits struct {
	// Updates bounds the look-ahead, at least 1. Each takes about 250 bytes, up to 500 if signed alone.
	Updates int
	// Lateness is the wait after which a unit goes next, at least 0.
	Lateness time.Duration
}

// DefaultHorizon returns the limits at which updates cost the least.
func DefaultHorizon() HorizonLimits {
	return HorizonLimits{Updates: 20_000, Lateness: 30 * time.Second}
}

// Horizon is the look-ahead of a lane, and chooses the content of its next transaction. It is not safe for concurrent
// use.
//
// A transaction writes a wallet's score and a word of ids once, however often they are hit. So a larger backlog makes
// updates cheaper. Next chooses in this order:
//
//   - The oldest late unit: one that has waited longer than HorizonLimits.Lateness.
//   - Light projects, together up to half a transaction. A project is light if at most a sixteenth of a transaction
//     waits of it, and it is at most one turn ahead of the least served project.
//   - All other late units, oldest first.
//   - Projects in turn: next is the one served least, in updates. A turn ends when the project's plan is used up, or
//     when it has had as much as a transaction holds. A project that begins to wait starts with the least served: it
//     neither catches up on the past nor gains a turn.
//
// The plan of a project is its backlog when its turn begins. First come wallets (slots of scores) with two updates or
// more, those with most first; then the others and signed groups, by the words of their ids. A plan is used up before
// the next is made, over as many turns as that takes. A transaction ends with a plan if enough waits for another, so
// that the next plan can choose from the whole backlog.
//
// The transaction is full when the next unit exceeds its limits. A small backlog goes whole, so the longest wait is
// Limits.Linger.
//
// Offered units stay in the horizon until Bound, so a lane that cannot assign now loses none.
type Horizon struct {
	limits  HorizonLimits
	builder *Builder

	units    []*waiting // all, in order of addition
	updates  int
	projects map[score.ProjectID]*project
	turn     uint64 // least served of the projects with waiting units

	offered []*waiting // in order of choice
	stale   bool       // units were added or withdrawn since choice was made
	choice  Choice
}

type waiting struct {
	at      score.Position
	came    int64           // unix nanoseconds
	first   [1]score.Update // outside signed groups
	state   state
	blocked int32       // number of earlier units with an id in common
	group   *score.Unit // if signed
	project *project
}

type state uint8

const (
	idle  state = iota // can be chosen unless blocked
	taken              // offered
	gone               // assigned or removed
)

type project struct {
	id      score.ProjectID
	updates int
	order   []*waiting // the plan
	arrived []*waiting // unblocked since the plan
	ids     map[score.UpdateID]*waiting
	after   map[*waiting][]*waiting // by the unit that blocks them

	served  uint64 // updates of its past turns, or the least served when it began
	inTurn  uint64 // updates of its current turn
	offered int
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

// NewHorizon returns an empty horizon, or ErrLimits.
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

// Len counts the waiting updates, including offered ones.
func (h *Horizon) Len() int { return h.updates }

// Room returns how many more updates may wait, at least 0. Add ignores it, since a whole message may exceed it.
func (h *Horizon) Room() int { return max(0, h.limits.Updates-h.updates) }

// Of counts a project's waiting updates, as Len.
func (h *Horizon) Of(id score.ProjectID) int {
	if p := h.projects[id]; p != nil {
		return p.updates
	}
	return 0
}

// Projects yields the projects with waiting updates, and Of each, in any order.
func (h *Horizon) Projects() iter.Seq2[score.ProjectID, int] {
	return func(yield func(score.ProjectID, int) bool) {
		for id, p := range h.projects {
			if p.updates > 0 && !yield(id, p.updates) {
				return
			}
		}
	}
}

// Add adds a unit that came after all others. Its updates are copied, which frees the memory of their message.
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

// Bound removes the choice of the last Next, which is journaled now.
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

// forget drops gone units, and idle projects that were served at most as much as turn. It ends the choice.
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

// withoutFirst drops leading gone units. Others are skipped later.
func withoutFirst(units []*waiting) []*waiting {
	for len(units) > 0 && units[0].state == gone {
		units[0] = nil
		units = units[1:]
	}
	return units
}

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

// Trim keeps a project's first units, up to the one that reaches keep updates. It removes the others, returns them in
// the order of addition, and withdraws an offered choice that contains any of them.
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
	for w, after := range p.after {
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

// Reprice sets the model and MaxGas, at least the cost of a single update. If one changes, Reprice withdraws the
// offered choice.
func (h *Horizon) Reprice(model Model, maxGas uint64) {
	maxGas = max(maxGas, model.Gas(single))
	if b := h.builder; b.model != model || b.limits.MaxGas != maxGas {
		b.model, b.limits.MaxGas = model, maxGas
		h.withdraw()
	}
}
