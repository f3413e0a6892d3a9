package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/sdk"
)

// followEvery is the pause between polls.
const followEvery = 250 * time.Millisecond

var ErrStalled = errors.New("nothing became final for too long")

// Follow polls the API for promised updates and records final ones. It returns nil when sent is closed and every
// promised update is final. Errors: ErrStalled if none became final for patience after sent was closed; the API's if
// every request failed for Patience; ctx's.
func Follow(ctx context.Context, c *Client, tally *Tally, sent <-chan struct{}, patience time.Duration) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	progress, told := time.Now(), time.Now()
	for {
		ended := false
		select {
		case <-sent:
			ended = true // read before look, so that look finds every promise
		default:
			progress = time.Now()
		}
		settled, err := look(ctx, c, tally)
		if err == nil {
			told = time.Now()
		}
		unknown := tally.Verdict().Unknown
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("stopped waiting for %d updates to become final: %w", unknown, ctx.Err())
		case ended && unknown == 0:
			return nil
		case time.Since(told) > Patience:
			return fmt.Errorf("stopped waiting for %d updates to become final: the API told no status for %s: %w", unknown, Patience, err)
		case settled > 0:
			progress = time.Now()
		case time.Since(progress) > patience:
			return errors.Join(fmt.Errorf("%w: %d updates were not final after %s", ErrStalled, unknown, patience), err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func look(ctx context.Context, c *Client, tally *Tally) (settled int, err error) {
	for project, open := range tally.open() {
		for ids := range slices.Chunk(open, sdk.MaxLookUp) {
			statuses, err := c.Updates(ctx, project, ids)
			if err != nil {
				return settled, err
			}
			for i := range statuses {
				if statuses[i].Final() {
					tally.settle(Key{project, ids[i]}, statuses[i].Outcome)
					settled++
				}
			}
		}
	}
	return settled, nil
}
