package lane

import (
	"fmt"
	"maps"

	"github.com/scorelay/scorelay/pkg/score"
)

// Holding is an owned bucket's assigned positions: an Extent per throttled (parked) project, and one for the rest.
type Holding struct {
	Extent
	Parked map[score.ProjectID]Extent `json:"parked,omitempty"`
}

// Extent is a set of assigned positions: all below the low watermark (Floor), and those in Bound above it.
type Extent struct {
	Floor score.Position  `json:"floor"`
	Bound score.Positions `json:"bound,omitempty"`
}

func (x Extent) Has(at score.Position) bool { return at.Before(x.Floor) || x.Bound.Has(at) }

func (h Holding) Of(project score.ProjectID) Extent {
	if x, parked := h.Parked[project]; parked {
		return x
	}
	return h.Extent
}

// Lowest returns the floor below which all positions of the bucket are assigned.
func (h Holding) Lowest() score.Position {
	at := h.Floor
	for _, x := range h.Parked {
		at = lower(at, x.Floor)
	}
	return at
}

// with returns a copy with a new extent; project is nil for the rest.
func (h Holding) with(project *score.ProjectID, x Extent) Holding {
	if project == nil {
		h.Extent = x
		return h
	}
	h.Parked = maps.Clone(h.Parked)
	if h.Parked == nil {
		h.Parked = map[score.ProjectID]Extent{}
	}
	h.Parked[*project] = x
	return h
}

type Move struct {
	Bucket  score.Bucket     `json:"bucket"`
	Project *score.ProjectID `json:"project,omitempty"` // a throttled project; nil for the rest of the bucket
	Bound   score.Positions  `json:"bound,omitempty"`
	Floor   score.Position   `json:"floor"`
	// Passed is the number of the extent's positions that the floor passed, counted while reading the stream. If the
	// fold counts fewer assigned positions, one was lost.
	Passed uint64 `json:"passed,omitempty"`
}

// moved returns ErrCorrupt if the floor falls, or if a position is assigned twice or passed unassigned.
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

func (s *State) moved(moves []Move) (buckets map[score.Bucket]Holding, bound uint64, err error) {
	buckets = maps.Clone(s.Buckets)
	for i := range moves {
		m := &moves[i]
		held, owned := buckets[m.Bucket]
		if !owned {
			return nil, 0, fmt.Errorf("%w: positions of bucket %d, which the lane does not own", ErrCorrupt, m.Bucket)
		}
		x := held.Extent
		if m.Project != nil {
			var parked bool
			if x, parked = held.Parked[*m.Project]; !parked {
				return nil, 0, fmt.Errorf("%w: positions of project %v by itself, which is not parked", ErrCorrupt, m.Project)
			}
		}
		if x, err = x.moved(m); err != nil {
			return nil, 0, err
		}
		buckets[m.Bucket] = held.with(m.Project, x)
		bound += m.Bound.Len()
	}
	return buckets, bound, nil
}

func (s *State) pass(e *Pass) error {
	buckets, _, err := s.moved(e.Moves)
	if err != nil {
		return err
	}
	s.Buckets = buckets
	return nil
}

func (s *State) park(e *Park) error {
	held, owned := s.Buckets[e.Bucket]
	_, parked := held.Parked[e.Project]
	switch {
	case !owned || score.BucketOf(e.Project) != e.Bucket:
		return fmt.Errorf("%w: project %v parked in bucket %d, which it is not in or the lane does not own", ErrCorrupt, e.Project, e.Bucket)
	case parked:
		return fmt.Errorf("%w: project %v parked twice", ErrCorrupt, e.Project)
	}
	others, err := held.Bound.Without(e.Bound)
	if err != nil {
		return fmt.Errorf("%w: project %v parked with positions that are not bound: %w", ErrCorrupt, e.Project, err)
	}
	project := Extent{Floor: held.Floor, Bound: e.Bound}
	held.Bound = others
	s.Buckets[e.Bucket] = held.with(&e.Project, project)
	return nil
}

func (s *State) unpark(e *Unpark) error {
	held := s.Buckets[e.Bucket]
	project, parked := held.Parked[e.Project]
	if !parked || project.Floor != held.Floor {
		return fmt.Errorf("%w: project %v unparked at %v, while the floor of bucket %d is at %v", ErrCorrupt, e.Project, project.Floor,
			e.Bucket, held.Floor)
	}
	bound, err := held.Bound.Union(project.Bound)
	if err != nil {
		return fmt.Errorf("%w: project %v unparked: %w", ErrCorrupt, e.Project, err)
	}
	held.Bound, held.Parked = bound, maps.Clone(held.Parked)
	delete(held.Parked, e.Project)
	s.Buckets[e.Bucket] = held
	return nil
}
