package relay

import (
	"context"
	"errors"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
)

// The bounds of what is kept for later while the status store is away: writes, and the updates in them, of 106 bytes each.
const (
	maxUntold        = 4096
	maxUntoldUpdates = 200_000
)

// tellTimeout bounds one status write; the store gives up much earlier by itself.
const tellTimeout = 2 * time.Second

// untold holds status writes that failed, in order. It is lost with the session; the next one sees that by the lane's
// note of what was told (mend) and asks for a restore from the stream and the chain.
type untold struct {
	writes  []untoldWrite
	updates int  // in all writes
	lost    bool // there was no room for more: what is missing can only be restored, and nothing is told before
}

type untoldWrite struct {
	updates int // that it keeps in memory
	do      func(context.Context) error
}

// tell makes a status write about some updates, or keeps it for later behind those that failed before.
func (s *session) tell(ctx context.Context, updates int, write func(context.Context) error) {
	if len(s.untold.writes) == 0 && !s.untold.lost {
		ctx, cancel := context.WithTimeout(ctx, tellTimeout)
		defer cancel()
		if write(ctx) == nil {
			return
		}
	}
	s.metrics.statusFails.Inc()
	s.untold.keep(updates, write)
}

// keep keeps a write for later. Once there was no room for one, it keeps none: a note of what was told must not come
// after what was not.
func (u *untold) keep(updates int, write func(context.Context) error) {
	if u.lost || len(u.writes) == maxUntold || u.updates+updates > maxUntoldUpdates {
		u.lost = true
		return
	}
	u.writes = append(u.writes, untoldWrite{updates, write})
	u.updates += updates
}

// noteTold notes, behind all writes about something that ends, that they were made. It comes before the end is journaled,
// so that a crash between them tells twice rather than not at all.
func (s *session) noteTold(ctx context.Context) {
	end := s.lane.State.Ends
	s.tell(ctx, 0, func(ctx context.Context) error { return s.Statuses.Told(ctx, s.id, end) })
}

// mend asks for a restore if an earlier session ended before it could tell how slots ended. What one told of an end that it
// could not journal counts for nothing: it is told again, and retell may undo it before.
func (s *session) mend(ctx context.Context) {
	ends := s.lane.State.Ends
	s.tell(ctx, 0, func(ctx context.Context) error {
		below, err := s.Statuses.ToldBelow(ctx, s.id)
		switch {
		case err != nil || below == ends:
			return err
		case below > ends:
			return s.Statuses.Told(ctx, s.id, ends-1) // before the first end: ToldBelow is 0 again
		}
		s.log.Warn("how some of the lane's work ended was never told; its statuses are restored from the stream and the chain",
			"told", below, "ended", ends)
		if err := s.releasePast(ctx); err != nil {
			return err
		}
		if err := s.Statuses.Incomplete(ctx); err != nil {
			return err
		}
		return s.Statuses.Told(ctx, s.id, ends-1)
	})
}

// releasePast takes back that what settled slots carried is in them: a restore writes a rejection only over what is merely
// accepted, since a slot may be of a later try with the same id.
func (s *session) releasePast(ctx context.Context) error {
	for i := range s.lane.State.Past {
		past := &s.lane.State.Past[i]
		data, err := past.Data()
		if err != nil {
			return err
		}
		if b, err := registry.DecodeBatch(data); err == nil {
			if err := s.Statuses.Released(ctx, s.id, past.Nonce, b.Updates()); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellAgain makes the writes that failed before, while the lane is this session's: told late by one that lost it, they
// would undo what its successor told since.
func (s *session) tellAgain(ctx context.Context) error {
	if len(s.untold.writes) == 0 && !s.untold.lost {
		return nil
	}
	switch err := s.fenced(ctx); {
	case errors.Is(err, lane.ErrFenced):
		return err
	case err == nil:
		s.untold.again(ctx, s.Statuses, s.metrics)
	}
	return nil
}

// again makes the writes that failed before, until one fails again.
func (u *untold) again(ctx context.Context, statuses Statuses, m *metrics) {
	for len(u.writes) > 0 {
		limited, cancel := context.WithTimeout(ctx, tellTimeout)
		err := u.writes[0].do(limited)
		cancel()
		if err != nil {
			m.statusFails.Inc()
			return
		}
		u.updates -= u.writes[0].updates
		u.writes[0] = untoldWrite{} // its updates go now, not with the slice
		u.writes = u.writes[1:]
	}
	if u.lost {
		limited, cancel := context.WithTimeout(ctx, tellTimeout)
		defer cancel()
		u.lost = statuses.Incomplete(limited) != nil
	}
}
