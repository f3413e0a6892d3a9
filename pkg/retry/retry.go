// Package retry waits under a context, retries, and contains panics of work outside the lanes.
package retry

import (
	"context"
	"time"
)

// Sleep waits for d. It returns ctx's error if ctx ends first, or has ended.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}

// Do calls try until it returns nil, up to the given times (at least once), with a pause between calls. It returns
// try's last error, also if the context ends.
func Do(ctx context.Context, times int, pause time.Duration, try func() error) error {
	for n := 1; ; n++ {
		err := try()
		if err == nil || n >= times || Sleep(ctx, pause) != nil {
			return err
		}
	}
}
