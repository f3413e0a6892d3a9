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

// TellFrom is how many updates of a project have to wait before a lane tells of them.
const TellFrom = 1_000

// What is told of projects of which much waits.
const (
	tellEvery = time.Second
	rateOver  = 10 // seconds over which the rate is told, about; where nothing was bound for so long there is none
	leastRate = 1  // updates a second; below it none is told
)

// teller tells how much waits of a lane's projects. What it cannot tell it tells with the next.
type teller struct {
	id       score.Lane
	store    Backlogs
	timeout  time.Duration // of a call
	intake   *intake
	log      *slog.Logger
	next     chan map[score.ProjectID]score.Backlog
	last     time.Time
	rates    map[score.ProjectID]rate
	silenced atomic.Bool // the store took that nothing waits, and nothing else since
}

// rate is how fast a project's updates are bound.
type rate struct {
	average float64 // a second
	idle    float64 // seconds since some were bound
}

// after is the rate when in these seconds so many were bound; known tells whether it was any before.
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

// told is 0 where it says nothing of what comes: an average alone would take minutes to forget what was before a stall.
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

// told is what was said of projects before this session; nil where it cannot be read.
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

// tell has what waits told, every second.
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
	case <-t.next: // the newest counts
	default:
	}
	t.next <- said
}

// run tells until the context ends.
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
	t.silenced.Store(false) // also where it fails, and was stored
	switch err := t.store.Tell(limited, t.id, said); {
	case err == nil:
		t.silenced.Store(len(said) == 0)
	case ctx.Err() == nil:
		t.log.Warn("the lane couldn't tell how much of projects waits; it tells it with the next", "err", err)
	}
}

// backlog is how many updates wait: those that were read, those that were not yet, and those that lost their slot; but for those that were
// read of paused projects.
func (s *session) backlog() uint64 {
	n := s.intake.backlog() + s.unread.left()
	for i := range s.lane.State.Queue {
		if work := &s.lane.State.Queue[i]; work.Kind == lane.Updates {
			n += uint64(work.Count)
		}
	}
	return n
}

// backlog is how many updates wait, as far as the stream was read, but for those of paused projects.
func (in *intake) backlog() uint64 {
	n := uint64(in.horizon.Len())
	for _, p := range in.parked {
		if !p.paused {
			n += p.owed + p.unseen
		}
	}
	return n
}

// large are the projects of which so many updates wait, or more, and how many of each, without how fast they are bound. Of paused ones it
// is told however few: the next session does not read them.
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
