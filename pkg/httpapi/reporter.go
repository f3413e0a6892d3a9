package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxLate     = 1 << 14 // updates with late reports; about 110 bytes each with its claim's token
	lateAtOnce  = 1 << 10 // updates per report
	latePause   = time.Second
	reportLate  = 2 * time.Second // per report
	lastReports = 2 * time.Second // for all late reports when the server stops
)

// reporter reports stored updates: their claims become "accepted". It keeps failed reports in bounded memory, and
// repeats them in order. Otherwise an update with a 200 would be unknown until its lane assigns it, and its claim
// would expire. If the memory is full, it drops reports, and requests a restore once Redis responds.
//
// Late and repeated reports are harmless: a more advanced state stays. After a rejection another request's claim
// stays, too, since the rejection may be that of the reported update itself.
type reporter struct {
	statuses Statuses
	metrics  *metrics
	log      *slog.Logger

	mu     sync.Mutex
	refs   []score.Ref // with late reports
	tokens []string    // of refs
	// Reports were dropped since the last requested restore; until the next one, all are.
	dropped bool
}

func newReporter(statuses Statuses, m *metrics, log *slog.Logger) *reporter {
	return &reporter{statuses: statuses, metrics: m, log: log}
}

// accepted reports stored updates, now or later; tokens are those of their claims.
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

func (r *reporter) late() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.refs) > 0 || r.dropped
}

// replay makes the late reports until one fails. If some were dropped, it finally requests a restore.
func (r *reporter) replay(ctx context.Context) error {
	for {
		r.mu.Lock()
		n := min(len(r.refs), lateAtOnce)
		refs, tokens, dropped := r.refs[:n:n], r.tokens[:n:n], r.dropped
		if n == 0 {
			r.refs, r.tokens, r.dropped = nil, nil, false // reports dropped from here on need another restore
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

// run makes the late reports every second until ctx ends, and once more then. When accepting halts, it drops them,
// since NATS may have lost the reported updates. A restore brings back those that NATS has.
func (r *reporter) run(ctx context.Context, halted func() string) {
	for halts := false; retry.Sleep(ctx, latePause) == nil; {
		before := halts
		if halts = halted() != ""; halts && !before && r.late() {
			r.mu.Lock()
			r.refs, r.tokens, r.dropped = nil, nil, true
			r.mu.Unlock()
		}
		_ = r.replay(ctx) // failed reports stay late
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastReports)
	defer cancel()
	if err := r.replay(last); err != nil {
		r.log.Warn("the API could not write the statuses of some accepted updates; they are unknown until their lanes bind them", "err", err)
	}
}
