package relay

import (
	"maps"
	"slices"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// Throttling (parking). A project that takes more than its share of the horizon gets a floor of its own, and an
// allowance in the horizon. The main reading passes its further updates, so that no other project waits behind them.
// A second, catch-up reading, one for all throttled projects of a lane, delivers them later. It begins where the
// first of them stopped, and serves those with room until they are full again, or it reaches the main reading.
//
// Both readings together deliver a throttled project's positions in order, once each: see offer.
//
// Example: the horizon holds 16 updates, and each message is one. Project A sends messages 1 to 20 and 22 to 40,
// project B sends 21.
//
//   - The main reading takes 1 to 16, and the horizon is full. A is parked: its allowance is 14, so 15 and 16 are
//     removed. A is behind from 15 on, and owed 2.
//   - The main reading passes 17 to 20, takes 21, and passes 22 to 40: A is owed 25.
//   - The lane assigns a batch of 1 to 7 and 21: B waited for none of the owed updates. It assigns 8 to 14.
//   - Less than half of A's allowance waits, so a second reading begins at 15, and A rides with it: 15 to 20 and 22
//     to 29 fill the allowance. A is behind from 30 on, stops riding, and is owed 11.
//   - Whenever less than half waits, A rides again, until the second reading reaches the main one at 41. A is owed 0
//     then, or messages were lost. The main reading delivers A's further messages.
//   - When A's backlog is empty, A is unparked at a position of both its floor and its bucket's.
//
// The states of a throttled project:
//
//	state   behind riding  main reading      second reading   to the next state
//	level   no     no      delivers          lacks it         no room: behind. Small backlog: unparked
//	behind  yes    no      passes, counts    passes           less than half of the allowance waits: riding
//	riding  yes    yes     passes, counts    delivers         no room: behind. At the main reading: level
//
// A new session begins with each throttled project behind, from its own floor on.

const (
	mostParked   = 64 // projects of a lane, besides paused ones
	reserveParts = 8  // of the horizon: one is for projects that are not throttled
)

type parked struct {
	row    *row
	next   score.Position // positions before it are assigned or in its row, later ones are neither
	behind bool           // the main reading may have passed positions from next on
	riding bool           // behind, and the second reading delivers all from next on
	edited bool           // behind, with an edit next, which waits for its updates in the horizon
	ending bool           // to be unparked once its floor is its bucket's
	paused bool           // by an operator, or fenced

	// owed counts positions from next on that the main reading passed in this session.
	owed uint64
	// unseen counts waiting updates that this session has yet to read: an earlier one published them, when it had
	// read up to seen.
	unseen uint64
	seen   uint64
}

// met removes positions from unseen that may be counted there.
func (p *parked) met(at place) {
	if at.Seq < p.seen {
		p.unseen -= min(p.unseen, uint64(at.Count))
	}
}

// caughtUp clears unseen once both readings have passed all that it counts.
func (p *parked) caughtUp(read score.Position) {
	if !p.behind && p.seen <= read.Seq {
		p.unseen = 0
	}
}

func (p *parked) id() score.ProjectID { return *p.row.project }

func (in *intake) inOrder() []*parked {
	return slices.SortedFunc(maps.Values(in.parked), func(a, b *parked) int { return slices.Compare(a.row.project[:], b.row.project[:]) })
}

// share marks the paused projects, and counts the others, which share the horizon.
func (in *intake) share() {
	in.shares = 0
	for id, p := range in.parked {
		if p.paused = in.paused[id]; !p.paused {
			in.shares++
		}
	}
}

// allowance returns how many updates of a throttled project may be in the horizon.
func (in *intake) allowance(p *parked) int {
	if p.paused {
		return 0
	}
	all := in.config.Horizon.Updates - in.config.Horizon.Updates/reserveParts
	return max(1, all/max(1, in.shares))
}

// much returns how many updates in a full horizon are too many for one project.
func (in *intake) much() int { return max(1, in.config.Horizon.Updates/mostParked) }

// crowder returns the project to park when the horizon is full: the unparked one with the most updates in it, if it
// has at least much. Two kinds of projects are excluded: those of buckets that leave the lane, and those of buckets
// with unread positions that an earlier session assigned. Park must list the assigned positions of a project, and
// there they are not all known.
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

// heavy returns the project of an edit, and whether to park it before the edit is taken: its backlog is so large that
// others would wait long for the edit.
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

// parkedNow records that a project is parked, and moves its places to its own row.
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

// shareAgain applies the allowances, which may have shrunk.
func (in *intake) shareAgain() {
	in.share()
	for _, p := range in.parked {
		in.trim(p)
	}
}

// trim reduces a project to its allowance: its last positions leave the horizon, and are read again later.
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

// stop keeps the project's positions from next on out of the horizon.
func (p *parked) stop(next score.Position) {
	p.next, p.behind, p.riding, p.edited, p.ending = next, true, false, false, false
}

// offer puts a place of a throttled project into its row, if it comes next and there is room. Both readings offer
// everything, so a place may come twice, and earlier ones may have been removed in between.
//
//   - Places before next came already, and are skipped.
//   - The main reading skips and counts all while the project is behind.
//   - The second reading delivers the next ones while the project rides.
//   - If there is no room, or an edit would wait for earlier updates, the project is behind from there on.
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

// reach returns the position before which a row was read.
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

// meeting returns the position that the floors of a bucket must not pass yet: there its ending projects can join the
// bucket's row.
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

// unparkable returns the projects that can be unparked once these moves are journaled. If a backlog is small, neither
// the project's floor nor its bucket's moves on alone, until all before one position of both is assigned.
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

// unparked merges a project's places into its bucket's row.
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
