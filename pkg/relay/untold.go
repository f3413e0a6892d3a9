package relay

import (
	"context"
	"time"
)

// maxUntold bounds the status writes kept for later while the status store is away.
const maxUntold = 4096

// tellTimeout bounds one status write; the store gives up much earlier by itself.
const tellTimeout = 2 * time.Second

// untold holds status writes that failed, in order. It is lost with the session; the next one sees that by the lane's
// note of what was told (mend) and asks for a restore from the stream and the chain.
type untold struct {
	writes []func(context.Context) error
	lost   bool // there was no room for more: what is missing can only be restored
}

// tell makes a status write, or keeps it for later behind those that failed before.
func (s *session) tell(ctx context.Context, write func(context.Context) error) {
	if len(s.untold.writes) == 0 {
		ctx, cancel := context.WithTimeout(ctx, tellTimeout)
		defer cancel()
		if write(ctx) == nil {
			return
		}
	}
	s.metrics.statusFails.Inc()
	if len(s.untold.writes) < maxUntold {
		s.untold.writes = append(s.untold.writes, write)
	} else {
		s.untold.lost = true
	}
}

// noteTold notes, behind all writes about a slot, that they were made. It comes before the slot's end is journaled, so
// that a crash between them tells twice rather than not at all.
func (s *session) noteTold(ctx context.Context, nonce uint64) {
	s.tell(ctx, func(ctx context.Context) error { return s.Statuses.Told(ctx, s.id, nonce) })
}

// mend asks for a restore if an earlier session ended before it could tell how slots ended.
func (s *session) mend(ctx context.Context) {
	floor := s.lane.State.Floor()
	if floor == 0 {
		return
	}
	s.tell(ctx, func(ctx context.Context) error {
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
		err := u.writes[0](limited)
		cancel()
		if err != nil {
			m.statusFails.Inc()
			return
		}
		u.writes = u.writes[1:]
	}
	if u.lost {
		limited, cancel := context.WithTimeout(ctx, tellTimeout)
		defer cancel()
		u.lost = statuses.Incomplete(limited) != nil
	}
}
