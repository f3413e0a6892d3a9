package relay

import (
	"context"
	"sync"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// fence holds back a project with a due edit, as if paused. It does so while a former owner of the bucket may carry
// earlier updates of the project. changed reports whether the set of fenced projects changed.
func (s *session) fence(ctx context.Context) (changed bool) {
	in, elsewhere := s.intake, s.handover.elsewhere(ctx)
	if in.turn() && s.passable != in.alone.Position && len(s.lane.State.Took) > 0 {
		if elsewhere(in.alone.project) {
			s.fenced[in.alone.project] = s.config.Now()
			return true
		}
		s.passable = in.alone.Position
	}
	now := s.config.Now()
	for id, since := range s.fenced {
		switch {
		case now.Sub(since) < retryTransport:
		case elsewhere(id):
			s.fenced[id] = s.config.Now() // after the call, since slow reads must leave time for other work
		default:
			delete(s.fenced, id)
			changed = true
		}
	}
	return changed
}

// elsewhere returns a function that reports whether another lane may have unfinished work of a project's bucket; true
// if unknown. Its first call reads the journals without a deadline (Journal.Load).
func (h *handover) elsewhere(ctx context.Context) func(score.ProjectID) bool {
	read := sync.OnceValues(func() (lane.Lanes, error) {
		lanes, err := h.lanes(ctx)
		if err == nil {
			_, err = lanes.NeededFrom() // fails if a handoff fell between the reads
		}
		if err != nil {
			h.log.Warn("the lane couldn't find out whether another lane carries updates that came before an edit; it asks again in a while", "err", err, "in", retryTransport)
		}
		return lanes, err
	})
	return func(project score.ProjectID) bool {
		bucket := score.BucketOf(project)
		if _, owned := h.lane.State.Buckets[bucket]; !owned {
			return false
		}
		lanes, err := read()
		if err != nil {
			return true
		}
		is, err := lanes.Elsewhere(bucket, h.id)
		return is || err != nil
	}
}
