package lane

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

// Handover is one handoff of buckets and work between lanes: Give in the giver's journal begins it, Take in the
// taker's ends it.
type Handover struct {
	N       uint64                   `json:"n"` // from 1, per giver and taker
	Buckets map[score.Bucket]Holding `json:"buckets,omitempty"`
	Work    []Work                   `json:"work,omitempty"`
}

// Given contains the handoffs to one other lane.
type Given struct {
	N    uint64     `json:"n"`              // of the newest
	Open []Handover `json:"open,omitempty"` // those that lack a Taken entry, in order
}

// Notice is a lane's hint that another lane should read its journal.
type Notice struct {
	Given uint64 `json:"given"` // newest handoff to the other lane
	Took  uint64 `json:"took"`  // newest handoff taken from it
}

// give rejects a bucket while a creation or an edit of it is pending, since the taker's updates could overtake that
// work. A queued creation or edit must be given with its bucket.
func (s *State) give(e *Give) error {
	given := s.Given[e.To]
	handover := Handover{N: given.N + 1, Buckets: map[score.Bucket]Holding{}}
	buckets, queue, former := maps.Clone(s.Buckets), slices.Clone(s.Queue), maps.Clone(s.Former)
	if former == nil {
		former = map[score.Bucket]uint64{}
	}
	for _, b := range e.Buckets {
		held, owned := buckets[b]
		if !owned {
			return fmt.Errorf("%w: bucket %d given, which the lane does not own", ErrCorrupt, b)
		}
		delete(buckets, b)
		handover.Buckets[b], former[b] = held, s.Gives+1
	}
	for _, id := range e.Work {
		i := slices.IndexFunc(queue, func(w Work) bool { return w.ID == id })
		if i < 0 {
			return fmt.Errorf("%w: work %d given, which is not queued", ErrCorrupt, id)
		}
		handover.Work = append(handover.Work, queue[i])
		queue = slices.Delete(queue, i, i+1)
	}
	if len(e.Buckets)+len(e.Work) == 0 {
		return fmt.Errorf("%w: nothing given", ErrCorrupt)
	}
	for b := range handover.Buckets {
		if s.holdsBack(b, queue) {
			return fmt.Errorf("%w: bucket %d given, of which a creation or an edit is open", ErrCorrupt, b)
		}
	}
	s.Given = maps.Clone(s.Given)
	if s.Given == nil {
		s.Given = map[score.Lane]Given{}
	}
	s.Given[e.To] = Given{N: handover.N, Open: append(slices.Clone(given.Open), handover)}
	s.Buckets, s.Queue, s.Former = buckets, queue, former
	s.Gives++
	return nil
}

func (s *State) holdsBack(b score.Bucket, queue []Work) bool {
	return s.AloneInSlot(b) != nil || slices.ContainsFunc(queue, func(w Work) bool { return w.aloneOf(b) })
}

func (w *Work) aloneOf(b score.Bucket) bool {
	return w.Kind.Alone() && w.Project != nil && score.BucketOf(*w.Project) == b
}

// HeldBack reports whether a pending or queued creation or edit prevents giving the bucket by itself.
func (s *State) HeldBack(b score.Bucket) bool { return s.holdsBack(b, s.Queue) }

// AloneInSlot returns the project of the bucket's pending creation or edit, or nil.
func (s *State) AloneInSlot(b score.Bucket) *score.ProjectID {
	for i := range s.Slots {
		if w := &s.Slots[i].Work; w.aloneOf(b) {
			return w.Project
		}
	}
	return nil
}

func (s *State) QueuedAlone(b score.Bucket) (queued []Work) {
	for i := range s.Queue {
		if s.Queue[i].aloneOf(b) {
			queued = append(queued, s.Queue[i])
		}
	}
	return queued
}

// Empty reports whether the lane may be removed, if it gets no more buckets or work.
func (s *State) Empty() bool {
	for _, given := range s.Given {
		if len(given.Open) > 0 {
			return false
		}
	}
	return len(s.Buckets)+len(s.Slots)+len(s.Queue) == 0
}

func (s *State) take(e *Take) error {
	if e.N != s.Took[e.From]+1 {
		return fmt.Errorf("%w: handover %d of lane %d taken after %d", ErrCorrupt, e.N, e.From, s.Took[e.From])
	}
	buckets, former, took := maps.Clone(s.Buckets), maps.Clone(s.Former), maps.Clone(s.Took)
	if buckets == nil {
		buckets = map[score.Bucket]Holding{}
	}
	if took == nil {
		took = map[score.Lane]uint64{}
	}
	for b, held := range e.Buckets {
		if _, owned := buckets[b]; owned {
			return fmt.Errorf("%w: bucket %d taken from lane %d, which the lane owns", ErrCorrupt, b, e.From)
		}
		buckets[b] = held
		delete(former, b)
	}
	took[e.From] = e.N
	s.Buckets, s.Former, s.Took = buckets, former, took
	for _, w := range e.Work {
		origin := w.Name(e.From)
		w.Origin = &origin
		s.LastWork++
		w.ID, w.Taken, w.Gives = s.LastWork, true, s.Gives
		s.Queue = append(s.Queue, w)
	}
	return nil
}

func (s *State) taken(e *Taken) error {
	given, some := s.Given[e.To]
	if !some || e.N > given.N {
		return fmt.Errorf("%w: handover %d to lane %d was taken, and %d were given", ErrCorrupt, e.N, e.To, given.N)
	}
	given.Open = slices.DeleteFunc(slices.Clone(given.Open), func(h Handover) bool { return h.N <= e.N })
	s.Given = maps.Clone(s.Given)
	s.Given[e.To] = given
	return nil
}

func (s *State) abandon() error {
	queue := slices.Clone(s.Queue)
	for i := range s.Slots {
		slot := &s.Slots[i]
		if slot.Work.Kind == NonceOnly {
			continue
		}
		data, err := slot.Data()
		if err != nil {
			return err
		}
		work := slot.Work
		work.Data = data
		queue = append(queue, work)
	}
	s.Next = s.FirstOpen()
	s.Queue, s.Slots, s.Abandoned = queue, nil, true
	return nil
}
