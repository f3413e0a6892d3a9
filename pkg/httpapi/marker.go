package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bounds of what is marked late.
const (
	maxLate    = 1 << 14 // updates kept, of 106 bytes
	lateAtOnce = 256     // updates in one try
	latePause  = time.Second
	lastMarks  = 2 * time.Second // for all that is late when the server stops
)

// marker writes that updates are stored: their claims become "accepted". What Redis did not take it keeps, and tries
// again until Redis does; else an update that was answered with a 200 would be unknown until its lane binds it, and its
// claim would be in nobody's name. A mark that comes late is as true as one in time: what says more stays, and a claim
// made meanwhile is of an id under which an update is stored.
type marker struct {
	statuses Statuses
	metrics  *metrics
	log      *slog.Logger

	mu   sync.Mutex
	late []score.Update
	lost atomic.Bool   // there was no room for more: only a restore can bring those back
	wake chan struct{} // has room for one: something is late
}

func newMarker(statuses Statuses, m *metrics, log *slog.Logger) *marker {
	return &marker{statuses: statuses, metrics: m, log: log, wake: make(chan struct{}, 1)}
}

// mark marks stored updates, or sees to it that they are later.
func (m *marker) mark(ctx context.Context, updates []score.Update) {
	if m.statuses.Accepted(ctx, updates) == nil {
		return
	}
	m.metrics.unmarked.Add(float64(len(updates)))
	if kept := m.keep(updates); kept < len(updates) && !m.lost.Swap(true) {
		m.log.Warn("more statuses are missing than can be kept; asking for a restore as soon as Redis answers", "kept", maxLate)
	}
	m.remind()
}

// run marks what is late until ctx ends, and then tries for the last time.
func (m *marker) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-m.wake:
			select {
			case <-ctx.Done():
			case <-time.After(latePause):
				_ = m.again(ctx) // what failed wakes it again
			}
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMarks)
	defer cancel()
	if err := m.again(last); err != nil {
		m.log.Warn("the statuses of some accepted updates could not be written; they are unknown until their lanes bind them", "err", err)
	}
}

// again marks what is late until a try fails.
func (m *marker) again(ctx context.Context) error {
	for updates := m.first(); len(updates) > 0; updates = m.first() {
		if err := m.statuses.Accepted(ctx, updates); err != nil {
			m.remind()
			return err
		}
		m.drop(len(updates))
	}
	if m.lost.Swap(false) {
		if err := m.statuses.Incomplete(ctx); err != nil {
			m.lost.Store(true)
			m.remind()
			return err
		}
	}
	return nil
}

func (m *marker) remind() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// keep appends as many of the updates as there is room for.
func (m *marker) keep(updates []score.Update) (kept int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept = min(maxLate-len(m.late), len(updates))
	m.late = append(m.late, updates[:kept]...)
	return kept
}

func (m *marker) first() []score.Update {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.late[:min(lateAtOnce, len(m.late))]
}

func (m *marker) drop(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.late = m.late[n:]; len(m.late) == 0 {
		m.late = nil
	}
}
