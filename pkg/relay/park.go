package relay

import (
	"maps"
	"slices"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// Parking. A project that takes more than its share of the horizon gets a floor of its own, and an allowance in the horizon. The main
// reading continues past what is beyond that, so that no other project waits behind it; a second reading, one for all parked
// projects of a lane, brings it later: it begins where the first of them stopped, and carries those that have room until
// they are full again or it comes to where the main reading is.
//
// Of both readings a parked project's positions come to the horizon in their order, each once: see offer.
//
// An example: the horizon holds 16 updates, and each message is one. Project A sends messages 1 to 20 and 22 to 40, project B sends 21.
//
//   - The main reading takes 1 to 16, and the horizon is full. A is parked: its allowance is 14, so 15 and 16 are left out again. A is
//     behind from 15 on, and owed 2.
//   - The main reading leaves out 17 to 20, takes 21, and leaves out 22 to 40: A is owed 25.
//   - The lane binds a batch of 1 to 7 and 21: B waited for none of what is owed. It binds 8 to 14.
//   - Less than half of A's allowance waits, so a second reading begins at 15, and A rides with it: 15 to 20 and 22 to 29 fill the
//     allowance. A is behind from 30 on, does not ride, and is owed 11.
//   - As soon as less than half waits A rides again, until the second reading comes to 41, where the main one is. A is owed 0, or something was
//     lost; the main reading brings what A sends from then on.
//   - When nothing more of A waits, all is bound before one position of A's and of its bucket's: there A is unparked.
//
// So a parked project is in one of three states:
//
//	state   behind riding  main reading           second reading     to the next state
//	level   no     no      brings what comes      has nothing of it  no room: behind. Little waits: unparked
//	behind  yes    no      leaves it out, counts  leaves it out      less than half of the allowance waits: riding
//	riding  yes    yes     leaves it out, counts  brings it          no room: behind. At the main reading: level
//
// A new session has each parked project behind, from its own floor on.

const (
	mostParked   = 64 // projects of a lane, but for those that an operator paused
	reserveParts = 8  // of the horizon: one is for projects that are not parked
)

// parked is a project that is parked.
type parked struct {
	row    *row
	next   score.Position // all of its positions before it are bound or in its row, none from there on
	behind bool           // the main reading passed positions from next on, or may have
	riding bool           // behind, and the second reading brings it all from next on
	edited bool           // behind, and an edit comes next: it rides when nothing of it waits
	ending bool           // it may be unparked when its floor is its bucket's
	paused bool           // by an operator: it has no allowance

	// owed is how many of its positions from next on the main reading passed since the session began.
	owed uint64
	// unseen is how many wait of those that no reading of this session met yet: what an earlier session told, when it had read
	// the stream up to seen.
	unseen uint64
	seen   uint64
}

// met says that a reading met positions that an earlier session may have told of.
func (p *parked) met(at place) {
	if at.Seq < p.seen {
		p.unseen -= min(p.unseen, uint64(at.Count))
	}
}

// caughtUp says that both readings met all there is before a position, if that is so.
func (p *parked) caughtUp(read score.Position) {
	if !p.behind && p.seen <= read.Seq {
		p.unseen = 0
	}
}

func (p *parked) id() score.ProjectID { return *p.row.project }

// inOrder are the parked projects, always in the same order.
func (in *intake) inOrder() []*parked {
	return slices.SortedFunc(maps.Values(in.parked), func(a, b *parked) int { return slices.Compare(a.row.project[:], b.row.project[:]) })
}

// share says which parked projects are paused, and counts the others, which share the horizon.
func (in *intake) share() {
	in.shares = 0
	for id, p := range in.parked {
		if p.paused = in.paused[id]; !p.paused {
			in.shares++
		}
	}
}

// allowance is how many updates of a parked project may be in the horizon.
func (in *intake) allowance(p *parked) int {
	if p.paused {
		return 0
	}
	all := in.config.Horizon.Updates - in.config.Horizon.Updates/reserveParts
	return max(1, all/max(1, in.shares))
}

// much is how many updates in the horizon are too many for a project where the horizon is full.
func (in *intake) much() int { return max(1, in.config.Horizon.Updates/mostParked) }

// crowder is the project to park for the main reading to continue; ok is false if there is none. None is parked whose bucket has positions
// that an earlier session bound and this one did not read yet: which of them are the project's is not known; or whose bucket leaves.
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

// heavy is the project of an edit, if it is to be parked before the edit is taken: so much of it waits that the others would wait long
// for that.
func (in *intake) heavy(m score.Message) (id score.ProjectID, ok bool) {
	if m.Edit == nil {
		return id, false
	}
	id = m.Edit.Project
	bucket := score.BucketOf(id)
	return id, in.parked[id] == nil && in.horizon.Of(id) > in.much() && in.shares < mostParked && !in.leaving[bucket] && in.readBound(bucket)
}

// readBound tells whether all was read that is bound of a bucket.
func (in *intake) readBound(bucket score.Bucket) bool {
	bound := in.state.Buckets[bucket].Bound
	return len(bound) == 0 || bound[len(bound)-1].Before(in.read)
}

// park is the entry that parks a project.
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

// parkedNow says that a project is parked: what is known of it goes to its own row.
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

// shareAgain has all parked projects keep to their allowances, which may have become less.
func (in *intake) shareAgain() {
	in.share()
	for _, p := range in.parked {
		in.trim(p)
	}
}

// trim has a project keep to its allowance: what was read last is read again later.
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
		case at.unreadable: // lost: no reading brings it, and the second one's gap shows it again
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

// stop says that the project's positions are not put into the horizon from one on.
func (p *parked) stop(next score.Position) {
	p.next, p.behind, p.riding, p.edited, p.ending = next, true, false, false, false
}

// offer puts a place of a parked project into its row, if it comes next and there is room for it. Both readings offer all that they
// meet, so it may come twice, and in between what comes before it may be left out:
//
//   - what is before next came already;
//   - the main reading leaves all out while the project is behind, and counts it;
//   - the second brings what is to come next while the project rides with it;
//   - where there is no room, or an edit would wait for what came before it, the project is behind from there on.
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

// reach is up to where all positions of a row were read.
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

// meeting is the position that no floor of a bucket's may pass yet: where those can meet that are to be one again. ok is false
// if none are.
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

// unparkable are the projects that can be unparked when these moves are journaled. Where little waits of a project, neither
// its floor nor its bucket's moves on alone, until both can be where everything before is bound.
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

// unparked says that a project is not parked any more: what is known of it is its bucket's again.
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
