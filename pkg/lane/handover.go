package lane

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
)

// Handover is what a lane gives to another at once. It is in one of three places: with the giver, given and not taken, or with
// the taker. Only the giver's journal can begin it and only the taker's can end it, each by one entry, and handovers from one
// lane to another are numbered: so nothing is given twice, and nothing is taken twice or out of order.
type Handover struct {
	N       uint64                   `json:"n"` // from 1 on, of those from the one lane to the other
	Buckets map[score.Bucket]Holding `json:"buckets,omitempty"`
	Work    []Work                   `json:"work,omitempty"`
}

// Given is what a lane gave to another.
type Given struct {
	N    uint64     `json:"n"`              // of the newest
	Open []Handover `json:"open,omitempty"` // the newest, in order: those of which the lane does not know that they were taken
}

// Notice is what a lane tells another: what there is to read in its journal.
type Notice struct {
	Given uint64 `json:"given"` // the newest handover from it to the other
	Took  uint64 `json:"took"`  // the newest handover from the other that it took
}

// give ends what the lane has of buckets and queued work. A creation or an edit that is open in a slot holds its bucket back, since
// the taker's updates could overtake it; one in the queue goes with its bucket.
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

// holdsBack tells whether a creation or an edit of the bucket is in an open slot or in a queue.
func (s *State) holdsBack(b score.Bucket, queue []Work) bool {
	return s.AloneInSlot(b) != nil || slices.ContainsFunc(queue, func(w Work) bool { return w.aloneOf(b) })
}

// aloneOf tells whether it is a creation or an edit of the bucket.
func (w *Work) aloneOf(b score.Bucket) bool {
	return w.Kind.Alone() && w.Project != nil && score.BucketOf(*w.Project) == b
}

// HeldBack tells whether a bucket cannot be given by itself, because a creation or an edit of it is not final.
func (s *State) HeldBack(b score.Bucket) bool { return s.holdsBack(b, s.Queue) }

// AloneInSlot is the project of a creation or an edit of the bucket that is in an open slot; nil if there is none.
func (s *State) AloneInSlot(b score.Bucket) *score.ProjectID {
	for i := range s.Slots {
		if w := &s.Slots[i].Work; w.aloneOf(b) {
			return w.Project
		}
	}
	return nil
}

// QueuedAlone are the creations and edits of the bucket that are queued.
func (s *State) QueuedAlone(b score.Bucket) (queued []Work) {
	for i := range s.Queue {
		if s.Queue[i].aloneOf(b) {
			queued = append(queued, s.Queue[i])
		}
	}
	return queued
}

// Empty tells whether nothing is left to do: a lane that gets nothing more may go.
func (s *State) Empty() bool {
	for _, given := range s.Given {
		if len(given.Open) > 0 {
			return false
		}
	}
	return len(s.Buckets)+len(s.Slots)+len(s.Queue) == 0
}

// take begins to own what another lane gave.
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

// taken forgets handovers that are in the other lane's journal.
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

// abandon puts the work of all open slots into the queue, for other lanes to take.
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
