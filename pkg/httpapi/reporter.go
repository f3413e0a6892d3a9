package httpapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/report"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Bounds of what is reported late.
const (
	maxLate     = 1 << 14 // updates kept, of some 110 bytes with their claims' tokens
	latePause   = time.Second
	lastReports = 2 * time.Second // for all that is late when the server stops
)

// reporter reports that updates are stored: their claims become "accepted". What Redis did not take is replayed until Redis
// does; else an update that was answered with a 200 would be unknown until its lane binds it, and its claim would expire. A
// report that comes late is as true as one in time: what says more stays, and so does another request's claim over a rejection,
// which the reported update itself may have got.
type reporter struct {
	statuses Statuses
	writer   *report.Writer
	metrics  *metrics
	log      *slog.Logger
}

func newReporter(statuses Statuses, m *metrics, log *slog.Logger) *reporter {
	writer := report.NewWriter(report.Config{
		MaxWrites: maxLate, MaxRefs: maxLate, Log: log,
		RequestRestore: statuses.RequestRestore,
	})
	return &reporter{statuses: statuses, writer: writer, metrics: m, log: log}
}

// accepted reports stored updates, now or later, with the tokens of their claims.
func (r *reporter) accepted(ctx context.Context, refs []score.Ref, tokens []string) {
	if !r.writer.Write(ctx, len(refs), func(ctx context.Context) error { return r.statuses.Accepted(ctx, refs, tokens) }) {
		r.metrics.unmarked.Add(float64(len(refs)))
	}
}

// run makes the reports that are late, every second until ctx ends, and then for the last time. When accepting begins to halt, they are
// given up: NATS may have lost what they tell of, and a restore brings back what it holds.
func (r *reporter) run(ctx context.Context, halted func() string) {
	for halts := false; retry.Sleep(ctx, latePause) == nil; {
		before := halts
		if halts = halted() != ""; halts && !before && r.writer.Pending() {
			r.writer.GiveUp()
		}
		_ = r.writer.Replay(ctx) // what failed is pending still
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastReports)
	defer cancel()
	if err := r.writer.Replay(last); err != nil {
		r.log.Warn("the API could not write the statuses of some accepted updates; they are unknown until their lanes bind them", "err", err)
	}
}
