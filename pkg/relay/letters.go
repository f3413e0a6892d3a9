package relay

import (
	"context"
	"slices"
)

// maxLetters is how many dead letters are stored in one call. The lane waits for them, and storing them one by one takes
// about a millisecond each; on the other hand a call has a deadline, which a slow disk must meet too.
const maxLetters = 500

// bury stores dead letters; repeating it is harmless.
func (s *session) bury(ctx context.Context, letters []DeadLetter) error {
	for some := range slices.Chunk(letters, maxLetters) {
		if err := s.addDeadLetters(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) addDeadLetters(ctx context.Context, letters []DeadLetter) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	if err := s.Source.AddDeadLetters(ctx, letters); err != nil {
		return err
	}
	for i := range letters {
		s.metrics.deadLetters.WithLabelValues(letters[i].Outcome.String()).Inc()
	}
	return nil
}
