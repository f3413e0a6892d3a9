package relay

import (
	"context"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// row is what was read of an extent from its floor on: of a parked project, or of all others of a bucket.
//
// How many positions an entry's floor passes is told from the counts of what was read, and the fold counts those that it knows
// to be bound. So a place that is forgotten before it is bound does not fold: it was counted when it was read.
type row struct {
	bucket  score.Bucket
	project *score.ProjectID // that is parked; nil for all others of the bucket
	places  []*place         // in order: from the first that is not bound
	read    uint64           // positions, from the floor on that the session began with
	passed  uint64           // of them, those that the floor passed, as journaled
}

// place is a unit, a creation, an edit, or a message that cannot be read, with its positions, which are bound together.
type place struct {
	score.Span
	row        *row
	before     uint64          // positions of the row that were read before it
	accepted   time.Time       // when its message was stored
	project    score.ProjectID // whose it is
	alone      *piece          // a creation or an edit
	trace      *score.Trace    // nil of most
	unreadable bool            // it is no project's
	bound      bool
}

func (p *place) of(project score.ProjectID) bool { return !p.unreadable && p.project == project }

// creates tells whether it is a creation.
func (p *place) creates() bool { return p.alone != nil && p.alone.project != nil }

// add appends a place to the row's.
func (r *row) add(p *place) {
	p.row, p.before = r, r.read
	r.read += uint64(p.Count)
	r.places = append(r.places, p)
}

// ordinal is how many positions of the row were read before a position.
func (r *row) ordinal(at score.Position) uint64 {
	for _, p := range r.places {
		if !p.Before(at) {
			return p.before
		}
	}
	return r.read
}

// row finds or makes the row of a bucket.
func (in *intake) row(bucket score.Bucket) *row {
	r := in.rows[bucket]
	if r == nil {
		r = &row{bucket: bucket}
		in.rows[bucket] = r
	}
	return r
}

// extent is what the journal says of a row.
func (in *intake) extent(r *row) lane.Extent {
	held := in.state.Buckets[r.bucket]
	if r.project != nil {
		return held.Parked[*r.project]
	}
	return held.Extent
}

// moves are what an entry that binds the places says of their rows.
func (in *intake) moves(places ...*place) ([]lane.Move, error) {
	spans, bind := map[*row][]score.Span{}, map[*place]bool{}
	var order []*row
	for _, p := range places {
		if spans[p.row] == nil {
			order = append(order, p.row)
		}
		spans[p.row] = append(spans[p.row], p.Span)
		bind[p] = true
	}
	var moves []lane.Move
	for _, r := range order {
		bound, err := score.PositionsOf(spans[r]...)
		if err != nil {
			return nil, err
		}
		move := in.move(r, func(p *place) bool { return p.bound || bind[p] })
		move.Bound = bound
		moves = append(moves, move)
	}
	return moves, nil
}

// move is how far the floor of a row may move when these places of it are bound.
func (in *intake) move(r *row, bound func(*place) bool) lane.Move {
	m := lane.Move{Bucket: r.bucket, Project: r.project, Floor: in.extent(r).Floor}
	floor := in.unbound(r, bound)
	if r.project == nil || in.parked[*r.project].ending {
		if at, some := in.meeting(r.bucket, bound); some && at.Before(floor) {
			floor = at
		}
	}
	if m.Floor.Before(floor) { // else the row was not read that far
		m.Floor, m.Passed = floor, r.ordinal(floor)-r.passed
	}
	return m
}

// unbound is the lowest position of a row that may be unbound when these places of it are bound.
func (in *intake) unbound(r *row, bound func(*place) bool) score.Position {
	for _, p := range r.places {
		if !bound(p) {
			return p.Position
		}
	}
	return in.reach(r)
}

func isBound(p *place) bool { return p.bound }

// passes are the moves of floors over what is bound, or not the lane's.
func (in *intake) passes() (moves []lane.Move) {
	for b := range score.Buckets {
		held, owned := in.state.Buckets[score.Bucket(b)]
		if !owned {
			continue
		}
		if m := in.move(in.row(score.Bucket(b)), isBound); held.Floor.Before(m.Floor) {
			moves = append(moves, m)
		}
	}
	for _, p := range in.inOrder() {
		if m := in.move(p.row, isBound); in.extent(p.row).Floor.Before(m.Floor) {
			moves = append(moves, m)
		}
	}
	return moves
}

// journaled says that an entry with these moves bound the places.
func (in *intake) journaled(moves []lane.Move, places ...*place) {
	for _, p := range places {
		p.bound = true
	}
	for i := range moves {
		r := in.row(moves[i].Bucket)
		if id := moves[i].Project; id != nil {
			r = in.parked[*id].row
		}
		r.passed += moves[i].Passed
		in.clear(r)
	}
}

// clear forgets the places of a row that its floor has passed.
func (in *intake) clear(r *row) {
	floor := in.extent(r).Floor
	for len(r.places) > 0 && r.places[0].bound && r.places[0].Before(floor) {
		r.places[0], r.places = nil, r.places[1:]
	}
}

// pass moves the floors, now and then, over what is bound and what other lanes carry: what is before them is not read again
// by the next session, and may be purged.
func (s *session) pass(ctx context.Context) error {
	now := s.config.Now()
	if now.Sub(s.passed) < s.config.PassEvery {
		return nil
	}
	s.passed = now
	moves := s.intake.passes()
	if len(moves) == 0 {
		return nil
	}
	if err := s.journal.append(ctx, lane.Entry{Pass: &lane.Pass{Moves: moves}}); err != nil {
		return err
	}
	s.intake.journaled(moves)
	return nil
}
