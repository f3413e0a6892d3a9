package relay

import (
	"context"
	"fmt"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

func (s *session) park(ctx context.Context) error {
	for {
		id, some := s.intake.crowder()
		if !some {
			return nil
		}
		waits := s.intake.horizon.Of(id)
		if err := s.parkOne(ctx, id); err != nil {
			return err
		}
		s.log.Info("a project takes most of what the lane may look ahead; the lane parks it, and the others pass it", "project", id,
			"updates", waits, "parked", len(s.intake.parked))
	}
}

func (s *session) parkOne(ctx context.Context, id score.ProjectID) error {
	entry, err := s.intake.park(id)
	if err != nil {
		return fmt.Errorf("%w: %w", lane.ErrCorrupt, err)
	}
	if err := s.journal.append(ctx, entry); err != nil {
		return err
	}
	s.intake.parkedNow(id)
	return nil
}

func (s *session) unpark(ctx context.Context) error {
	ready, moves := s.intake.unparkable()
	if len(moves) > 0 {
		if err := s.journal.append(ctx, lane.Entry{Pass: &lane.Pass{Moves: moves}}); err != nil {
			return err
		}
		s.intake.journaled(moves)
	}
	for _, p := range ready {
		if err := s.journal.append(ctx, lane.Entry{Unpark: &lane.Unpark{Bucket: p.row.bucket, Project: p.id()}}); err != nil {
			return err
		}
		s.intake.unparked(p)
		s.log.Info("little waits of a project; the lane no longer parks it", "project", p.id(), "parked", len(s.intake.parked))
	}
	return nil
}

func (s *session) reread(ctx context.Context) error {
	if !s.reads() {
		return nil
	}
	from, again, err := s.intake.ride()
	if again || !s.intake.second.open {
		s.endSecond()
	}
	if again {
		s.second = read(ctx, s.source, from)
	}
	return err
}

func (s *session) endSecond() {
	if s.second != nil {
		s.second.close()
		s.second = nil
	}
}

func (s *session) readings() (main, second <-chan score.Message, failed <-chan error) {
	if s.intake.wantsMessage() {
		main = s.main.messages
	}
	if s.second != nil {
		failed = s.second.failed
		if s.intake.wantsSecond() {
			second = s.second.messages
		}
	}
	return main, second, failed
}
