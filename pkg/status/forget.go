package status

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

// ErrForgetting says that another began to forget what is unfinished, or that Redis was flushed meanwhile.
var ErrForgetting = errors.New("another process began to forget the same, or Redis was flushed")

// forgetScript: KEYS forgetting, records; ARGV the token. Deletes those that say accepted or bound, and slots, and returns how many there
// were but for slots; -1 where another token counts.
var forgetScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
local n = 0
for i = 2, #KEYS do
  local kind = string.sub(redis.call('GET', KEYS[i]) or '', 1, 1)
  if kind == 'a' or kind == 'b' then
    n = n + redis.call('DEL', KEYS[i])
  elseif kind == 's' then
    redis.call('DEL', KEYS[i])
  end
end
return n`)

// forgottenScript: KEYS forgetting, forgotten, generation, restoring; ARGV the token. Notes that all is forgotten; -1 where another token
// counts. A restore that runs may have written what was deleted then: the store is not complete by it.
var forgottenScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3], KEYS[4])
return 0`)

// BeginForget has what is unfinished be forgotten under a token, which names the loss. Of two the later one counts: under an earlier one
// nothing is forgotten any more.
func (s *Store) BeginForget(ctx context.Context, token string) error {
	return s.call(ctx, "begin to forget what is unfinished", func(ctx context.Context) error {
		return s.client.Set(ctx, s.forgettingKey(), token, 0).Err()
	})
}

func (s *Store) forgettingKey() string { return s.config.Prefix + "forgetting" }
func (s *Store) forgottenKey() string  { return s.config.Prefix + "forgotten" }

// ForgetOnce forgets what is unfinished unless the newest loss that was forgotten is that of the token: Redis was flushed, or restored
// from a copy of before. did tells that it was not.
func (s *Store) ForgetOnce(ctx context.Context, token string) (did bool, err error) {
	newest := ""
	err = s.call(ctx, "read what was forgotten", func(ctx context.Context) error {
		newest, err = s.client.Get(ctx, s.forgottenKey()).Result()
		if errors.Is(err, redis.Nil) {
			err = nil
		}
		return err
	})
	if err != nil || newest == token {
		return false, err
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
	for _, kind := range []string{"u:", "p:", "s:"} { // what is known of slots is of later epochs than those of an older journal
		err := s.scan(ctx, kind+"*", func(ctx context.Context, keys []string) error {
			n, err := s.forget(ctx, forgetScript, token, keys...)
			forgotten += n
			return err
		})
		if err != nil {
			return forgotten, err
		}
	}
	return forgotten, s.call(ctx, "note what was forgotten", func(ctx context.Context) error {
		_, err := s.forget(ctx, forgottenScript, token, s.forgottenKey(), s.generationKey(), s.restoringKey())
		return err
	})
}

// forget runs a script of a token.
func (s *Store) forget(ctx context.Context, script *redis.Script, token string, keys ...string) (n int, err error) {
	n, err = script.Run(ctx, s.client, append([]string{s.forgettingKey()}, keys...), token).Int()
	if err == nil && n < 0 {
		return 0, redisdb.BadData("%w", ErrForgetting)
	}
	return n, err
}

// scan hands the keys that match to fn, some at a time; some may come twice.
func (s *Store) scan(ctx context.Context, match string, fn func(ctx context.Context, keys []string) error) error {
	for cursor := uint64(0); ; {
		err := s.call(ctx, "forget what is unfinished", func(ctx context.Context) error {
			keys, next, err := s.client.Scan(ctx, cursor, s.config.Prefix+match, chunk).Result()
			if err == nil && len(keys) > 0 {
				err = fn(ctx, keys)
			}
			if err == nil {
				cursor = next
			}
			return err
		})
		if err != nil {
			return err
		}
		if cursor == 0 {
			return nil
		}
	}
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
