package status

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// forgetScript: KEYS records. Deletes those that say accepted or bound, and returns how many there were.
var forgetScript = redis.NewScript(`
local n = 0
for _, key in ipairs(KEYS) do
  local kind = string.sub(redis.call('GET', key) or '', 1, 1)
  if kind == 'a' or kind == 'b' then n = n + redis.call('DEL', key) end
end
return n`)

// ForgetUnfinished deletes the statuses of what has no outcome yet, and returns how many there were: after NATS lost accepted updates
// these would be answered as duplicates forever. A restore follows, which brings back those that the stream holds. Nothing may be
// accepted meanwhile. After an error it may be repeated.
func (s *Store) ForgetUnfinished(ctx context.Context) (forgotten int, err error) {
	if err := s.RequestRestore(ctx); err != nil { // no look-up takes "unknown" for an answer from here on
		return 0, err
	}
	for _, kind := range []string{"u:", "p:"} {
		err := s.scan(ctx, kind+"*", func(ctx context.Context, keys []string) error {
			n, err := forgetScript.Run(ctx, s.client, keys).Int()
			forgotten += n
			return err
		})
		if err != nil {
			return forgotten, err
		}
	}
	// What is known of slots is of later epochs than those of an older journal.
	err = s.scan(ctx, "s:*", func(ctx context.Context, keys []string) error { return s.client.Del(ctx, keys...).Err() })
	if err != nil {
		return forgotten, err
	}
	_, err = s.BeginRestore(ctx) // one that runs may have written what was deleted then: it must not be declared complete
	return forgotten, err
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
