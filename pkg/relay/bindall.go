package relay

import (
	"context"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
)

// bindAll binds what may be bound now: first work that lost its slot, then what the intake has.
//
// With a slow signer that takes long: it leaves off after a while, so that the loop hears of the chain and of all else, and continues then.
func (s *session) bindAll(ctx context.Context) error {
	s.more = false
	for signed := time.Duration(0); ; {
		if why := s.blocked(); why != lane.WaitNone {
			s.waiting.need = s.lane.Need(0, 0, lane.Fees{}) // a node says that the balance does not cover what is in flight
			s.waiting.set(why)
			return nil
		}
		queued := len(s.lane.State.Queue) > 0
		if queued || s.binder.signing > slowSigning { // what was bound does not wait for the questions asked now, or a slow signer
			signed += s.binder.signing
			err := s.do(ctx, s.journal.due())
			s.binder.signing = 0
			if err != nil {
				return err
			}
		}
		if s.more = signed > longSigning; s.more {
			return s.hearWaiting(ctx)
		}
		bind := s.bindNew
		if queued {
			bind = s.requeue.next
		}
		if bound, err := bind(ctx); err != nil || !bound {
			return err
		}
	}
}

// bindNew binds what the intake has next, once what is paused is out of it.
func (s *session) bindNew(ctx context.Context) (bound bool, err error) {
	if err := s.parkPaused(ctx); err != nil {
		return false, err
	}
	return s.binder.bindNew(ctx)
}

// hearWaiting hears what came of the chain meanwhile: of all that the loop then has to hear, it might take that last.
func (s *session) hearWaiting(ctx context.Context) error {
	select {
	case view := <-s.heads.Views():
		return s.hear(ctx, view)
	default:
		return nil
	}
}

// blocked tells why nothing may be bound at all. A lane binds on what it knows of the chain only while that is fresh: the
// tracker confirms the same head with every poll, so that only a chain that does not answer makes it stale.
func (s *session) blocked() lane.Wait {
	why, view := s.lane.Blocked(), s.lane.View()
	switch {
	case view == nil:
	case view.Old && s.busy():
		if s.waiting.reason == lane.WaitHead || s.waiting.reason == lane.WaitAccount && s.config.Now().Sub(s.waiting.since) > s.config.StaleAfter {
			return lane.WaitHead
		}
		return lane.WaitAccount // as it is now
	case s.unsigned, s.config.Now().Before(s.binder.rests):
		return lane.WaitSigner
	case !view.Old && s.config.Now().Sub(view.Now) > s.config.StaleAfter:
		return lane.WaitHead
	case s.settler.unreadable && (why == lane.WaitNone || why == lane.WaitFinality):
		return lane.WaitOutcomes
	case why == lane.WaitNone && s.halt.Halted():
		return lane.WaitHalted
	case why == lane.WaitNone && s.paused != nil && s.paused(s.id):
		return lane.WaitPaused
	}
	return why
}

// wakes is when the loop works again although it hears of nothing. One that is past due waits for what bindAll waits for: the next head.
func (s *session) wakes() (in time.Duration, some bool) {
	if s.more {
		return 0, true
	}
	now := s.config.Now()
	rests := s.binder.rests.Sub(now)
	if due, is := s.intake.horizon.Due(); is && due.After(now) {
		in, some = due.Sub(now), true
	}
	if rests > 0 && (!some || rests < in) {
		in, some = rests, true
	}
	return in, some
}
