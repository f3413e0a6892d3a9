package relay

import (
	"context"

	"github.com/scorelay/scorelay/pkg/score"
)

// fence has a project wait, as if it were paused, of which an edit is to be bound while another lane, which had the bucket before, may
// carry updates of it that came before the edit. It tells whether other projects are fenced than before.
func (s *session) fence(ctx context.Context) (changed bool) {
	in, now := s.intake, s.config.Now()
	if in.turn() && s.passable != in.alone.Position && len(s.lane.State.Took) > 0 {
		if s.handover.elsewhere(ctx, in.alone.project) {
			s.fenced[in.alone.project] = now
			return true
		}
		s.passable = in.alone.Position
	}
	for id, since := range s.fenced {
		switch {
		case now.Sub(since) < retryTransport:
		case s.handover.elsewhere(ctx, id):
			s.fenced[id] = now
		default:
			delete(s.fenced, id)
			changed = true
		}
	}
	return changed
}

// elsewhere tells whether another lane may have work of a project's bucket that is not final; also where that cannot be found out now.
func (h *handover) elsewhere(ctx context.Context, project score.ProjectID) bool {
	bucket := score.BucketOf(project)
	if _, owned := h.lane.State.Buckets[bucket]; !owned {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, h.config.CallTimeout)
	defer cancel()
	lanes, err := h.lanes(ctx)
	is := false
	if err == nil {
		is, err = lanes.Elsewhere(bucket, h.id)
	}
	if err != nil {
		h.log.Warn("the lane couldn't find out whether another lane carries updates that came before an edit; it asks again in a while", "err", err, "in", retryTransport)
	}
	return is || err != nil
}
