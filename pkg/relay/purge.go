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

// A stream above purgeFrom of its bound is purged to purgeTo, so that it accepts updates as long as it contains final
// ones. Both are below the threshold of an alert.
const (
	purgeFrom = 0.66
	purgeTo   = 0.60
	keepLeast = time.Hour // younger final updates stay; well above the stream's duplicate window
)

// purger removes final updates from the stream: those older than the audit horizon, and younger ones if the stream is
// nearly full. Every replica runs one, since repeats are harmless.
type purger struct {
	roster       Roster
	source       Source
	journal      Journal
	timeout      time.Duration
	auditHorizon time.Duration
	failures     prometheus.Counter
	log          *slog.Logger

	warned bool // once, since a stream at its bound is purged again and again
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
	early, err := p.tooMuch(ctx, now)
	if err != nil {
		return err
	}
	if !p.warned && min(early, needed) > below {
		p.warned = true
		p.log.Warn("the stream is nearly full, so final updates leave it before SCORELAY_AUDIT_HORIZON, and audits do not see them; raise its bound, or shorten the horizon")
	}
	below = min(max(below, early), needed)
	if below <= 1 {
		return nil
	}
	limited, cancel = context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.source.Purge(limited, below)
}

// tooMuch returns the sequence below which messages must go so that the stream is purgeTo full; 0 if it has room.
func (p *purger) tooMuch(ctx context.Context, now time.Time) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	state, err := p.source.State(ctx)
	if err != nil || float64(state.Bytes) <= purgeFrom*float64(state.MaxBytes) || state.MaxBytes == 0 {
		return 0, err
	}
	part := 1 - purgeTo*float64(state.MaxBytes)/float64(state.Bytes)
	below := state.FirstSeq + uint64(part*float64(state.LastSeq+1-state.FirstSeq))
	young, err := p.source.FirstSince(ctx, now.Add(-keepLeast))
	return min(below, young), err
}

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

// wake makes a gone lane driven again if its journal, or an offer to it, has something left. That happens if another
// lane's session used an older roster, or if the lane's own was fenced off when it found the lane empty.
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
