package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// followEvery is the pause between polls, so the resolution of Tally.Finality.
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
			now := time.Now()
			for i := range statuses {
				if statuses[i].Final() {
					tally.settle(Key{project, ids[i]}, statuses[i].Outcome, now)
					settled++
				}
			}
		}
	}
	return settled, nil
}

const usedPerCall = 1000

// NotUsed returns the promised updates with ids unused in the contract, independent of the API. view calls the
// contract at a block after these updates became final.
func (t *Tally) NotUsed(ctx context.Context, view func(ctx context.Context, data []byte) ([]byte, error)) (missing []Key, err error) {
	promised := map[score.ProjectID][]score.UpdateID{}
	for key := range t.Promised() {
		promised[key.Project] = append(promised[key.Project], key.ID)
	}
	for project, all := range promised {
		for ids := range slices.Chunk(all, usedPerCall) {
			used, err := registry.ReadUsed(project, ids).Do(ctx, view)
			if err == nil && len(used) != len(ids) {
				err = fmt.Errorf("it reports %d ids, asked for %d", len(used), len(ids))
			}
			if err != nil {
				return nil, fmt.Errorf("couldn't ask the contract for used ids: %w", err)
			}
			for i, id := range ids {
				if !used[i] {
					missing = append(missing, Key{project, id})
				}
			}
		}
	}
	return missing, nil
}
