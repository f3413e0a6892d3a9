package lane

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

// nowhere is after all stream positions.
var nowhere = score.Position{Seq: math.MaxUint64}

func lower(a, b score.Position) score.Position {
	if b.Before(a) {
		return b
	}
	return a
}

// ReadFrom returns the lowest floor of the buckets: all earlier positions are assigned, except those of throttled
// projects. Without buckets it is nowhere.
func (s *State) ReadFrom() score.Position {
	at := nowhere
	for _, held := range s.Buckets {
		at = lower(at, held.Floor)
	}
	return at
}

// openFrom returns the lowest position of the selected unsettled work, or nowhere.
func (s *State) openFrom(some func(*Work) bool) score.Position {
	at := nowhere
	for i := range s.Slots {
		if w := &s.Slots[i].Work; w.Kind != NonceOnly && some(w) {
			at = lower(at, w.From)
		}
	}
	for i := range s.Queue {
		if w := &s.Queue[i]; some(w) {
			at = lower(at, w.From)
		}
	}
	return at
}

// Lanes are the states of all lanes of a deployment, read one after the other. Their methods' only error is ErrTorn.
type Lanes map[score.Lane]*State

// ErrTorn reports that a handoff happened between the reads of two lanes' journals. Read them again.
var ErrTorn = errors.New("a handover between two lanes fell between the reading of their journals")

// untaken returns the handoffs in flight.
func (l Lanes) untaken() (open []Handover, err error) {
	for from, giver := range l {
		for to, given := range giver.Given {
			var took uint64
			if l[to] != nil {
				took = l[to].Took[from]
			}
			if took > given.N || took+uint64(len(given.Open)) < given.N {
				return nil, fmt.Errorf("%w: %d from lane %d to lane %d", ErrTorn, given.N, from, to)
			}
			for i := range given.Open {
				if given.Open[i].N > took {
					open = append(open, given.Open[i])
				}
			}
		}
	}
	for to, taker := range l {
		for from, took := range taker.Took {
			if giver := l[from]; giver == nil || giver.Given[to].N < took {
				return nil, fmt.Errorf("%w: %d from lane %d to lane %d", ErrTorn, took, from, to)
			}
		}
	}
	return open, nil
}

// Settled returns, for each bucket, the position below which everything has its outcome; zero if all journals lack
// the bucket.
func (l Lanes) Settled() (settled [score.Buckets]score.Position, err error) {
	open, err := l.untaken()
	if err != nil {
		return settled, err
	}
	floors, all := map[score.Bucket]score.Position{}, nowhere
	owned := func(buckets map[score.Bucket]Holding, open score.Position) {
		for b, held := range buckets {
			floors[b] = lower(open, held.Lowest())
		}
	}
	for i := range open {
		owned(open[i].Buckets, nowhere)
		for j := range open[i].Work {
			all = lower(all, open[i].Work[j].From)
		}
	}
	for _, s := range l {
		owned(s.Buckets, s.openFrom(func(*Work) bool { return true }))
		all = lower(all, s.openFrom(func(w *Work) bool { return w.Taken }))
	}
	for _, s := range l {
		for b, gives := range s.Former {
			floors[b] = lower(floors[b], s.openFrom(func(w *Work) bool { return w.Gives < gives }))
		}
	}
	for b, floor := range floors {
		settled[b] = lower(floor, all)
	}
	return settled, nil
}

// Creations returns the projects with a pending, queued or handed-off creation, or one in Past, which a deep reorg
// may reopen. Creations in blocks up to forgotten may be missing, since Past is bounded.
func (l Lanes) Creations() (projects map[score.ProjectID]bool, forgotten uint64, err error) {
	open, err := l.untaken()
	if err != nil {
		return nil, 0, err
	}
	projects = map[score.ProjectID]bool{}
	see := func(w *Work) {
		if w.Kind == Creation && w.Project != nil {
			projects[*w.Project] = true
		}
	}
	for i := range open {
		for j := range open[i].Work {
			see(&open[i].Work[j])
		}
	}
	for _, s := range l {
		for i := range s.Slots {
			see(&s.Slots[i].Work)
		}
		for i := range s.Past {
			see(&s.Past[i].Work)
		}
		for i := range s.Queue {
			see(&s.Queue[i])
		}
		if len(s.Past) > 0 {
			forgotten = max(forgotten, s.Past[0].Block.Number)
		}
	}
	return projects, forgotten, nil
}

// Elsewhere reports whether the bucket may have unfinished work outside its owner. Such work is in a handoff, or in
// another lane that took it, or that assigned it before giving the bucket away.
func (l Lanes) Elsewhere(b score.Bucket, owner score.Lane) (bool, error) {
	open, err := l.untaken()
	if err != nil {
		return false, err
	}
	for i := range open {
		if len(open[i].Work) > 0 {
			return true, nil
		}
	}
	for id, s := range l {
		gives, former := s.Former[b]
		if id != owner && s.openFrom(func(w *Work) bool { return w.Taken || former && w.Gives < gives }) != nowhere {
			return true, nil
		}
	}
	return false, nil
}

// Ended reports whether a project's creation or edit at a position was assigned and is finished in all lanes.
func (l Lanes) Ended(project score.ProjectID, at score.Position) (bool, error) {
	open, err := l.untaken()
	if err != nil {
		return false, err
	}
	bucket, bound := score.BucketOf(project), false
	is := func(w *Work) bool { return w.Kind.Alone() && w.From == at }
	for i := range open {
		held, has := open[i].Buckets[bucket]
		bound = bound || has && held.Of(project).Has(at)
		if slices.ContainsFunc(open[i].Work, func(w Work) bool { return is(&w) }) {
			return false, nil
		}
	}
	for _, s := range l {
		held, has := s.Buckets[bucket]
		bound = bound || has && held.Of(project).Has(at)
		if s.openFrom(is) != nowhere {
			return false, nil
		}
	}
	return bound, nil
}

// NeededFrom returns the lowest stream position that a lane still needs.
func (l Lanes) NeededFrom() (score.Position, error) {
	settled, err := l.Settled()
	at := nowhere
	for _, from := range settled {
		at = lower(at, from)
	}
	return at, err
}
