package relay

import (
	"context"
	"time"
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

// noteTold notes, behind all writes about a slot, that they were made. It comes before the slot's end is journaled, so
// that a crash between them tells twice rather than not at all.
func (s *session) noteTold(ctx context.Context, nonce uint64) {
	s.tell(ctx, 0, func(ctx context.Context) error { return s.Statuses.Told(ctx, s.id, nonce) })
}

// mend asks for a restore if an earlier session ended before it could tell how slots ended.
func (s *session) mend(ctx context.Context) {
	floor := s.lane.State.Floor()
	if floor == 0 {
		return
	}
	s.tell(ctx, 0, func(ctx context.Context) error {
		below, err := s.Statuses.ToldBelow(ctx, s.id)
		if err != nil || below >= floor {
			return err
		}
		s.log.Warn("how some slots of the lane ended was never told; their statuses are restored from the stream and the chain",
			"from", below, "to", floor-1)
		if err := s.Statuses.Incomplete(ctx); err != nil {
			return err
		}
		return s.Statuses.Told(ctx, s.id, floor-1)
	})
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
