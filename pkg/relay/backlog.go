package relay

import (
	"context"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// TellFrom is the least backlog of an unpaused project, in updates, that a lane publishes.
const TellFrom = 1_000

const (
	tellEvery = time.Second
	rateOver  = 10 // seconds that the average covers, about; a project idle for so long has rate 0
	leastRate = 1  // updates a second; lower rates are published as 0
)

// teller publishes projects' backlogs. The next publish makes up for a failed one.
type teller struct {
	id       score.Lane
	store    Backlogs
	timeout  time.Duration
	intake   *intake
	log      *slog.Logger
	next     chan map[score.ProjectID]score.Backlog
	last     time.Time
	rates    map[score.ProjectID]rate
	silenced atomic.Bool // the last publish was empty and succeeded
}

type rate struct {
	average float64 // updates a second
	idle    float64 // seconds since the last assignment
}

// after returns the rate once bound more updates were assigned in these seconds. known is false for the first
// measurement.
func (r rate) after(seconds float64, bound int, known bool) rate {
	now := float64(bound) / seconds
	if known {
		now = r.average + min(1, seconds/rateOver)*(now-r.average)
	}
	if bound > 0 {
		return rate{average: now}
	}
	return rate{now, r.idle + seconds}
}

// Slow or stalled projects have rate 0, since the average takes long to forget the time before a stall.
func (r rate) told() float64 {
	if r.average < leastRate || r.idle >= rateOver {
		return 0
	}
	return r.average
}

func (r *Relayer) teller(id score.Lane, in *intake, log *slog.Logger) *teller {
	return &teller{
		id: id, store: r.deps.Backlogs, timeout: r.config.CallTimeout, intake: in, log: log, next: make(chan map[score.ProjectID]score.Backlog, 1),
		last: r.config.Now(), rates: map[score.ProjectID]rate{},
	}
}

// All lanes' backlogs as published before this session; nil if unreadable.
func (t *teller) told(ctx context.Context) map[score.ProjectID]score.Backlog {
	if t.store == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	told, err := t.store.Told(limited)
	if err != nil {
		if ctx.Err() == nil {
			t.log.Warn("the lane couldn't read how much of parked projects waited; it counts what it reads", "err", err)
		}
		return nil
	}
	return told
}

func (t *teller) tell(now time.Time) {
	took := now.Sub(t.last)
	if t.store == nil || took < tellEvery {
		return
	}
	t.last = now
	said, rates := t.intake.large(TellFrom), map[score.ProjectID]rate{}
	for id, backlog := range said {
		before, known := t.rates[id]
		rates[id] = before.after(took.Seconds(), t.intake.served[id], known)
		backlog.PerSecond = rates[id].told()
		said[id] = backlog
	}
	t.rates = rates
	clear(t.intake.served)
	if len(said) == 0 && t.silenced.Load() {
		return
	}
	select {
	case <-t.next: // replace an older one
	default:
	}
	t.next <- said
}

func (t *teller) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case said := <-t.next:
			t.say(ctx, said)
		}
	}
}

func (t *teller) say(ctx context.Context, said map[score.ProjectID]score.Backlog) {
	limited, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	t.silenced.Store(false) // a failed publish may be stored all the same
	switch err := t.store.Tell(limited, t.id, said); {
	case err == nil:
		t.silenced.Store(len(said) == 0)
	case ctx.Err() == nil:
		t.log.Warn("the lane couldn't tell how much of projects waits; it tells it with the next", "err", err)
	}
}

// backlog counts waiting updates: read, unread, and queued again. It leaves out read ones of paused projects.
func (s *session) backlog() uint64 {
	n := s.intake.backlog() + s.unread.left()
	for i := range s.lane.State.Queue {
		if work := &s.lane.State.Queue[i]; work.Kind == lane.Updates {
			n += uint64(work.Count)
		}
	}
	return n
}

// backlog counts waiting updates of unpaused projects, as far as the stream was read.
func (in *intake) backlog() uint64 {
	n := uint64(in.horizon.Len())
	for _, p := range in.parked {
		if !p.paused {
			n += p.owed + p.unseen
		}
	}
	return n
}

// large returns the backlogs of at least least updates, without rates. A paused project's is included at any size
// above 0, since a session that skips the project's updates has their number only from here.
func (in *intake) large(least uint64) map[score.ProjectID]score.Backlog {
	large := map[score.ProjectID]score.Backlog{}
	for id, n := range in.horizon.Projects() {
		large[id] = score.Backlog{Waiting: uint64(n), Read: in.read.Seq}
	}
	for id, p := range in.parked {
		large[id] = score.Backlog{Waiting: large[id].Waiting + p.owed + p.unseen, Read: max(in.read.Seq, p.seen)}
	}
	for id, n := range in.withheld {
		large[id] = score.Backlog{Waiting: n, Read: in.read.Seq}
	}
	maps.DeleteFunc(large, func(id score.ProjectID, b score.Backlog) bool {
		return b.Waiting < least && (b.Waiting == 0 || !in.paused[id])
	})
	return large
}
