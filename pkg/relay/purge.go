package relay

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// purger removes from the stream, now and then, what is final in every lane and older than the audit horizon. Every replica
// has one; repeating it changes nothing.
type purger struct {
	lanes    int
	source   Source
	journal  Journal
	timeout  time.Duration // of a call
	horizon  time.Duration
	failures prometheus.Counter
	log      *slog.Logger
}

func (r *Relayer) purger() *purger {
	return &purger{
		lanes: r.config.Lanes, source: r.deps.Source, journal: r.deps.Journal, timeout: r.config.CallTimeout, horizon: r.config.Horizon,
		failures: r.metrics.purgeFails, log: r.deps.Log,
	}
}

func (p *purger) run(ctx context.Context, every time.Duration) {
	for {
		if retry.Sleep(ctx, every) != nil {
			return
		}
		if err := p.purge(ctx, time.Now()); err != nil && ctx.Err() == nil {
			p.failures.Inc()
			p.log.Warn("the relayer couldn't purge the stream; it tries again later", "err", err, "again_in", every)
		}
	}
}

func (p *purger) purge(ctx context.Context, now time.Time) error {
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	below, err := p.source.FirstSince(limited, now.Add(-p.horizon))
	if err != nil {
		return err
	}
	for id := range score.Lane(p.lanes) {
		needed, err := p.neededFrom(ctx, id)
		if err != nil {
			return fmt.Errorf("couldn't tell what lane %d still needs: %w", id, err)
		}
		below = min(below, needed)
	}
	if below <= 1 {
		return nil
	}
	limited, cancel = context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.source.Purge(limited, below)
}

// neededFrom is the sequence below which a lane needs nothing any more.
func (p *purger) neededFrom(ctx context.Context, id score.Lane) (uint64, error) {
	state, _, err := p.journal.State(ctx, id)
	if err != nil || state.Epoch == 0 { // it has buckets, and has bound nothing of them
		return 0, err
	}
	return state.NeededFrom().Seq, nil
}
