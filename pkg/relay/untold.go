package relay

import (
	"context"
	"time"
)

// maxUntold bounds the status writes kept for later while the status store is away.
const maxUntold = 4096

// tellTimeout bounds one status write; the store gives up much earlier by itself.
const tellTimeout = 2 * time.Second

// untold holds status writes that failed, in order. It is lost with the session: nothing depends on it, and the
// statuses can be rebuilt from the stream and the chain.
type untold struct{ writes []func(context.Context) error }

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
	}
}

// again makes the writes that failed before, until one fails again.
func (u *untold) again(ctx context.Context, m *metrics) {
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
}
