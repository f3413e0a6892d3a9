package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Bounds of what is reported late.
const (
	maxLate     = 1 << 14 // updates kept, of some 110 bytes with their claims' tokens
	lateAtOnce  = 1 << 10 // of them in one report
	latePause   = time.Second
	reportLate  = 2 * time.Second // of one report
	lastReports = 2 * time.Second // for all that is late when the server stops
)

// reporter reports that updates are stored: their claims become "accepted". What Redis did not take is kept, in bounded memory, and
// reported again, in order, until Redis takes it; else an update that was answered with a 200 would be unknown until its lane binds it, and
// its claim would expire. What finds no room is dropped, and a restore requested once Redis answers. A report that comes late
// is as true as one in time: what says more stays, and so does another request's claim over a rejection, which the reported update itself
// may have got. A report may be made more than once.
type reporter struct {
	statuses Statuses
	metrics  *metrics
	log      *slog.Logger

	mu      sync.Mutex
	refs    []score.Ref // late
	tokens  []string    // of refs
	dropped bool        // some were, since a restore was requested last: nothing more is kept before one is
}

func newReporter(statuses Statuses, m *metrics, log *slog.Logger) *reporter {
	return &reporter{statuses: statuses, metrics: m, log: log}
}

// accepted reports stored updates, now or later, with the tokens of their claims.
func (r *reporter) accepted(ctx context.Context, refs []score.Ref, tokens []string) {
	if !r.late() && r.report(ctx, refs, tokens) == nil {
		return
	}
	r.metrics.unmarked.Add(float64(len(refs)))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.dropped:
	case len(r.refs)+len(refs) > maxLate:
		r.log.Warn("more status writes are pending than fit; the API drops further ones and requests a restore when the status store answers",
			"kept", len(r.refs))
		r.dropped = true
	default:
		r.refs, r.tokens = append(r.refs, refs...), append(r.tokens, tokens...)
	}
}

func (r *reporter) report(ctx context.Context, refs []score.Ref, tokens []string) error {
	ctx, cancel := context.WithTimeout(ctx, reportLate)
	defer cancel()
	return r.statuses.Accepted(ctx, refs, tokens)
}

// late reports whether there is anything to report late.
func (r *reporter) late() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.refs) > 0 || r.dropped
}

// replay reports what is late, until a report fails; then it requests a restore if some were dropped.
func (r *reporter) replay(ctx context.Context) error {
	for {
		r.mu.Lock()
		n := min(len(r.refs), lateAtOnce)
		refs, tokens, dropped := r.refs[:n:n], r.tokens[:n:n], r.dropped
		if n == 0 {
			r.refs, r.tokens, r.dropped = nil, nil, false // what is dropped from here on needs another restore
		}
		r.mu.Unlock()
		switch {
		case n > 0:
			if err := r.report(ctx, refs, tokens); err != nil {
				return err
			}
			r.mu.Lock()
			r.refs, r.tokens = r.refs[n:], r.tokens[n:]
			r.mu.Unlock()
			continue
		case !dropped:
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, reportLate)
		defer cancel()
		err := r.statuses.RequestRestore(ctx)
		if err != nil {
			r.mu.Lock()
			r.dropped = true
			r.mu.Unlock()
		}
		return err
	}
}

// run makes the reports that are late, every second until ctx ends, and then for the last time. When accepting begins to halt, they are
// dropped: NATS may have lost what they tell of, and a restore brings back what it holds.
func (r *reporter) run(ctx context.Context, halted func() string) {
	for halts := false; retry.Sleep(ctx, latePause) == nil; {
		before := halts
		if halts = halted() != ""; halts && !before && r.late() {
			r.mu.Lock()
			r.refs, r.tokens, r.dropped = nil, nil, true
			r.mu.Unlock()
		}
		_ = r.replay(ctx) // what failed is late still
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastReports)
	defer cancel()
	if err := r.replay(last); err != nil {
		r.log.Warn("the API could not write the statuses of some accepted updates; they are unknown until their lanes bind them", "err", err)
	}
}
