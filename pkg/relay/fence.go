package relay

import (
	"context"
	"sync"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// fence has a project wait, as if it were paused, of which an edit is to be bound while another lane, which had the bucket before, may
// carry updates of it that came before the edit. It tells whether other projects are fenced than before.
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
			s.fenced[id] = s.config.Now() // behind the reading: what takes longer than the pause is not all that the session does
		default:
			delete(s.fenced, id)
			changed = true
		}
	}
	return changed
}

// elsewhere tells whether another lane may have work of a project's bucket that is not final; also where that cannot be found out now.
// The journals are read when it is asked first, once for all projects, since many may wait, and without a deadline: see Journal.Load.
func (h *handover) elsewhere(ctx context.Context) func(score.ProjectID) bool {
	read := sync.OnceValues(func() (lane.Lanes, error) {
		lanes, err := h.lanes(ctx)
		if err == nil {
			_, err = lanes.NeededFrom() // torn or not
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
