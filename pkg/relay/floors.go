package relay

import (
	"context"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// row is the part of an extent (lane.Extent) that the session has read, from the floor on. The extent is of a
// throttled (parked) project, or of all others of a bucket.
//
// An entry contains the number of positions that a floor passes, counted among the read ones. The fold counts the
// assigned ones. So an entry fails to fold if a place was read and forgotten unassigned.
type row struct {
	bucket  score.Bucket
	project *score.ProjectID // nil: all unthrottled ones
	places  []*place         // in order, from the floor on
	read    uint64           // number of positions read
	passed  uint64           // number of these that the journaled floor has passed
}

// place is a unit, a creation, an edit or an unreadable message; its positions are assigned together.
type place struct {
	score.Span
	row        *row
	before     uint64 // the row's positions read before it
	accepted   time.Time
	project    score.ProjectID // zero if unreadable
	alone      *piece
	trace      *score.Trace
	unreadable bool // corrupt, or lost by the stream
	bound      bool
}

func (p *place) of(project score.ProjectID) bool { return !p.unreadable && p.project == project }

func (p *place) creates() bool { return p.alone != nil && p.alone.project != nil }

func (r *row) add(p *place) {
	p.row, p.before = r, r.read
	r.read += uint64(p.Count)
	r.places = append(r.places, p)
}

func (r *row) ordinal(at score.Position) uint64 {
	for _, p := range r.places {
		if !p.Before(at) {
			return p.before
		}
	}
	return r.read
}

func (in *intake) row(bucket score.Bucket) *row {
	r := in.rows[bucket]
	if r == nil {
		r = &row{bucket: bucket}
		in.rows[bucket] = r
	}
	return r
}

func (in *intake) extent(r *row) lane.Extent {
	held := in.state.Buckets[r.bucket]
	if r.project != nil {
		return held.Parked[*r.project]
	}
	return held.Extent
}

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

func (in *intake) move(r *row, bound func(*place) bool) lane.Move {
	m := lane.Move{Bucket: r.bucket, Project: r.project, Floor: in.extent(r).Floor}
	floor := in.unbound(r, bound)
	if r.project == nil || in.parked[*r.project].ending {
		if at, some := in.meeting(r.bucket, bound); some && at.Before(floor) {
			floor = at
		}
	}
	if m.Floor.Before(floor) { // otherwise reading has yet to reach the floor
		m.Floor, m.Passed = floor, r.ordinal(floor)-r.passed
	}
	return m
}

// unbound returns the lowest position of a row that may be unassigned, if bound reports which places are assigned.
func (in *intake) unbound(r *row, bound func(*place) bool) score.Position {
	for _, p := range r.places {
		if !bound(p) {
			return p.Position
		}
	}
	return in.reach(r)
}

func isBound(p *place) bool { return p.bound }

// passes returns moves that raise floors over positions that are assigned, or another lane's.
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

func (in *intake) clear(r *row) {
	floor := in.extent(r).Floor
	for len(r.places) > 0 && r.places[0].bound && r.places[0].Before(floor) {
		r.places[0], r.places = nil, r.places[1:]
	}
}

// pass raises the floors every PassEvery, since the next session reads from the floors on, and earlier messages may
// be purged.
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
