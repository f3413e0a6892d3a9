package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	errNotStored = errors.New("there was no time left to store it")
	errDrained   = errors.New("shutting down")
)

const (
	attemptTimeout = 2 * time.Second // per attempt; the next one uses the same message id
	firstPause     = 10 * time.Millisecond
	maxPause       = 500 * time.Millisecond
)

// enveloper packs updates into envelopes. Updates that arrive during a publish share the next envelope, in order of
// arrival; a signed group stays whole. One goroutine (run) publishes; add is safe for concurrent use.
type enveloper struct {
	publisher Publisher
	// accepted reports stored updates, now or later; tokens are those of their claims.
	accepted func(ctx context.Context, refs []score.Ref, tokens []string)
	patience time.Duration // limit of an update's wait for its publish, and of the publish
	instance string        // makes message ids unique across processes
	limit    int           // updates per envelope, at least those of one unit
	metrics  *metrics
	tracer   trace.Tracer // nil if untraced
	log      *slog.Logger

	in      chan *waiting
	stop    chan struct{} // if closed: refuse new units, answer the rest
	ended   chan struct{} // closed by run when all answers are sent
	next    *waiting      // owned by run: unit that did not fit the last envelope; nil if none
	reports sync.WaitGroup
}

// unit is an update or a signed group; it is stored whole.
type unit struct {
	updates []score.Update
	claimed []score.Ref   // the updates that the request has claimed
	token   string        // of those claims
	signed  *score.Signed // nil for a single update
	request trace.Span    // nil if untraced
}

func singleUnit(u score.Update) unit { return unit{updates: []score.Update{u}} }

type waiting struct {
	unit
	span     trace.Span // of the publish; nil if untraced
	deadline time.Time
	answer   chan error // buffered for the one answer
}

// add returns nil if the unit is stored in the stream; ErrFull, errNotStored or errDrained if it certainly is not.
// After any other error the unit may be stored. add waits even if the caller disconnects: at most twice the
// enveloper's patience, and the time of the report.
func (e *enveloper) add(u unit) (err error) {
	w := &waiting{unit: u, span: publishes(e.tracer, u.request, spanEnvelope, u.updates[0].Project), deadline: time.Now().Add(e.patience), answer: make(chan error, 1)}
	defer func() { published(w.span, err) }()
	select {
	case e.in <- w:
	case <-e.stop:
		return errDrained
	}
	select {
	case err := <-w.answer:
		return err
	case <-e.ended: // w may have arrived after run's last look
		select {
		case err := <-w.answer:
			return err
		default:
			return errDrained
		}
	}
}

// run publishes until stop is closed, then answers the remaining requests. The end of ctx ends publishing at once.
func (e *enveloper) run(ctx context.Context) {
	defer close(e.ended)
	for n := uint64(1); ; n++ {
		units := e.collect()
		if units == nil {
			break
		}
		e.store(ctx, e.instance+"-"+strconv.FormatUint(n, 36), units)
	}
	for {
		select {
		case w := <-e.in:
			w.answer <- errDrained
		default:
			e.reports.Wait()
			return
		}
	}
}

// collect waits for one unit and adds all waiting units that fit; nil means stop. It refuses expired units, since
// their callers may be gone or retrying. The first unit that does not fit ends the envelope, or a stream of single
// updates could keep a group out forever.
func (e *enveloper) collect() []*waiting {
	var units []*waiting
	size := 0
	take := func(w *waiting) {
		switch {
		case !time.Now().Before(w.deadline):
			w.answer <- errNotStored
		case size+len(w.updates) > e.limit:
			e.next = w
		default:
			units, size = append(units, w), size+len(w.updates)
		}
	}
	if w := e.next; w != nil {
		e.next = nil
		take(w)
	}
	for len(units) == 0 {
		select {
		case w := <-e.in:
			take(w)
		case <-e.stop:
			return nil
		}
	}
	for size < e.limit && e.next == nil {
		select {
		case w := <-e.in:
			take(w)
		default:
			return units
		}
	}
	return units
}

// store publishes one envelope and answers all its requests. It reports their acceptance while the next one is
// published.
func (e *enveloper) store(ctx context.Context, msgID string, units []*waiting) {
	updates, signed, claimed, tokens := envelopeOf(units)
	traces, sampled := tracesOf(msgID, units, len(updates))
	observe(e.metrics.envelope, float64(len(updates)), sampled)
	began := time.Now()
	err := e.publish(ctx, msgID, updates, signed, traces)
	observe(e.metrics.publish, time.Since(began).Seconds(), sampled)
	if err != nil {
		e.log.Warn("the API could not store an envelope durably; it asks its callers to retry",
			"updates", len(updates), "err", err)
		for _, w := range units {
			w.answer <- err
		}
		return
	}
	e.reports.Go(func() {
		e.accepted(ctx, claimed, tokens)
		for _, w := range units {
			w.answer <- nil
		}
	})
}

// envelopeOf concatenates the units; tokens are those of claimed, in order.
func envelopeOf(units []*waiting) (updates []score.Update, signed []score.Signed, claimed []score.Ref, tokens []string) {
	for _, w := range units {
		if w.signed != nil {
			group := *w.signed
			group.First, group.Count = len(updates), len(w.updates)
			signed = append(signed, group)
		}
		updates = append(updates, w.updates...)
		claimed = append(claimed, w.claimed...)
		tokens = append(tokens, slices.Repeat([]string{w.token}, len(w.claimed))...)
	}
	return updates, signed, claimed, tokens
}

// publish repeats the message under one id until it is stored, another try is useless (notTaken), or time is up.
func (e *enveloper) publish(ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces []score.Traced) error {
	return persist(ctx, e.patience, e.metrics, func(ctx context.Context) (bool, error) {
		err := e.publisher.PublishEnvelope(ctx, msgID, updates, signed, traces...)
		return err == nil || notTaken(err), err
	})
}

// notTaken reports whether another try is useless: the stream is full, or accepting is halted.
func notTaken(err error) bool {
	return errors.Is(err, score.ErrFull) || errors.Is(err, score.ErrHalted)
}

// persist repeats attempt until it is done. It limits the time of each attempt and of all together.
func persist(ctx context.Context, patience time.Duration, m *metrics, attempt func(context.Context) (done bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		limited, cancel := context.WithTimeout(ctx, attemptTimeout)
		done, err := attempt(limited)
		cancel()
		if done {
			return err
		}
		m.retries.Inc()
		if retry.Sleep(ctx, pause) != nil {
			return fmt.Errorf("after %v it is unknown whether it is stored: %w", patience, err)
		}
	}
}
