package relay

import (
	"fmt"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// intake turns what is in a lane's buckets into the next thing to bind: a creation, an edit, or what the horizon of waiting updates
// offers.
// The lane's state says what is bound; the intake keeps the places of each bucket from its floor on, to tell how far an entry moves
// the floor.
//
// An example: message 7 is an envelope of 5 updates of one bucket, and everything before 7/0 is bound. A batch of three of them says:
// bound 7/0, 7/1 and 7/3, floor 7/2, 2 passed. A session killed then reads message 7 again, and take finds that three of the five are
// bound. The batch of the others says: bound 7/2 and 7/4, floor 8/0, 3 passed.
//
// A signed group is one place: it is bound whole or not at all, so no floor ever stands inside one.
type intake struct {
	config  Config
	state   *lane.State
	horizon *batch.Horizon // updates and signed groups that wait

	rows      map[score.Bucket]*row
	inHorizon map[score.Position]*place // the places that wait in it
	alone     *place                    // a creation, bound before anything else; or an edit, behind what waits of its project
	began     uint64                    // sequence from which on the stream was read
	read      score.Position            // everything from there up to it was taken

	parked map[score.ProjectID]*parked
	shares int // how many of them share the horizon: those that are not paused
	second secondReading
	served map[score.ProjectID]int // updates bound since the lane told last

	paused   map[score.ProjectID]bool   // by an operator
	withheld map[score.ProjectID]uint64 // of those that are not parked: updates that wait and are not in the horizon

	// leaving are the buckets that shall be another lane's and are held back by a creation or an edit; from the next one on nothing of
	// theirs is bound here, or they would never be free.
	leaving map[score.Bucket]bool
	stopped map[score.Bucket]score.Position // from where nothing of a bucket is kept

	price func(*batch.Horizon) // of what the horizon offers; nil before it is known
}

func newIntake(config Config, state *lane.State) (*intake, error) {
	in := &intake{config: config.withDefaults(), state: state}
	return in, in.reset()
}

// reset forgets all that was read.
func (in *intake) reset() error {
	horizon, err := batch.NewHorizon(in.config.Gas[0].Batch, in.config.Limits, in.config.Horizon)
	if err != nil {
		return err
	}
	in.horizon, in.alone, in.second = horizon, nil, secondReading{}
	in.rows, in.inHorizon, in.parked = map[score.Bucket]*row{}, map[score.Position]*place{}, map[score.ProjectID]*parked{}
	in.stopped, in.served, in.withheld = map[score.Bucket]score.Position{}, map[score.ProjectID]int{}, map[score.ProjectID]uint64{}
	if in.price != nil {
		in.price(horizon)
	}
	return nil
}

// again has the stream read again from where the state says now: see errReadAgain.
func (in *intake) again(told map[score.ProjectID]score.Backlog) error {
	err := in.reset()
	in.begin(told)
	return err
}

// reprice says what the horizon's offers cost and may cost.
func (in *intake) reprice(model batch.Model, maxGas uint64) {
	in.price = func(h *batch.Horizon) { h.Reprice(model, maxGas) }
	in.price(in.horizon)
}

// begin says that the journal is open: the stream is read from where the state says. Each parked project is behind, from its own
// floor on; told is how much of it waited when the last session said so, and counts for nothing where the floor has passed all that was counted.
func (in *intake) begin(told map[score.ProjectID]score.Backlog) {
	in.began = in.state.ReadFrom().Seq
	in.read = score.Position{Seq: in.began}
	for bucket, held := range in.state.Buckets {
		for id, x := range held.Parked {
			p := &parked{row: &row{bucket: bucket, project: &id}, next: x.Floor, behind: true}
			if last := told[id]; last.Read > x.Floor.Seq {
				p.unseen, p.seen = last.Waiting, last.Read
			}
			in.parked[id] = p
		}
	}
	in.share()
}

// wantsMessage tells whether another message can be taken. What is behind a creation or an edit may be of its project, so it comes after it.
func (in *intake) wantsMessage() bool {
	if in.alone != nil {
		return false
	}
	_, crowded := in.crowder()
	return crowded || in.horizon.Room() > 0
}

// take accepts the next message, which must come when wantsMessage. unreadable is its place, if it cannot be read, is the
// lane's, and was not dead-lettered yet. The error is lane.ErrCorrupt: a part of a signed group is bound. No program binds
// a part of one, so what became of it is not known; to continue could carry updates twice, or lose some.
func (in *intake) take(m score.Message) (unreadable *place, err error) {
	in.lost(in.read, lostBefore(m), false)
	in.read = score.Position{Seq: m.Seq + 1}
	if m.Corrupt == nil {
		return nil, in.each(m, false)
	}
	bucket := score.BucketOfMessage(m.Seq)
	whole := score.Span{Position: score.Position{Seq: m.Seq}, Count: 1}
	if _, owned := in.state.Buckets[bucket]; !owned || in.isStopped(bucket, whole.Position) {
		return nil, nil
	}
	return in.put(place{Span: whole, accepted: m.Time, unreadable: true}, in.row(bucket))
}

// each keeps what is in a message of one of both readings.
func (in *intake) each(m score.Message, second bool) error {
	at := score.Position{Seq: m.Seq}
	traces := m.Traces
	trace := func() (t *score.Trace) {
		if len(traces) > 0 && traces[0].Index == int(at.Index) {
			t, traces = &traces[0].Trace, traces[1:]
		}
		return t
	}
	if ref, alone := m.Alone(); alone {
		work := &piece{project: m.Project, edit: m.Edit}
		return in.meet(place{Span: score.Span{Position: at, Count: 1}, accepted: m.Time, project: ref.Project, alone: work, trace: trace()}, nil, second)
	}
	for unit := range score.Units(m.Updates, m.Signed) {
		p := place{Span: score.Span{Position: at, Count: uint32(len(unit.Updates))}, accepted: m.Time, project: unit.Updates[0].Project, trace: trace()}
		at.Index += p.Count
		if err := in.meet(p, &unit, second); err != nil {
			return err
		}
	}
	return nil
}

// meet keeps a unit, a creation or an edit, if it is the lane's and this is the reading that brings it.
func (in *intake) meet(at place, unit *score.Unit, second bool) error {
	if p := in.parked[at.project]; p != nil {
		return in.offer(p, at, unit, second)
	}
	if second {
		return nil
	}
	bucket := score.BucketOf(at.project)
	held, owned := in.state.Buckets[bucket]
	if !owned || in.isStopped(bucket, at.Position) {
		return nil
	}
	if at.alone != nil && in.leaving[bucket] && !held.Has(at.Position) {
		in.stopped[bucket] = at.Position
		return nil
	}
	return in.wait(in.row(bucket), at, unit)
}

// isStopped tells whether a position of a bucket is left to the lane that the bucket goes to.
func (in *intake) isStopped(b score.Bucket, at score.Position) bool {
	from, stopped := in.stopped[b]
	return stopped && !at.Before(from)
}

// wait keeps a place in a row, and its unit in the horizon if it is not bound, and its project not paused; a creation is bound though it
// is.
func (in *intake) wait(r *row, at place, unit *score.Unit) error {
	p, err := in.put(at, r)
	if err != nil || p == nil {
		return err
	}
	switch {
	case in.paused[p.project] && !p.creates():
		in.withheld[p.project] += uint64(p.Count)
		return nil
	case unit == nil:
		in.alone = p
		return nil
	}
	in.inHorizon[p.Position] = p
	in.horizon.Add(batch.Waiting{Unit: *unit, At: p.Position, Came: in.config.Now()})
	return nil
}

// turn tells whether what goes alone is to be bound now: an edit only when nothing of its project waits that came before it, since it
// may change what becomes of that.
func (in *intake) turn() bool {
	return in.alone != nil && (in.alone.creates() || in.horizon.Of(in.alone.project) == 0)
}

// put keeps a place in a row, and returns it if it is not bound.
func (in *intake) put(at place, r *row) (*place, error) {
	x := in.extent(r)
	bound := uint32(0)
	for i := range at.Count {
		if x.Has(score.Position{Seq: at.Seq, Index: at.Index + i}) {
			bound++
		}
	}
	if at.bound = bound == at.Count; bound > 0 && !at.bound {
		return nil, fmt.Errorf("%w: a part of the signed group of %d updates at %v is bound", lane.ErrCorrupt, at.Count, at.Position)
	}
	if at.Before(x.Floor) {
		return nil, nil
	}
	r.add(&at)
	if at.bound {
		return nil, nil
	}
	return &at, nil
}

// places are where units of the horizon are.
func (in *intake) places(units []batch.Waiting) []*place {
	places := make([]*place, len(units))
	for i := range units {
		places[i] = in.inHorizon[units[i].At]
	}
	return places
}

// batchBound says that what the horizon offered is journaled.
func (in *intake) batchBound(units []batch.Waiting) {
	for i := range units {
		delete(in.inHorizon, units[i].At)
		in.served[units[i].Unit.Updates[0].Project] += len(units[i].Unit.Updates)
	}
	in.horizon.Bound()
}
