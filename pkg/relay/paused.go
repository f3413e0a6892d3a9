package relay

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Paused projects. Updates of a paused project take no room in the horizon. Once the project has a backlog, it is
// parked with an allowance of 0, so that its bucket's floor can pass. It is then behind, and rides when it is resumed
// (park.go). Until it can be parked, its updates are withheld: their places stay in the bucket's row, which holds the
// floor back, and their units are dropped.
//
// A creation is assigned all the same, since reading stops until it is assigned. But if updates of its project wait
// before it, it waits, too. An edit waits like an update.

const lookEvery = 200 * time.Millisecond

// parkPaused checks, every lookEvery, which projects are paused or fenced, and parks those with a backlog. If a
// project with withheld updates was resumed, errReadAgain reads them again.
func (s *session) parkPaused(ctx context.Context) error {
	in, now := s.intake, s.config.Now()
	if in.alone != nil && in.alone.creates() { // pause would withhold it if its project is paused
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

// parkable returns the projects with withheld updates that can be parked now: all assigned positions of their bucket
// were read, and the bucket is not stopped.
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

// waits reports whether a place is in the backlog of unpaused projects. Creations always count.
func (in *intake) waits(p *place) bool {
	return !p.bound && (p.unreadable || p.creates() || !in.paused[p.project])
}

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
