package status

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

const (
	swept     = 256  // buckets per call
	hurried   = 64   // calls per Sweep when memory is short
	shortOf   = 0.85 // of maxmemory: above it, final statuses are removed early, oldest first
	plentyOf  = 0.75 // of maxmemory: below it, their retention grows again
	shortened = 0.9  // factor on the age of the oldest final status, per pass
)

// hand is Sweep's progress in one table.
type hand struct {
	mu     sync.Mutex
	at     int           // the next bucket
	finals time.Duration // retention of final statuses, at most the configured one
	oldest time.Duration // of the oldest final status in this pass
}

// Sweep removes some statuses older than the retention. It defers the store's expiry to twice the retention, so that
// the data of an abandoned deployment disappears. Call it about once a second.
//
// When Redis is short of memory, Sweep removes final statuses early, oldest first, but never pending ones.
func (s *Store) Sweep(ctx context.Context) error {
	var part float64
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
		switch { // end of a pass
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

// sweep removes statuses from bucket from on that are older than the retention, and final ones older than finals.
// With a token in forget it removes unfinished statuses instead, counted in forgotten; ErrForgetting: another token
// is current. next is the bucket to continue at, 0 after the last; oldest is the age of the oldest final status left.
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
