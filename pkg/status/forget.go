package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"
)

// ErrForgetting: a newer token began to forget unfinished work, or Redis was flushed.
var ErrForgetting = errors.New("another process began to forget the same, or Redis was flushed")

// Tokens of the running removal of unfinished work, and of the last completed one.
const (
	forgetting = "forgetting"
	forgotten  = "forgotten"
)

// forgottenScript: KEYS a table; ARGV the token. Returns 0 if another token is newer. The table becomes incomplete,
// since a running restore may have written entries that were deleted then.
var forgottenScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'forgetting') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'forgotten', ARGV[1])
redis.call('HDEL', KEYS[1], 'generation', 'fold')
return 1`)

// BeginForget starts to forget unfinished work under a token that identifies the loss. It ends earlier removals.
func (s *Store) BeginForget(ctx context.Context, token string) error {
	_, err := s.tablesDo(ctx, "begin to forget what is unfinished", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HSet(ctx, table, forgetting, token)
	})
	return err
}

// ForgetOnce forgets unfinished work, unless each table's last completed removal has this token. A flushed Redis, or
// one restored from an older copy, lacks the token.
func (s *Store) ForgetOnce(ctx context.Context, token string) (did bool, err error) {
	newest, err := s.tablesDo(ctx, "read what was forgotten", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HMGet(ctx, table, forgotten) // unlike HGet, returns no error for a missing field
	})
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(newest, func(c redis.Cmder) bool { return c.(*redis.SliceCmd).Val()[0] != token }) {
		return false, nil
	}
	if err := s.BeginForget(ctx, token); err != nil {
		return false, err
	}
	_, err = s.ForgetUnfinished(ctx, token)
	return err == nil, err
}

// ForgetUnfinished deletes statuses without an outcome and returns their number. After NATS lost accepted updates,
// such statuses would be answered as duplicates forever. A restore must follow, which brings back those still in the
// stream. Accepting must be halted meanwhile. After an error, repeat from BeginForget on, unless it is ErrForgetting.
func (s *Store) ForgetUnfinished(ctx context.Context, token string) (forgotten int, err error) {
	if err := s.RequestRestore(ctx); err != nil { // look-ups stop answering "unknown"
		return 0, err
	}
	const what = "forget what is unfinished"
	for table := range s.tables {
		for next := 0; ; {
			var n int
			next, n, _, err = s.sweep(ctx, what, table, next, token, s.config.Retention)
			if forgotten += n; err != nil {
				return forgotten, err
			}
			if next == 0 {
				break
			}
		}
	}
	calls := make([]scriptCall, s.tables)
	for i := range calls {
		calls[i] = scriptCall{forgottenScript, i, []any{token}}
	}
	answers, err := s.exchange(ctx, "note what was forgotten", calls)
	if err != nil {
		return forgotten, err
	}
	for _, a := range answers {
		if done, err := a.Int(); err != nil || done == 0 {
			return forgotten, fmt.Errorf("couldn't %s: %w", what, cmp.Or(err, ErrForgetting))
		}
	}
	return forgotten, nil
}

// noteScript: KEYS the note; ARGV a number. Raises the note to the number, and returns the note.
var noteScript = redis.NewScript(`
local v = tonumber(redis.call('GET', KEYS[1]) or '0')
if v >= tonumber(ARGV[1]) then return v end
redis.call('SET', KEYS[1], ARGV[1])
return tonumber(ARGV[1])`)

// NoteSequence records the stream's last sequence, and returns the highest one recorded. If that is above seq, NATS
// lost messages: Redis does not lose its data together with NATS.
func (s *Store) NoteSequence(ctx context.Context, seq uint64) (highest uint64, err error) {
	err = s.call(ctx, "note the end of the stream", func(ctx context.Context) error {
		highest, err = noteScript.Run(ctx, s.client, []string{s.config.Prefix + "sequence"}, seq).Uint64()
		return err
	})
	return highest, err
}
