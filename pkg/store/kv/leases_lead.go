package kv

import (
	"context"
	"crypto/rand"
	"time"
)

// Lead runs lead in one replica at a time among all callers with that name, whenever it acquires the lease, until ctx
// ends. It returns ctx's error. lead's context ends with ctx, and when the lease is lost. The lease is renewed until
// lead has returned; a killed holder's lease expires. Two calls of lead may overlap, so lead must fence its effects,
// as lanes do by their journals.
func (l *Leases) Lead(ctx context.Context, name string, lead func(ctx context.Context)) error {
	s := &share{Leases: l, token: l.config.Replica + " " + rand.Text()}
	tick := time.NewTicker(l.config.TTL / renewals)
	defer tick.Stop()
	for ctx.Err() == nil {
		h := &held{key: name}
		err := s.acquire(ctx, h)
		if err == nil {
			l.log.Info("the replica took a lease", "lease", name)
			s.hold(ctx, h, tick.C, lead)
		}
		if err != nil && !moved(err) && ctx.Err() == nil && !s.failing {
			l.log.Warn("couldn't take a lease; trying again", "lease", name, "err", err)
		}
		s.failing = err != nil && !moved(err)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return ctx.Err()
}

func (s *share) hold(ctx context.Context, h *held, tick <-chan time.Time, lead func(context.Context)) {
	leading, stop := context.WithCancel(ctx)
	defer stop()
	h.expiry = time.AfterFunc(time.Until(h.until), stop)
	defer h.expiry.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		lead(leading)
	}()
	for lost := false; ; {
		select {
		case <-done:
			s.drop(h)
			return
		case <-tick:
		}
		if lost {
			continue
		}
		renewing, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.TTL/2)
		err := s.keep(renewing, h, nil)
		cancel()
		if lost = moved(err); lost {
			s.log.Warn("the replica lost a lease; what it did under it ends", "lease", h.key, "err", err)
			stop()
		}
	}
}
