package relay

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Projects that an operator paused. Of a paused project no update is in the horizon, so none is bound and none takes room there. As soon as
// something of it waits it is parked, with an allowance of nothing, so that its bucket's floor passes what waits: the project is behind, does
// not ride, and rides again when it is resumed. Until it can be parked, what was read of it is withheld: its places are in its bucket's row,
// which keeps the floor back, and its units nowhere. It is read again where the project is resumed meanwhile.
//
// A creation is bound all the same, unless it is behind updates that wait: it is no update, and nothing behind it is read before. An edit
// waits as updates do.

// lookEvery is how often a session looks at what is paused.
const lookEvery = 200 * time.Millisecond

// parkPaused looks now and then at which projects are paused, and parks those of which something waits. errReadAgain says that one was
// resumed of which something was withheld.
func (s *session) parkPaused(ctx context.Context) error {
	in, now := s.intake, s.config.Now()
	if in.alone != nil && in.alone.creates() { // its place may be a paused project's
		return nil
	}
	if s.fence(ctx) || now.Sub(s.looked) >= lookEvery {
		s.looked = now
		paused := map[score.ProjectID]bool{}
		if s.pausedProjects != nil {
			maps.Copy(paused, s.pausedProjects())
		}
		for id := range s.fenced {
			paused[id] = true
		}
		if !maps.Equal(paused, in.paused) && in.pause(paused) {
			return errReadAgain
		}
	}
	for _, id := range in.parkable() {
		if err := s.parkOne(ctx, id); err != nil {
			return err
		}
		if _, fenced := s.fenced[id]; fenced {
			s.log.Info("an edit waits until what another lane carries of its bucket is final; the lane parks its project till then", "project", id)
		} else {
			s.log.Info("an operator paused a project; the lane parks it, and binds nothing new of it until `scorelay resume`", "project", id)
		}
	}
	return nil
}

// pause says which projects are paused now. again says that some are not any more of which units were withheld.
func (in *intake) pause(paused map[score.ProjectID]bool) (again bool) {
	in.paused = paused
	for id := range in.withheld {
		again = again || !paused[id]
	}
	for id := range paused {
		if p := in.parked[id]; p != nil {
			if p.riding {
				p.stop(later(p.next, in.second.read))
			}
			continue
		}
		for _, unit := range in.horizon.Trim(id, 0) {
			delete(in.inHorizon, unit.At)
			in.withheld[id] += uint64(len(unit.Unit.Updates))
		}
		if in.alone != nil && in.alone.project == id {
			in.alone = nil
			in.withheld[id]++
		}
	}
	in.shareAgain()
	return again
}

// parkable are the projects of which units are withheld and that can be parked now: all was read that is bound of their bucket, and nothing
// of it is left to the lane that the bucket goes to.
func (in *intake) parkable() (ids []score.ProjectID) {
	for id := range in.withheld {
		bucket := score.BucketOf(id)
		if _, stopped := in.stopped[bucket]; !stopped && in.readBound(bucket) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b score.ProjectID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// waits tells whether a place waits to be bound, as far as no operator paused its project.
func (in *intake) waits(p *place) bool {
	return !p.bound && (p.unreadable || p.creates() || !in.paused[p.project])
}

// pausedUpdates is how many updates wait of paused projects, as far as the stream was read.
func (in *intake) pausedUpdates() (n uint64) {
	for _, updates := range in.withheld {
		n += updates
	}
	for _, p := range in.parked {
		if p.paused {
			n += p.owed + p.unseen
		}
	}
	return n
}
