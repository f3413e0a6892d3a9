package batch

import (
	"cmp"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

type Choice struct {
	Batch Batch
	Gas   uint64    // Model.Gas of the batch
	Known int       // slots of the batch that Gas counts as Used
	Units []Waiting // by position
	Why   Reason
}

type Reason string

const (
	Filled   Reason = "full"   // the transaction is full
	Lingered Reason = "linger" // the oldest update has waited Limits.Linger
)

// Due returns the time of the next assignment: at once if Limits.MaxUpdates wait, else Limits.Linger after the oldest
// came, even if fewer fill a transaction by gas. ok is false for an empty backlog.
func (h *Horizon) Due() (at time.Time, ok bool) {
	if len(h.units) == 0 {
		return time.Time{}, false
	}
	at = time.Unix(0, h.units[0].came)
	if h.updates < h.builder.limits.MaxUpdates {
		at = at.Add(h.builder.limits.Linger)
	}
	return at, true
}

// Next returns the updates to assign now; ok is false if none are due. It repeats the choice until Bound, adding
// newer updates that fit.
func (h *Horizon) Next(now time.Time) (choice Choice, ok bool) {
	if at, some := h.Due(); len(h.offered) == 0 && (!some || now.Before(at)) {
		return Choice{}, false
	}
	if !h.stale || h.builder.Full() {
		return h.choice, true
	}
	h.fill(now)
	h.stale = false
	made := h.builder.Build()
	h.choice = Choice{Batch: made, Why: Lingered, Units: make([]Waiting, 0, len(h.offered))}
	h.choice.Gas, h.choice.Known = h.builder.model.gas(made)
	if h.builder.Full() || h.builder.Len() == h.builder.limits.MaxUpdates {
		h.choice.Why = Filled
	}
	byPosition := slices.SortedFunc(slices.Values(h.offered), func(a, b *waiting) int { return a.at.Compare(b.at) })
	for _, w := range byPosition {
		h.choice.Units = append(h.choice.Units, w.public())
	}
	return h.choice, true
}

// fill takes units in Horizon's order until the builder is full.
func (h *Horizon) fill(now time.Time) {
	late := h.late(now)
	if len(late) > 0 && !h.take(late[0]) {
		return
	}
	begun := h.builder.used()
	for _, p := range h.light() {
		for _, w := range slices.Concat(p.order, p.arrived) {
			if h.builder.used()-begun >= lightShare {
				break
			}
			if !h.take(w) {
				return
			}
		}
	}
	for _, w := range late {
		if !h.take(w) {
			return
		}
	}
	for taken := -1; taken < len(h.offered) && !h.builder.Full(); { // one plan of each project before another of any
		taken = len(h.offered)
		for _, p := range h.inTurn() {
			if !h.takeTurn(p) {
				return
			}
		}
		if h.updates-h.builder.Len() >= h.builder.limits.MaxUpdates && h.builder.used() >= planEnd {
			h.builder.full = true
		}
	}
}

// planEnd is the least use of a transaction that may end when a plan does, if the backlog can fill another.
const planEnd = 0.25

func (h *Horizon) take(w *waiting) (fits bool) {
	if !w.free() {
		return true
	}
	if !h.builder.AddUnit(w.unit()) {
		return false
	}
	w.state = taken
	h.offered = append(h.offered, w)
	w.project.offered += len(w.updates())
	return true
}

func (h *Horizon) late(now time.Time) (late []*waiting) {
	for _, w := range h.units {
		if now.UnixNano()-w.came <= int64(h.limits.Lateness) {
			break
		}
		if w.free() {
			late = append(late, w)
		}
	}
	return late
}

// Light projects, see Horizon.
const (
	lightProjects = 16
	lightShare    = 0.5
)

// light returns the light projects with units to choose, longest wait first.
func (h *Horizon) light() (light []*project) {
	whole := h.builder.limits.MaxUpdates
	since := map[*project]int64{}
	for _, p := range h.projects {
		if p.updates-p.offered > max(1, whole/lightProjects) || p.served+p.inTurn > h.turn+uint64(whole) {
			continue
		}
		for _, w := range slices.Concat(p.order, p.arrived) {
			if oldest, found := since[p]; w.free() && (!found || w.came < oldest) {
				since[p] = w.came
			}
		}
		if _, found := since[p]; found {
			light = append(light, p)
		}
	}
	slices.SortFunc(light, func(a, b *project) int {
		return cmp.Or(cmp.Compare(since[a], since[b]), slices.Compare(a.id[:], b.id[:]))
	})
	return light
}

// inTurn returns the projects with waiting units, least served before their current turn first.
func (h *Horizon) inTurn() (projects []*project) {
	for _, p := range h.projects {
		if p.updates > p.offered {
			projects = append(projects, p)
		}
	}
	slices.SortFunc(projects, func(a, b *project) int {
		return cmp.Or(cmp.Compare(a.served, b.served), -cmp.Compare(a.inTurn, b.inTurn), slices.Compare(a.id[:], b.id[:]))
	})
	return projects
}

// takeTurn takes units of a project's plan, and makes the next plan once that is used up.
func (h *Horizon) takeTurn(p *project) (fits bool) {
	if !slices.ContainsFunc(p.order, (*waiting).free) {
		p.order, p.arrived = append(p.order, order(p.arrived)...), nil
	}
	for _, w := range p.order {
		if !h.take(w) {
			return false
		}
	}
	return true
}

func (p *project) endTurn(most int) {
	if p.inTurn < uint64(most) && slices.ContainsFunc(p.order, (*waiting).free) {
		return
	}
	p.served, p.inTurn = p.served+p.inTurn, 0
}

// order returns a project's units in the order of a plan, see Horizon.
func order(units []*waiting) []*waiting {
	units = slices.DeleteFunc(units, isGone)
	type place struct {
		key uint64
		at  int
	}
	slots, words := map[scoreSlot]uint64{}, map[score.Word]uint64{}
	slotOf, hits := make([]uint64, len(units)), []uint64{}
	for i, w := range units {
		if w.group != nil {
			continue
		}
		slot := scoreSlotOf(&w.first[0])
		n, found := slots[slot]
		if !found {
			n = uint64(len(hits))
			slots[slot], hits = n, append(hits, 0)
		}
		slotOf[i] = n
		hits[n]++
	}
	places := make([]place, len(units))
	for i, w := range units {
		places[i].at = i
		if w.group == nil && hits[slotOf[i]] > 1 {
			places[i].key = (1<<31-hits[slotOf[i]])<<32 | slotOf[i]
			continue
		}
		word := w.updates()[0].ID.Word()
		n, found := words[word]
		if !found {
			n = uint64(len(words))
			words[word] = n
		}
		places[i].key = 1<<63 | n
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	out := make([]*waiting, len(units))
	for i := range places {
		out[i] = units[places[i].at]
	}
	return out
}
