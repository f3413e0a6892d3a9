package relay

import (
	"context"
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	askTimeout = time.Second
	askPause   = 10 * time.Second // after a failed query
	finalPause = time.Second      // for finalized updates, since a new session lacks every slot's accept times
)

// ages measures the time of updates from accept (when the stream stored their message) to final, and the accept time
// of the oldest in the backlog. The session has the accept times of updates that it assigned. For other updates it
// queries the stream, and waits for the answer.
type ages struct {
	id      score.Lane
	config  *Config
	stored  func(ctx context.Context, seq uint64) (time.Time, error)
	metrics *metrics
	log     *slog.Logger

	slots  map[uint64][]acceptedAt // by nonce
	finals time.Time               // when the next query for finalized updates is allowed

	shown time.Time
	asked uint64    // sequence of the last query for the oldest
	at    time.Time // its accept time; zero: unknown
	again time.Time // after a failed query: when the next one is allowed
}

type acceptedAt struct {
	seq     uint64
	at      time.Time
	updates uint64
}

func newAges(id score.Lane, config *Config, stored func(context.Context, uint64) (time.Time, error), metrics *metrics, log *slog.Logger) *ages {
	return &ages{id: id, config: config, stored: stored, metrics: metrics, log: log, slots: map[uint64][]acceptedAt{}}
}

func (a *ages) bound(nonce uint64, places []*place) {
	var some []acceptedAt
	for _, p := range places {
		if n := len(some); n > 0 && some[n-1].seq == p.Seq {
			some[n-1].updates += uint64(p.Count)
			continue
		}
		some = append(some, acceptedAt{p.Seq, p.accepted, uint64(p.Count)})
	}
	a.slots[nonce] = some
}

// settled measures updates that became final with their slot. If others of the slot are queued again, or an earlier
// session assigned them, all count as the oldest.
func (a *ages) settled(ctx context.Context, nonce uint64, work *lane.Work, updates uint64) {
	some, total := a.slots[nonce], uint64(0)
	delete(a.slots, nonce)
	for i := range some {
		total += some[i].updates
	}
	if total != updates {
		a.final(ctx, work, updates)
		return
	}
	for _, s := range some {
		a.count(s.at, s.updates)
	}
}

// final counts updates as old as the oldest of their work, if a query is allowed.
func (a *ages) final(ctx context.Context, work *lane.Work, updates uint64) {
	if updates == 0 || a.config.Now().Before(a.finals) {
		return
	}
	a.finals = a.config.Now().Add(finalPause)
	if at, ok := a.ask(ctx, work.From.Seq); ok {
		a.count(at, updates)
	}
}

func (a *ages) count(at time.Time, updates uint64) {
	took := max(a.config.Now().Sub(at).Seconds(), 0) // NATS's clock may be ahead
	histogram := a.metrics.acceptToFinal.WithLabelValues(label(a.id))
	for range updates {
		histogram.Observe(took)
	}
}

// ask returns when a message was stored; false if the query fails, and for askPause after that.
func (a *ages) ask(ctx context.Context, seq uint64) (time.Time, bool) {
	if a.config.Now().Before(a.again) {
		return time.Time{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	at, err := a.stored(ctx, seq)
	if err != nil {
		a.again = a.config.Now().Add(askPause)
		a.log.Debug("the lane couldn't find out when updates were accepted; metrics lack them", "seq", seq, "err", err)
	}
	return at, err == nil
}

func (a *ages) show(ctx context.Context, in *intake, queue []lane.Work) {
	now := a.config.Now()
	if now.Sub(a.shown) < tellEvery {
		return
	}
	a.shown = now
	gauge := a.metrics.oldest
	seq, at, some := in.oldest()
	for i := range queue {
		if from := queue[i].From.Seq; !some || from < seq {
			seq, at, some = from, time.Time{}, true
		}
	}
	if !some {
		gauge.DeleteLabelValues(label(a.id))
		return
	}
	if at.IsZero() && seq != a.asked {
		at, some = a.ask(ctx, seq)
		if some {
			a.asked, a.at = seq, at
		}
	} else if at.IsZero() {
		at = a.at
	}
	if some {
		gauge.WithLabelValues(label(a.id)).Set(float64(at.UnixMilli()) / 1000)
	}
}

// oldest returns the sequence of the oldest message known with waiting work of unpaused projects, if any. It also
// returns the accept time, zero if the session must still read the message.
func (in *intake) oldest() (seq uint64, at time.Time, some bool) {
	earlier := func(of uint64, accepted time.Time) {
		if !some || of < seq {
			seq, at, some = of, accepted, true
		}
	}
	look := func(r *row) bool {
		for _, p := range r.places {
			if in.waits(p) {
				earlier(p.Seq, p.accepted)
				return true
			}
		}
		return false
	}
	for _, r := range in.rows {
		look(r)
	}
	for _, p := range in.parked {
		if !look(p.row) && p.owed+p.unseen > 0 && !p.paused {
			earlier(p.next.Seq, time.Time{})
		}
	}
	return seq, at, some
}
