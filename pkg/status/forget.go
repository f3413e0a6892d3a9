package status

import (
	"context"
	"fmt"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
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
			next, n, err = s.sweep(ctx, "forget what is unfinished", table, next, true)
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

// swept is how many buckets one call sweeps.
const swept = 256

// hand is the next bucket of a table that Sweep looks at.
type hand struct {
	mu sync.Mutex
	at int
}

// Sweep removes some of what is older than the retention, and keeps the store from expiring, which it does after twice the
// retention: what a deployment leaves behind in a Redis goes by itself. Who runs it calls it about once a second. Other
// writes remove what is old as they come upon it; this is for what they do not come upon when less comes in than before.
func (s *Store) Sweep(ctx context.Context) error {
	for table := range s.hands {
		h := &s.hands[table]
		h.mu.Lock()
		next, _, err := s.sweep(ctx, "sweep", table, h.at, false)
		h.at = next
		h.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) sweep(ctx context.Context, what string, table, from int, forget bool) (next, forgotten int, err error) {
	call := scriptCall{sweepScript, table, []any{from, swept, seconds(s.config.Retention), 2 * s.config.Retention.Milliseconds(), forget}}
	answers, err := s.exchange(ctx, what, []scriptCall{call})
	if err != nil {
		return from, 0, err
	}
	numbers, err := answers[0].Int64Slice()
	if err != nil || len(numbers) != 2 {
		return from, 0, fmt.Errorf("couldn't %s: %w", what, redisdb.BadData("%v, %v", numbers, err))
	}
	return int(numbers[0]), int(numbers[1]), nil
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
