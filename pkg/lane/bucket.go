package lane

import (
	"fmt"
	"maps"
	"math"

	"github.com/scorelay/scorelay/pkg/score"
)

// Holding is a bucket that the lane owns: how often it came to another lane, and what of it is bound.
type Holding struct {
	Version uint64 `json:"version"` // 0: of the deployment's beginning
	Extent
}

// Extent tells which of a bucket's positions are bound: all before the floor, and those of a set beyond it.
type Extent struct {
	Floor score.Position  `json:"floor"`
	Bound score.Positions `json:"bound,omitempty"`
}

// Has tells whether a position is bound, if it is of the bucket.
func (x Extent) Has(at score.Position) bool { return at.Before(x.Floor) || x.Bound.Has(at) }

// Move is what an entry changes of a bucket: the positions that it binds, and the floor after it.
type Move struct {
	Bucket score.Bucket    `json:"bucket"`
	Bound  score.Positions `json:"bound,omitempty"`
	Floor  score.Position  `json:"floor"`
	// Passed is how many of the bucket's positions the floor passed, as the session counted them when it read the stream. The
	// fold counts those that are bound: a position that is not was lost, and the counts differ.
	Passed uint64 `json:"passed,omitempty"`
}

// moved is the extent after a move. The error is ErrCorrupt: a position is bound twice, or passed that is not bound.
func (x Extent) moved(m *Move) (Extent, error) {
	fail := func(err error) (Extent, error) {
		return x, fmt.Errorf("%w: bucket %d, from %v to %v: %w", ErrCorrupt, m.Bucket, x.Floor, m.Floor, err)
	}
	if m.Floor.Before(x.Floor) {
		return fail(fmt.Errorf("the floor falls"))
	}
	if len(m.Bound) > 0 && m.Bound[0].Before(x.Floor) {
		return fail(fmt.Errorf("%v is bound, which is below the floor", m.Bound[0].Position))
	}
	bound, err := x.Bound.Union(m.Bound)
	if err != nil {
		return fail(err)
	}
	passed, beyond := bound.Split(m.Floor)
	if n := passed.Len(); n != m.Passed {
		return fail(fmt.Errorf("the floor passed %d positions, of which %d are bound", m.Passed, n))
	}
	return Extent{Floor: m.Floor, Bound: beyond}, nil
}

// moved are the lane's buckets after an entry's moves, and how many positions these bind.
func (s *State) moved(moves []Move) (buckets map[score.Bucket]Holding, bound uint64, err error) {
	buckets = maps.Clone(s.Buckets)
	for i := range moves {
		m := &moves[i]
		held, owned := buckets[m.Bucket]
		if !owned {
			return nil, 0, fmt.Errorf("%w: positions of bucket %d, which the lane does not own", ErrCorrupt, m.Bucket)
		}
		if held.Extent, err = held.moved(m); err != nil {
			return nil, 0, err
		}
		buckets[m.Bucket] = held
		bound += m.Bound.Len()
	}
	return buckets, bound, nil
}

// pass moves floors without binding anything to a slot: over what other lanes carry, and over messages that were
// dead-lettered.
func (s *State) pass(e *Pass) error {
	buckets, _, err := s.moved(e.Moves)
	if err != nil {
		return err
	}
	s.Buckets = buckets
	return nil
}

// nowhere is the position that all others are before.
var nowhere = score.Position{Seq: math.MaxUint64}

// ReadFrom is the position where reading the stream begins: everything of the lane's before it is bound. It is behind
// everything for a lane without buckets.
func (s *State) ReadFrom() score.Position {
	at := nowhere
	for _, held := range s.Buckets {
		if held.Floor.Before(at) {
			at = held.Floor
		}
	}
	return at
}

// openFrom is the lowest position of work that is not settled.
func (s *State) openFrom() score.Position {
	at := nowhere
	note := func(from score.Position) {
		if from.Before(at) {
			at = from
		}
	}
	for i := range s.Slots {
		if s.Slots[i].Work.Kind != NonceOnly {
			note(s.Slots[i].Work.From)
		}
	}
	for i := range s.Queue {
		note(s.Queue[i].From)
	}
	return at
}

// NeededFrom is the position before which the lane needs nothing of the stream any more.
func (s *State) NeededFrom() score.Position {
	read, open := s.ReadFrom(), s.openFrom()
	if open.Before(read) {
		return open
	}
	return read
}

// Seen is the highest sequence of the stream that the state speaks of: the stream must hold it, or have held it.
func (s *State) Seen() (seq uint64) {
	for _, held := range s.Buckets {
		if held.Floor.Seq > 0 {
			seq = max(seq, held.Floor.Seq-1)
			if held.Floor.Index > 0 {
				seq = max(seq, held.Floor.Seq)
			}
		}
		if n := len(held.Bound); n > 0 {
			seq = max(seq, held.Bound[n-1].Seq)
		}
	}
	return seq
}

// Settled tells of each bucket the position before which everything in it has its outcome. It takes the states of all lanes.
func Settled(lanes []*State) (settled [score.Buckets]score.Position) {
	for _, s := range lanes {
		open := s.openFrom()
		for b, held := range s.Buckets {
			settled[b] = held.Floor
			if open.Before(held.Floor) {
				settled[b] = open
			}
		}
	}
	return settled
}
