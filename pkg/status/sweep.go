package status

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

// Of sweeping.
const (
	swept     = 256  // buckets of one call
	hurried   = 64   // calls of one Sweep when memory is short
	shortOf   = 0.85 // of Redis's maxmemory: then what is final goes before its time, the oldest first
	plentyOf  = 0.75 // and below this it stays longer again
	shortened = 0.9  // of the age of the oldest
)

// hand is where Sweep is in a table.
type hand struct {
	mu     sync.Mutex
	at     int           // the next bucket
	finals time.Duration // what is final is kept as long; at most the retention
	oldest time.Duration // of what is final, in this pass
}

// Sweep removes some of what is older than the retention, and keeps the store from expiring, which it does after twice the
// retention: what a deployment leaves behind in a Redis goes by itself. Who runs it calls it about once a second. Other
// writes remove what is old as they come upon it; this is for what they do not come upon when less comes in than before.
//
// When Redis has little memory left, what is final goes before its time, the oldest first. Nothing that waits does.
func (s *Store) Sweep(ctx context.Context) error {
	var part float64 // of its memory that Redis uses
	err := s.call(ctx, "ask how much memory there is", func(ctx context.Context) (err error) {
		_, part, err = s.client.Memory(ctx)
		return err
	})
	for table := 0; table < s.tables && err == nil; table++ {
		err = s.sweepSome(ctx, table, part)
	}
	return err
}

func (s *Store) sweepSome(ctx context.Context, table int, part float64) error {
	h := &s.hands[table]
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := 1
	if part > shortOf {
		calls = hurried
	}
	for range calls {
		next, _, oldest, err := s.sweep(ctx, "sweep", table, h.at, "", h.finals)
		if err != nil {
			return err
		}
		h.at, h.oldest = next, max(h.oldest, oldest)
		if next > 0 {
			continue
		}
		switch { // a pass has ended
		case part > shortOf:
			h.finals = time.Duration(shortened * float64(min(h.finals, h.oldest)))
		case part < plentyOf:
			h.finals = min(s.config.Retention, time.Duration(float64(max(h.finals, time.Second))/shortened))
		}
		h.oldest = 0
		return nil
	}
	return nil
}

// sweep makes one call of sweep.lua, of some buckets from one on: it removes what is older than the retention, and what is final and older
// than finals. With a token it forgets what is unfinished under that instead; ErrForgetting: under another now.
func (s *Store) sweep(ctx context.Context, what string, table, from int, forget string, finals time.Duration) (
	next, forgotten int, oldest time.Duration, err error,
) {
	call := scriptCall{sweepScript, table, []any{
		from, swept, seconds(s.config.Retention), 2 * s.config.Retention.Milliseconds(), forget, int64(finals / time.Second),
	}}
	answers, err := s.exchange(ctx, what, []scriptCall{call})
	if err != nil {
		return from, 0, 0, err
	}
	numbers, err := answers[0].Int64Slice()
	if err == nil && len(numbers) == 0 {
		return from, 0, 0, fmt.Errorf("couldn't %s: %w", what, ErrForgetting)
	}
	if err != nil || len(numbers) != 3 {
		return from, 0, 0, fmt.Errorf("couldn't %s: %w", what, redisdb.BadData("%v, %v", numbers, err))
	}
	return int(numbers[0]), int(numbers[1]), time.Duration(numbers[2]) * time.Second, nil
}
