package relay

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/roster"
)

// purger removes from the stream, now and then, what is final in every lane and older than the audit horizon. Every replica
// has one; repeating it changes nothing.
type purger struct {
	roster       Roster
	source       Source
	journal      Journal
	timeout      time.Duration // of a call
	auditHorizon time.Duration
	failures     prometheus.Counter
	log          *slog.Logger
}

func (r *Relayer) purger() *purger {
	return &purger{
		roster: r.deps.Roster, source: r.deps.Source, journal: r.deps.Journal, timeout: r.config.CallTimeout, auditHorizon: r.config.AuditHorizon,
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
	below, err := p.source.FirstSince(limited, now.Add(-p.auditHorizon))
	if err != nil {
		return err
	}
	needed, err := p.neededFrom(ctx)
	if err != nil {
		return err
	}
	below = min(below, needed)
	if below <= 1 {
		return nil
	}
	limited, cancel = context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.source.Purge(limited, below)
}

// neededFrom is the sequence below which no lane needs anything any more.
func (p *purger) neededFrom(ctx context.Context) (uint64, error) {
	lanes := lane.Lanes{}
	known, _ := p.roster.Current()
	for _, l := range known.Lanes {
		state, _, err := p.journal.State(ctx, l.ID)
		if err != nil {
			return 0, fmt.Errorf("couldn't tell what lane %d still needs: %w", l.ID, err)
		}
		lanes[l.ID] = state
	}
	p.wake(ctx, known, lanes)
	needed, err := lanes.NeededFrom()
	return needed.Seq, err
}

// wake has lanes that are gone driven again where their journals, or what others gave them, say that something is left: another
// lane's session knew an older roster, or theirs was fenced off when it found nothing left.
func (p *purger) wake(ctx context.Context, known roster.Roster, lanes lane.Lanes) {
	for _, l := range known.Lanes {
		if l.State != roster.Gone {
			continue
		}
		left := !lanes[l.ID].Empty()
		for id, other := range lanes {
			left = left || other.Given[l.ID].N > lanes[l.ID].Took[id]
		}
		if !left {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, p.timeout)
		err := p.roster.Wake(limited, l.ID)
		cancel()
		if err != nil {
			p.log.Warn("the relayer couldn't have a lane driven again that was gone and has something left; the next purge tries again",
				"lane", l.ID, "err", err)
			continue
		}
		p.log.Warn("a lane that was gone has something left; it is driven again, without its key", "lane", l.ID)
	}
}
