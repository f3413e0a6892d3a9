package httpapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/report"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Bounds of what is marked late.
const (
	maxLate   = 1 << 14 // updates kept, of some 110 bytes with their claims' tokens
	latePause = time.Second
	lastMarks = 2 * time.Second // for all that is late when the server stops
)

// marker writes that updates are stored: their claims become "accepted". What Redis did not take is replayed until Redis
// does; else an update that was answered with a 200 would be unknown until its lane binds it, and its claim would expire. A
// mark that comes late is as true as one in time: what says more stays, and so does another request's claim over a rejection,
// which the marked update itself may have got.
type marker struct {
	statuses Statuses
	writer   *report.Writer
	metrics  *metrics
	log      *slog.Logger
}

func newMarker(statuses Statuses, m *metrics, log *slog.Logger) *marker {
	writer := report.NewWriter(report.Config{
		MaxWrites: maxLate, MaxRefs: maxLate, Log: log,
		RequestRestore: statuses.RequestRestore,
	})
	return &marker{statuses: statuses, writer: writer, metrics: m, log: log}
}

// mark marks stored updates, now or later, with the tokens of their claims.
func (m *marker) mark(ctx context.Context, refs []score.Ref, tokens []string) {
	if !m.writer.Write(ctx, len(refs), func(ctx context.Context) error { return m.statuses.Accepted(ctx, refs, tokens) }) {
		m.metrics.unmarked.Add(float64(len(refs)))
	}
}

// run marks what is late, every second until ctx ends, and then for the last time. When accepting begins to halt, what is late is given
// up: NATS may have lost it, and a restore brings back what it holds.
func (m *marker) run(ctx context.Context, halted func() string) {
	for halts := false; retry.Sleep(ctx, latePause) == nil; {
		before := halts
		if halts = halted() != ""; halts && !before && m.writer.Pending() {
			m.writer.GiveUp()
		}
		_ = m.writer.Replay(ctx) // what failed is pending still
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMarks)
	defer cancel()
	if err := m.writer.Replay(last); err != nil {
		m.log.Warn("the API could not write the statuses of some accepted updates; they are unknown until their lanes bind them", "err", err)
	}
}
