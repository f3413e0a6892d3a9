package relay

import (
	"context"
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// What it may cost a lane to ask the stream for the sake of a metric.
const (
	askTimeout = time.Second
	askPause   = 10 * time.Second // after a question that was not answered
	finalPause = time.Second      // between two for what is final: a new session has to ask for all open slots
)

// ages tells how long the lane's updates take from their accept, which is the stream's time of their message, until they are final; and
// since when the oldest waits. It knows when those were accepted that this session bound, and asks the stream for some of the others, since
// the lane waits for the answer.
type ages struct {
	id      score.Lane
	config  *Config
	stored  func(ctx context.Context, seq uint64) (time.Time, error)
	metrics *metrics
	log     *slog.Logger

	slots  map[uint64][]acceptedAt // by nonce: open ones of this session
	finals time.Time               // when the stream may be asked again for what is final

	shown time.Time // when the oldest was last shown
	asked uint64    // the sequence of which the stream was asked last, for the oldest,
	at    time.Time // and what it said; zero: nothing
	again time.Time // when it may be asked again
}

// acceptedAt is when so many updates were accepted, in one message.
type acceptedAt struct {
	seq     uint64
	at      time.Time
	updates uint64
}

func newAges(id score.Lane, config *Config, stored func(context.Context, uint64) (time.Time, error), metrics *metrics, log *slog.Logger) *ages {
	return &ages{id: id, config: config, stored: stored, metrics: metrics, log: log, slots: map[uint64][]acceptedAt{}}
}

// bound says that a slot carries what is at these places.
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

// settled counts updates that are final with their slot. Where some go again, or an earlier session bound them, all count as the oldest.
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

// final counts updates of work as old as its oldest, where the stream may be asked for that.
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

// ask is when a message was stored; false where the stream does not tell, and for a while after.
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

// show shows, every second, when the oldest of what waits was accepted.
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

// oldest is the first message that holds something of what waits and is not paused, as far as was read, and when it was accepted; zero
// where no reading of this session brought it yet.
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
