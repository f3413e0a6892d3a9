package relay

import (
	"fmt"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// intake turns the messages of a lane's buckets into the next work to assign: a creation, an edit, or a batch of the
// horizon. It keeps the places of each bucket from its floor on, to compute how far an entry moves the floor.
//
// Example: message 7 is an envelope of 5 updates of one bucket (positions 7/0 to 7/4), and everything before it is
// assigned. The entry of a batch with three of them has bound 7/0, 7/1 and 7/3, floor 7/2, passed 2. If the session
// is killed then, the next one reads message 7 again, and finds those three assigned. The entry of a batch with the
// others has bound 7/2 and 7/4, floor 8/0, passed 3.
//
// A signed group is one place, assigned whole, so a floor is never inside one.
type intake struct {
	config  Config
	state   *lane.State
	horizon *batch.Horizon

	rows      map[score.Bucket]*row
	inHorizon map[score.Position]*place
	// the read creation or edit to be assigned next; see turn
	alone *place
	began uint64         // the first sequence read
	read  score.Position // all from began to before this position was taken

	parked map[score.ProjectID]*parked
	shares int // throttled, unpaused projects
	second secondReading
	served map[score.ProjectID]int // updates assigned since backlogs were last published

	paused   map[score.ProjectID]bool   // by an operator, or fenced
	withheld map[score.ProjectID]uint64 // updates of unthrottled projects kept out of the horizon

	// leaving are buckets for another lane, held back by a creation or an edit. From the next creation or edit on, a
	// bucket's messages are left to that lane; otherwise the bucket might stay forever.
	leaving map[score.Bucket]bool
	stopped map[score.Bucket]score.Position // a bucket's messages from here on are left to another lane

	price func(*batch.Horizon) // prices a horizon; nil until known
}

func newIntake(config Config, state *lane.State) (*intake, error) {
	in := &intake{config: config.withDefaults(), state: state}
	return in, in.reset()
}

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

func (in *intake) again(told map[score.ProjectID]score.Backlog) error {
	err := in.reset()
	in.begin(told)
	return err
}

func (in *intake) reprice(model batch.Model, maxGas uint64) {
	in.price = func(h *batch.Horizon) { h.Reprice(model, maxGas) }
	in.price(in.horizon)
}

// begin starts reading from the lane's floors on, with each throttled project behind, from its own floor on. A
// backlog that earlier sessions published is ignored if the floor has passed all that it counts.
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

// wantsMessage reports whether the next message can be taken. A message behind a creation or an edit waits, since it
// may be of the same project.
func (in *intake) wantsMessage() bool {
	if in.alone != nil {
		return false
	}
	_, crowded := in.crowder()
	return crowded || in.horizon.Room() > 0
}

// take puts the next message into the intake; wantsMessage must hold. unreadable is the place of a corrupt message that
// this lane has to dead-letter, else nil. lane.ErrCorrupt means that the journal assigns only a part of a signed
// group, although groups are assigned whole: to continue could carry updates twice or lose some.
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

// meet keeps a unit, or a creation or an edit (unit is nil), if it is the lane's and this reading delivers it.
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

// isStopped reports whether a position is left to the lane that gets the bucket.
func (in *intake) isStopped(b score.Bucket, at score.Position) bool {
	from, stopped := in.stopped[b]
	return stopped && !at.Before(from)
}

// wait keeps a place in a row. Its unit joins the horizon, or its creation or edit becomes alone, unless the place is
// assigned or its project is paused. A paused project's creation becomes alone, too.
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

// turn reports whether the creation or edit is due. An edit waits for earlier updates of its project, since it may
// change their outcomes.
func (in *intake) turn() bool {
	return in.alone != nil && (in.alone.creates() || in.horizon.Of(in.alone.project) == 0)
}

// put keeps a place in a row unless the floor has passed it. It returns the place, or nil if it is assigned.
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

func (in *intake) places(units []batch.Waiting) []*place {
	places := make([]*place, len(units))
	for i := range units {
		places[i] = in.inHorizon[units[i].At]
	}
	return places
}

func (in *intake) batchBound(units []batch.Waiting) {
	for i := range units {
		delete(in.inHorizon, units[i].At)
		in.served[units[i].Unit.Updates[0].Project] += len(units[i].Unit.Updates)
	}
	in.horizon.Bound()
}
