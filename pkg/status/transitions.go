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

// Accepted says that the updates are stored in the stream: their claims become what they stand for.
func (s *Store) Accepted(ctx context.Context, updates []score.Update) error {
	return s.each(ctx, "mark updates accepted", acceptedScript, s.updateKeys(updates), "claim")
}

// ProjectAccepted says that a creation is stored in the stream, also anew after one that was rejected.
func (s *Store) ProjectAccepted(ctx context.Context, project score.ProjectID) error {
	return s.each(ctx, "mark a creation accepted", acceptedScript, []string{s.projectKey(project)}, "over")
}

// Bound says that the updates are in this slot now, whatever slot they were in before.
func (s *Store) Bound(ctx context.Context, lane score.Lane, nonce uint64, updates []score.Update) error {
	return s.each(ctx, "mark updates batched", boundScript, s.updateKeys(updates), boundRecord(lane, nonce))
}

// ProjectBound says that a creation is in this slot now.
func (s *Store) ProjectBound(ctx context.Context, lane score.Lane, nonce uint64, project score.ProjectID) error {
	return s.each(ctx, "mark a creation batched", boundScript, []string{s.projectKey(project)}, boundRecord(lane, nonce))
}

// Released says that the updates are no longer in this slot and wait for another; what is elsewhere stays there.
func (s *Store) Released(ctx context.Context, lane score.Lane, nonce uint64, updates []score.Update) error {
	return s.each(ctx, "mark updates accepted again", releasedScript, s.updateKeys(updates), boundRecord(lane, nonce))
}

// ProjectReleased says that a creation is no longer in this slot.
func (s *Store) ProjectReleased(ctx context.Context, lane score.Lane, nonce uint64, project score.ProjectID) error {
	return s.each(ctx, "mark a creation accepted again", releasedScript, []string{s.projectKey(project)}, boundRecord(lane, nonce))
}

// Reopened says that the chain lost the block of a slot's final transaction tx: what tx did to the updates is taken back,
// and they are in the slot again. What another transaction made final stays.
func (s *Store) Reopened(ctx context.Context, lane score.Lane, nonce uint64, tx common.Hash, updates []score.Update) error {
	return s.each(ctx, "mark updates batched again", reopenedScript, s.updateKeys(updates), hex.EncodeToString(tx[:]), boundRecord(lane, nonce))
}

// ProjectReopened says the same of a creation.
func (s *Store) ProjectReopened(ctx context.Context, lane score.Lane, nonce uint64, tx common.Hash, project score.ProjectID) error {
	return s.each(ctx, "mark a creation batched again", reopenedScript, []string{s.projectKey(project)}, hex.EncodeToString(tx[:]), boundRecord(lane, nonce))
}

// Slot says where a slot's transaction is: handed to a node (stage Submitted) or in a block (Included).
func (s *Store) Slot(ctx context.Context, lane score.Lane, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	if stage != score.Included {
		block = 0
	}
	key := s.config.Prefix + "s:" + strconv.Itoa(int(lane)) + ":" + strconv.FormatUint(nonce, 10)
	return s.call(ctx, "write a slot's status", func(ctx context.Context) error {
		return s.client.Set(ctx, key, slotRecord(tx, block), s.config.Retention).Err()
	})
}

// Final says what became of each update; tx is zero for those that never were in a transaction that counts. What says
// more about an id stays: applied before duplicate before a rejection.
func (s *Store) Final(
	ctx context.Context, _ score.Lane, _ uint64, tx common.Hash, block uint64, updates []score.Update, outcomes []score.Outcome,
) error {
	return s.final(ctx, "live", tx, block, s.updateKeys(updates), outcomes)
}

// ProjectFinal says what became of a creation.
func (s *Store) ProjectFinal(
	ctx context.Context, _ score.Lane, _ uint64, tx common.Hash, block uint64, project score.ProjectID, outcome score.Outcome,
) error {
	return s.final(ctx, "live", tx, block, []string{s.projectKey(project)}, []score.Outcome{outcome})
}

func (s *Store) final(ctx context.Context, mode string, tx common.Hash, block uint64, keys []string, outcomes []score.Outcome) error {
	if len(keys) != len(outcomes) {
		return fmt.Errorf("couldn't mark %d records final: %d outcomes were given", len(keys), len(outcomes))
	}
	records := make(map[score.Outcome]string, 2)
	for start := 0; start < len(keys); start += chunk {
		end := min(start+chunk, len(keys))
		args := make([]any, 0, 2+end-start)
		args = append(args, s.retention(), mode)
		for _, outcome := range outcomes[start:end] {
			if records[outcome] == "" {
				records[outcome] = finalRecord(outcome, tx, block)
			}
			args = append(args, records[outcome])
		}
		err := s.call(ctx, "mark updates final", func(ctx context.Context) error {
			return finalScript.Run(ctx, s.client, keys[start:end], args...).Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each runs a script over the keys, a chunk at a time, with the retention and further arguments.
func (s *Store) each(ctx context.Context, what string, script *redis.Script, keys []string, args ...any) error {
	args = append([]any{s.retention()}, args...)
	for start := 0; start < len(keys); start += chunk {
		end := min(start+chunk, len(keys))
		err := s.call(ctx, what, func(ctx context.Context) error {
			return script.Run(ctx, s.client, keys[start:end], args...).Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) updateKeys(updates []score.Update) []string {
	keys := make([]string, len(updates))
	for i := range updates {
		keys[i] = s.updateKey(updates[i].Project, updates[i].ID)
	}
	return keys
}
