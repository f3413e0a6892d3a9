package status

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

// chunk bounds the records of one script call, which holds Redis up for all of them.
const chunk = 256

// Accepted says that updates and creations are stored in the stream: the claims of updates become what they stand for.
// tokens are those the updates were claimed with, in order: another request's claim of an update that was rejected stays.
// A creation may follow one that was rejected, without a claim between them: it replaces the rejection, and its token is
// not read.
func (s *Store) Accepted(ctx context.Context, refs []score.Ref, tokens []string) error {
	if len(refs) != len(tokens) {
		return fmt.Errorf("couldn't mark %d records as accepted: %d tokens were given", len(refs), len(tokens))
	}
	return s.each(ctx, "mark as accepted", acceptedScript, refs, func(i int) any {
		if refs[i].Creation {
			return "over"
		}
		return "c:" + tokens[i]
	})
}

// Bound says that the updates or the creation are in this slot now, even if they were in another.
func (s *Store) Bound(ctx context.Context, lane score.Lane, nonce uint64, refs []score.Ref) error {
	return s.each(ctx, "mark as batched", boundScript, refs, nil, boundRecord(lane, nonce))
}

// Released says that they are no longer in this slot and wait for another; what is elsewhere stays there.
func (s *Store) Released(ctx context.Context, lane score.Lane, nonce uint64, refs []score.Ref) error {
	return s.each(ctx, "mark as accepted again", releasedScript, refs, nil, boundRecord(lane, nonce))
}

// Reopened says that the chain lost the block of a slot's final transaction tx: what tx did to them is taken back, and
// they are in the slot again. What another transaction made final stays.
func (s *Store) Reopened(ctx context.Context, lane score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error {
	return s.each(ctx, "mark as batched again", reopenedScript, refs, nil, hex.EncodeToString(tx[:]), boundRecord(lane, nonce))
}

// Slot says where a slot's transaction is: handed to a node (stage Submitted) or in a block (Included). What a session of a
// later epoch of the lane's journal said of the slot stays.
func (s *Store) Slot(ctx context.Context, lane score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	if stage != score.Included {
		block = 0
	}
	key := s.config.Prefix + "s:" + strconv.Itoa(int(lane)) + ":" + strconv.FormatUint(nonce, 10)
	return s.call(ctx, "write a slot's status", func(ctx context.Context) error {
		return slotScript.Run(ctx, s.client, []string{key}, s.config.Retention.Milliseconds(), slotRecord(tx, block, epoch), epoch).Err()
	})
}

// Final says what became of each; tx is zero for those that never were in a transaction that counts. What says more about
// an id stays: applied before duplicate before a rejection.
func (s *Store) Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	return s.final(ctx, "live", tx, block, refs, outcomes)
}

func (s *Store) final(ctx context.Context, how string, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	if len(refs) != len(outcomes) {
		return fmt.Errorf("couldn't mark %d records final: %d outcomes were given", len(refs), len(outcomes))
	}
	records := make(map[score.Outcome]string, 2)
	return s.each(ctx, "mark as final", finalScript, refs, func(i int) any {
		outcome := outcomes[i]
		if records[outcome] == "" {
			records[outcome] = finalRecord(outcome, tx, block)
		}
		return records[outcome]
	}, how)
}

// each runs a script over the records, a chunk at a time. Its arguments are the retention, those of the whole call, and
// one for each record if of is not nil.
func (s *Store) each(ctx context.Context, what string, script *redis.Script, refs []score.Ref, of func(i int) any, whole ...any) error {
	for start := 0; start < len(refs); start += chunk {
		end := min(start+chunk, len(refs))
		args := append([]any{s.config.Retention.Milliseconds()}, whole...)
		for i := start; of != nil && i < end; i++ {
			args = append(args, of(i))
		}
		err := s.call(ctx, what, func(ctx context.Context) error {
			return script.Run(ctx, s.client, s.keys(refs[start:end]), args...).Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
