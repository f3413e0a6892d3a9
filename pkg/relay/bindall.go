package relay

import (
	"context"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
)

// bindAll assigns all it can, queued work first. After longSigning of slow signing it stops for the loop's other
// inputs, and continues afterwards.
func (s *session) bindAll(ctx context.Context) error {
	s.more = false
	for signed := time.Duration(0); ; {
		if why := s.blocked(); why != lane.WaitNone {
			// for WaitFunds: a node reported that the balance is below the cost of all in flight
			s.waiting.need = s.lane.Need(0, 0, lane.Fees{})
			s.waiting.set(why)
			return nil
		}
		queued := len(s.lane.State.Queue) > 0
		// broadcast assigned work before probing queued work, and before more slow signing
		if queued || s.binder.signing > slowSigning {
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

func (s *session) bindNew(ctx context.Context) (bound bool, err error) {
	if err := s.parkPaused(ctx); err != nil {
		return false, err
	}
	return s.binder.bindNew(ctx)
}

// hearWaiting receives a view of the chain if one waits, since the loop might choose it last.
func (s *session) hearWaiting(ctx context.Context) error {
	select {
	case view := <-s.heads.Views():
		return s.hear(ctx, view)
	default:
		return nil
	}
}

// blocked returns why the lane may assign nothing at all, or WaitNone. Assigning requires a fresh view of the chain.
// Every poll confirms an unchanged head, so only a chain that stops responding makes a view stale.
func (s *session) blocked() lane.Wait {
	why, view := s.lane.Blocked(), s.lane.View()
	switch {
	case view == nil:
	case view.Old && s.busy():
		if s.waiting.reason == lane.WaitHead || s.waiting.reason == lane.WaitAccount && s.config.Now().Sub(s.waiting.since) > s.config.StaleAfter {
			return lane.WaitHead
		}
		return lane.WaitAccount // the current account is unread
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

// wakes returns how long the loop may wait for an input; false if forever. A batch past due could not be assigned,
// and waits for the next head.
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
