package status

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// ForgetUnfinished deletes the statuses of what has no outcome yet, and returns how many there were: after NATS lost accepted updates
// these would be answered as duplicates forever. A restore follows, which brings back those that the stream holds. Nothing may be
// accepted meanwhile. After an error it may be repeated.
func (s *Store) ForgetUnfinished(ctx context.Context) (forgotten int, err error) {
	if err := s.RequestRestore(ctx); err != nil { // no look-up takes "unknown" for an answer from here on
		return 0, err
	}
	for table := range s.tables {
		for next, n := 0, 0; ; {
			next, n, err = s.forget(ctx, table, next)
			forgotten += n
			if err != nil {
				return forgotten, err
			}
			if next == 0 {
				break
			}
		}
	}
	_, err = s.BeginRestore(ctx) // one that runs may have written what was deleted then: it must not be declared complete
	return forgotten, err
}

func (s *Store) forget(ctx context.Context, table, from int) (next, forgotten int, err error) {
	next, forgotten, _, err = s.sweep(ctx, "forget what is unfinished", table, from, true, s.config.Retention)
	return next, forgotten, err
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
