package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"
)

// ErrForgetting says that another began to forget what is unfinished, or that Redis was flushed meanwhile.
var ErrForgetting = errors.New("another process began to forget the same, or Redis was flushed")

// More fields of each table: the token under which what is unfinished is forgotten, and the newest under which all was.
const (
	forgetting = "forgetting"
	forgotten  = "forgotten"
)

// forgottenScript: KEYS a table; ARGV the token. Notes that all is forgotten; 0 where another token counts. A restore that runs may have
// written what was deleted then: the table is not complete by it.
var forgottenScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'forgetting') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'forgotten', ARGV[1])
redis.call('HDEL', KEYS[1], 'generation', 'fold')
return 1`)

// BeginForget has what is unfinished be forgotten under a token, which names the loss. Of two the later one counts: under an earlier one
// nothing is forgotten any more.
func (s *Store) BeginForget(ctx context.Context, token string) error {
	_, err := s.tablesDo(ctx, "begin to forget what is unfinished", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HSet(ctx, table, forgetting, token)
	})
	return err
}

// ForgetOnce forgets what is unfinished unless the newest loss that was forgotten is that of the token: Redis was flushed, or restored
// from a copy of before. did tells that it was not.
func (s *Store) ForgetOnce(ctx context.Context, token string) (did bool, err error) {
	newest, err := s.tablesDo(ctx, "read what was forgotten", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HMGet(ctx, table, forgotten) // a field that is not there is no error
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

// ForgetUnfinished deletes the statuses of what has no outcome yet, and returns how many there were: after NATS lost accepted updates
// these would be answered as duplicates forever. A restore follows, which brings back those that the stream holds. Nothing may be
// accepted meanwhile. After an error it may be repeated, from BeginForget on; ErrForgetting: another does.
func (s *Store) ForgetUnfinished(ctx context.Context, token string) (forgotten int, err error) {
	if err := s.RequestRestore(ctx); err != nil { // no look-up takes "unknown" for an answer from here on
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

// noteScript: KEYS the note; ARGV a number. Raises the note to it, and returns the note.
var noteScript = redis.NewScript(`
local v = tonumber(redis.call('GET', KEYS[1]) or '0')
if v >= tonumber(ARGV[1]) then return v end
redis.call('SET', KEYS[1], ARGV[1])
return tonumber(ARGV[1])`)

// NoteSequence notes that the stream of accepted updates has held a sequence, and returns the highest that was ever noted: Redis does
// not lose its data together with NATS.
func (s *Store) NoteSequence(ctx context.Context, seq uint64) (highest uint64, err error) {
	err = s.call(ctx, "note the end of the stream", func(ctx context.Context) error {
		highest, err = noteScript.Run(ctx, s.client, []string{s.config.Prefix + "sequence"}, seq).Uint64()
		return err
	})
	return highest, err
}
