package relay

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// purge removes from the stream, now and then, what is final in every lane and older than the audit horizon. Every
// replica does it; repeating it changes nothing.
func (r *Relayer) purge(ctx context.Context) {
	for ctx.Err() == nil {
		rest(ctx, r.config.PurgeInterval)
		if ctx.Err() != nil {
			return
		}
		if err := r.purgeOnce(ctx, time.Now()); err != nil && ctx.Err() == nil {
			r.metrics.purgeFails.Inc()
			r.Log.Warn("couldn't purge the stream; trying again later", "err", err, "again_in", r.config.PurgeInterval)
		}
	}
}

func (r *Relayer) purgeOnce(ctx context.Context, now time.Time) error {
	below, err := within(ctx, r.config.CallTimeout, func(ctx context.Context) (uint64, error) {
		return r.Source.FirstSince(ctx, now.Add(-r.config.Horizon))
	})
	if err != nil {
		return err
	}
	for id := range score.Lane(r.config.Lanes) {
		settled, err := r.settled(ctx, id)
		if err != nil {
			return fmt.Errorf("couldn't tell what lane %d still needs: %w", id, err)
		}
		below = min(below, settled)
	}
	if below <= 1 {
		return nil
	}
	_, err = within(ctx, r.config.CallTimeout, func(ctx context.Context) (uint64, error) { return 0, r.Source.Purge(ctx, below) })
	return err
}

func within(ctx context.Context, limit time.Duration, do func(context.Context) (uint64, error)) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// settled is the sequence below which a lane needs nothing any more.
func (r *Relayer) settled(ctx context.Context, id score.Lane) (uint64, error) {
	var folder lane.Folder
	if _, err := r.Journal.Load(ctx, id, folder.Add); err != nil {
		return 0, err
	}
	state, err := folder.State()
	if err != nil {
		return 0, err
	}
	tail, err := within(ctx, r.config.CallTimeout, func(ctx context.Context) (uint64, error) { return r.Source.Tail(ctx, id) })
	if err != nil {
		return 0, err
	}
	if at := state.Settled(); tail >= at.Seq && tail > 0 || len(state.Slots)+len(state.Queue) > 0 {
		return at.Seq, nil
	}
	return math.MaxUint64, nil // nothing of this lane is left
}
