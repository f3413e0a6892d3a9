package status

import (
	"context"
	"errors"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

// A flush takes the generation key with everything else. Until a restore has written back what the stream and the chain
// know and declared the store complete, "nothing known" means nothing.

// Complete tells whether the store holds all it should, as far as it knows: whether the generation key is there.
func (s *Store) Complete(ctx context.Context) (complete bool, err error) {
	err = s.call(ctx, "read the store's generation", func(ctx context.Context) error {
		n, err := s.client.Exists(ctx, s.generationKey()).Result()
		complete = n == 1
		return err
	})
	return complete, err
}

// BeginRestore marks the start of a restore. Its token goes to EndRestore; of two restores at once the later one counts.
func (s *Store) BeginRestore(ctx context.Context) (token string, err error) {
	token = NewToken()
	err = s.call(ctx, "begin the restore", func(ctx context.Context) error {
		return s.client.Set(ctx, s.restoringKey(), token, 0).Err()
	})
	return token, err
}

// RestoreAccepted writes "accepted" for what the stream holds and nothing else is known of.
func (s *Store) RestoreAccepted(ctx context.Context, refs []score.Ref) error {
	return s.each(ctx, "restore what was accepted", acceptedScript, refs, func(int) any { return "new" })
}

// RestoreFinal writes outcomes the chain's final events tell of. A rejection does not replace a claim or a slot, which
// are of a later try with the same id. What did not apply is written only over an acceptance, which RestoreAccepted has
// brought back before: a relayer can fill events with rejections of ids that were never accepted, for next to no gas.
func (s *Store) RestoreFinal(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	return s.final(ctx, "event", tx, block, refs, outcomes)
}

// RestoreDead writes the outcomes of dead letters that no event tells of. They do not replace a claim or a slot.
func (s *Store) RestoreDead(ctx context.Context, tx common.Hash, refs []score.Ref, outcomes []score.Outcome) error {
	return s.final(ctx, "dead", tx, 0, refs, outcomes)
}

// EndRestore declares the store complete. ErrFlushed if what was restored has been lost meanwhile, or another restore
// began or was requested.
func (s *Store) EndRestore(ctx context.Context, token string) error {
	complete := 0
	err := s.call(ctx, "end the restore", func(ctx context.Context) (err error) {
		complete, err = completeScript.Run(ctx, s.client, []string{s.generationKey(), s.restoringKey()}, token).Int()
		return err
	})
	if err == nil && complete == 0 {
		return ErrFlushed
	}
	return err
}

func (s *Store) generationKey() string { return s.config.Prefix + "generation" }
func (s *Store) restoringKey() string  { return s.config.Prefix + "restoring" }

// Reported notes that all there is to say about a lane's first so many ends has been written: the lane's writes come in
// order, so one note stands for all before it.
func (s *Store) Reported(ctx context.Context, lane score.Lane, ends uint64) error {
	return s.call(ctx, "note what a lane has reported", func(ctx context.Context) error {
		return s.client.Set(ctx, s.reportedKey(lane), ends, 0).Err()
	})
}

// ReportedEnds is how many ends Reported noted last; 0 if nothing is noted.
func (s *Store) ReportedEnds(ctx context.Context, lane score.Lane) (ends uint64, err error) {
	err = s.call(ctx, "read what a lane has reported", func(ctx context.Context) error {
		ends, err = s.client.Get(ctx, s.reportedKey(lane)).Uint64()
		if errors.Is(err, redis.Nil) {
			ends, err = 0, nil
		}
		return err
	})
	return ends, err
}

// RequestRestore says that statuses are missing which no process will write any more: a restore must bring them back. One that
// runs may be past them already: EndRestore refuses it, so that another follows.
func (s *Store) RequestRestore(ctx context.Context) error {
	return s.call(ctx, "request a restore", func(ctx context.Context) error {
		return s.client.Del(ctx, s.generationKey(), s.restoringKey()).Err()
	})
}

func (s *Store) reportedKey(lane score.Lane) string {
	return s.config.Prefix + "reported:" + strconv.Itoa(int(lane))
}
