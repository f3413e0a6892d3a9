package relay

import (
	"maps"
	"slices"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// Throttling (parking). A project that takes more than its share of the horizon gets a floor of its own, and an
// allowance in the horizon. The main reading passes its further updates, so that no other project waits behind them.
// A second, catch-up reading delivers these updates later; all throttled projects of a lane share it. It begins where
// the first of these projects stopped. It serves those with room until they are full, or until it reaches the main
// reading.
//
// Together, the readings deliver a throttled project's positions in order, once each (offer).
//
// Example: the horizon holds 16 updates. Project A sends messages 1 to 20 and 22 to 40 with an update each, B sends
// 21. When 1 to 16 are read, A is parked with an allowance of 14, behind from 15 on, and owed 2. The main reading
// takes 21 and passes A's messages; A is owed 25. After 1 to 14 are assigned, A rides: 15 to 20 and 22 to 29 fill the
// allowance. A is behind from 30 on, and owed 11. It rides again whenever less than half of the allowance waits,
// until the second reading reaches the main one at 41.
//
// The states of a throttled project:
//
//	state   behind riding  main reading      second reading   to the next state
//	level   no     no      delivers          lacks it         no room: behind. Small backlog: unparked
//	behind  yes    no      passes, counts    passes           less than half of the allowance waits: riding
//	riding  yes    yes     passes, counts    delivers         no room: behind. At the main reading: level

const (
	mostParked   = 64 // throttled projects of a lane, besides paused ones
	reserveParts = 8  // parts of the horizon; one is for unthrottled projects
)

type parked struct {
	row    *row
	next   score.Position // positions before it are assigned or in the row
	behind bool           // the main reading may have passed positions from next on
	riding bool           // behind, and the second reading delivers all from next on
	edited bool           // behind, and an edit is next, which waits for the updates in the horizon
	ending bool           // to be unparked once its floor equals its bucket's
	paused bool           // by an operator, or fenced

	// owed counts positions from next on that the main reading passed in this session.
	owed uint64
	// unseen counts waiting updates before sequence seen that this session must still read. An earlier one published
	// their number, or trim removed them.
	unseen uint64
	seen   uint64
}

// met subtracts from unseen a place that was read, if unseen may count it.
func (p *parked) met(at place) {
	if at.Seq < p.seen {
		p.unseen -= min(p.unseen, uint64(at.Count))
	}
}

func (p *parked) caughtUp(read score.Position) {
	if !p.behind && p.seen <= read.Seq {
		p.unseen = 0
	}
}

func (p *parked) id() score.ProjectID { return *p.row.project }

func (in *intake) inOrder() []*parked {
	return slices.SortedFunc(maps.Values(in.parked), func(a, b *parked) int { return slices.Compare(a.row.project[:], b.row.project[:]) })
}

func (in *intake) share() {
	in.shares = 0
	for id, p := range in.parked {
		if p.paused = in.paused[id]; !p.paused {
			in.shares++
		}
	}
}

func (in *intake) allowance(p *parked) int {
	if p.paused {
		return 0
	}
	all := in.config.Horizon.Updates - in.config.Horizon.Updates/reserveParts
	return max(1, all/max(1, in.shares))
}

// much returns how many updates in a full horizon are too many for one project.
func (in *intake) much() int { return max(1, in.config.Horizon.Updates/mostParked) }

// crowder returns the project to park: the unparked one with the most updates in a full horizon, at least much; else
// false. Projects of buckets that leave the lane are excluded. So are those of buckets with unread assigned
// positions, since Park must list all assigned positions of a project.
func (in *intake) crowder() (id score.ProjectID, ok bool) {
	if in.horizon.Room() > 0 || in.shares >= mostParked {
		return id, false
	}
	most := in.much() - 1
	for p, n := range in.horizon.Projects() {
		first := n > most || ok && n == most && slices.Compare(p[:], id[:]) < 0
		bucket := score.BucketOf(p)
		if first && in.parked[p] == nil && !in.leaving[bucket] && in.readBound(bucket) {
			id, most, ok = p, n, true
		}
	}
	return id, ok
}

// heavy returns an edit's project, and whether to park it before the edit is taken, since its backlog would delay
// others behind the edit.
func (in *intake) heavy(m score.Message) (id score.ProjectID, ok bool) {
	if m.Edit == nil {
		return id, false
	}
	id = m.Edit.Project
	bucket := score.BucketOf(id)
	return id, in.parked[id] == nil && in.horizon.Of(id) > in.much() && in.shares < mostParked && !in.leaving[bucket] && in.readBound(bucket)
}

func (in *intake) readBound(bucket score.Bucket) bool {
	bound := in.state.Buckets[bucket].Bound
	return len(bound) == 0 || bound[len(bound)-1].Before(in.read)
}

func (in *intake) park(id score.ProjectID) (lane.Entry, error) {
	bucket := score.BucketOf(id)
	var bound []score.Span
	for _, p := range in.row(bucket).places {
		if p.of(id) && p.bound {
			bound = append(bound, p.Span)
		}
	}
	positions, err := score.PositionsOf(bound...)
	return lane.Entry{Park: &lane.Park{Bucket: bucket, Project: id, Bound: positions}}, err
}

func (in *intake) parkedNow(id score.ProjectID) {
	bucket := in.row(score.BucketOf(id))
	p := &parked{row: &row{bucket: bucket.bucket, project: &id}, next: in.read}
	in.parked[id] = p
	places := bucket.places
	bucket.places = nil
	for _, at := range places {
		if at.of(id) {
			p.row.add(at)
			continue
		}
		at.before -= p.row.read
		bucket.places = append(bucket.places, at)
	}
	bucket.read -= p.row.read
	delete(in.withheld, id)
	in.shareAgain()
}

func (in *intake) shareAgain() {
	in.share()
	for _, p := range in.parked {
		in.trim(p)
	}
}

// trim removes a project's last positions beyond its allowance from the horizon. They are read again later.
func (in *intake) trim(p *parked) {
	removed := in.horizon.Trim(p.id(), in.allowance(p))
	i := slices.IndexFunc(p.row.places, func(at *place) bool {
		return !at.bound && (p.paused || len(removed) > 0 && !at.Before(removed[0].At))
	})
	if i < 0 {
		return
	}
	left := p.row.places[i].Position
	for _, at := range p.row.places[i:] {
		delete(in.inHorizon, at.Position)
		if at == in.alone {
			in.alone = nil
		}
		switch {
		case at.unreadable: // lost: the second reading finds the gap again
		case at.Seq >= in.began:
			p.owed += uint64(at.Count)
		default:
			p.unseen += uint64(at.Count)
			p.seen = max(p.seen, at.Seq+1)
		}
	}
	p.row.read = p.row.places[i].before
	p.row.places = slices.Delete(p.row.places, i, len(p.row.places))
	p.stop(left)
}

func (p *parked) stop(next score.Position) {
	p.next, p.behind, p.riding, p.edited, p.ending = next, true, false, false, false
}

// offer puts a throttled project's place into its row, if the place comes next and there is room. Both readings offer
// everything, so a place may come twice, and trim may have removed earlier ones. If there is no room, or an edit
// would wait for earlier updates, the project is behind from this place on.
func (in *intake) offer(p *parked, at place, unit *score.Unit, second bool) error {
	edits := at.alone != nil && !at.creates() && in.horizon.Of(p.id()) > 0
	switch end := at.End(); {
	case !p.next.Before(end), second && !p.riding:
		return nil
	case !second && p.behind:
		p.owed += uint64(at.Count)
		p.met(at)
		return nil
	case edits, !at.creates() && in.horizon.Of(p.id()) >= in.allowance(p):
		if !second {
			p.owed += uint64(at.Count)
			p.met(at)
		}
		p.stop(at.Position)
		p.edited = edits
		return nil
	default:
		p.next = end
	}
	switch {
	case second && at.Seq >= in.began:
		p.owed -= uint64(at.Count)
	default:
		p.met(at)
	}
	return in.wait(p.row, at, unit)
}

// reach returns the position before which a row was read completely.
func (in *intake) reach(r *row) score.Position {
	if r.project == nil {
		if at, stopped := in.stopped[r.bucket]; stopped {
			return at
		}
		return in.read
	}
	switch p := in.parked[*r.project]; {
	case !p.behind:
		return in.read
	case p.riding && p.next.Before(in.second.read):
		return in.second.read
	default:
		return p.next
	}
}

// meeting returns the lowest position that may be unassigned in the rows of a bucket and of its ending projects.
// Their floors must stop there, so that the rows can be joined; false if no project is ending.
func (in *intake) meeting(bucket score.Bucket, bound func(*place) bool) (at score.Position, ok bool) {
	for _, p := range in.parked {
		if p.row.bucket != bucket || !p.ending {
			continue
		}
		if own := in.unbound(p.row, bound); !ok || own.Before(at) {
			at, ok = own, true
		}
	}
	if own := in.unbound(in.row(bucket), bound); ok && own.Before(at) {
		at = own
	}
	return at, ok
}

// unparkable returns the projects that can be unparked once the moves are journaled. If a project's backlog is small,
// its floor and its bucket's stop at one position (meeting). It is ready when that is at or above both floors.
func (in *intake) unparkable() (ready []*parked, moves []lane.Move) {
	buckets := map[score.Bucket]bool{}
	for _, p := range in.inOrder() {
		p.ending = !p.behind && p.seen <= in.read.Seq && !in.leaving[p.row.bucket] && (p.ending || in.horizon.Of(p.id()) <= in.much()/2)
	}
	for _, p := range in.inOrder() {
		at, _ := in.meeting(p.row.bucket, isBound)
		bucket := in.row(p.row.bucket)
		if !p.ending || at.Before(in.extent(p.row).Floor) || at.Before(in.extent(bucket).Floor) {
			continue
		}
		ready = append(ready, p)
		rows := []*row{p.row}
		if !buckets[bucket.bucket] {
			buckets[bucket.bucket], rows = true, append(rows, bucket)
		}
		for _, r := range rows {
			if m := in.move(r, isBound); in.extent(r).Floor.Before(m.Floor) {
				moves = append(moves, m)
			}
		}
	}
	return ready, moves
}

func (in *intake) unparked(p *parked) {
	bucket := in.row(p.row.bucket)
	own, others := p.row, *bucket
	bucket.places = nil
	bucket.read = others.read + own.read - own.passed
	for len(own.places)+len(others.places) > 0 {
		before, ownBefore := others.read, own.read
		if len(others.places) > 0 {
			before = others.places[0].before
		}
		if len(own.places) > 0 {
			ownBefore = own.places[0].before
		}
		from := own
		if len(own.places) == 0 || len(others.places) > 0 && others.places[0].Before(own.places[0].Position) {
			from = &others
		}
		at := from.places[0]
		from.places = from.places[1:]
		at.row, at.before = bucket, before+ownBefore-own.passed
		bucket.places = append(bucket.places, at)
	}
	delete(in.parked, p.id())
	in.share()
}
