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
	// errNotStored: the update did not get as far as the stream.
	errNotStored = errors.New("there was no time left to store it")
	// errDrained: the server is shutting down; the update did not get as far as the stream.
	errDrained = errors.New("shutting down")
)

// Times of publishing.
const (
	attemptTimeout = 2 * time.Second // of one attempt to publish; the next uses the same message id
	firstPause     = 10 * time.Millisecond
	maxPause       = 500 * time.Millisecond
)

// enveloper puts updates into envelopes: what has arrived while the last publish was in flight goes
// into the next, in the order of its arrival, a signed group whole. One goroutine (run) publishes; add may be called by
// any number.
type enveloper struct {
	publisher Publisher
	// accepted reports stored updates, soon or later; tokens are those of their claims.
	accepted func(ctx context.Context, refs []score.Ref, tokens []string)
	patience time.Duration // how long an update may wait for its publish, and a publish take
	instance string        // makes message ids unique among processes
	limit    int           // updates in an envelope; at least those of one unit
	metrics  *metrics
	tracer   trace.Tracer // nil: nothing is traced
	log      *slog.Logger

	in      chan *waiting
	stop    chan struct{} // closed: take no more, answer what is there
	ended   chan struct{} // closed by run: nothing will be answered any more
	next    *waiting      // run's: the unit that did not fit the last envelope begins the next; nil without one
	reports sync.WaitGroup
}

// unit is what is stored together or not at all: an update, or a signed group.
type unit struct {
	updates []score.Update
	claimed []score.Ref   // those of updates whose claims become their status
	token   string        // of those claims
	signed  *score.Signed // of a group: its kind and signature; nil for an update without
	request trace.Span    // nil: it is not traced
}

// singleUnit is an update that is not in a group.
func singleUnit(u score.Update) unit { return unit{updates: []score.Update{u}} }

// waiting is one unit and the request that waits for it to be durable.
type waiting struct {
	unit
	span     trace.Span // of storing it; nil: it is not traced
	deadline time.Time
	answer   chan error // has room for the one answer
}

// add returns when the unit is stored in the stream (nil), is known not to be (ErrFull, errNotStored, errDrained), or
// may or may not be (any other error). It does not return before that, even if the caller has stopped listening: the bound is
// twice the enveloper's patience, and the time that reporting takes.
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
	case <-e.ended: // w may have been put in after the last look
		select {
		case err := <-w.answer:
			return err
		default:
			return errDrained
		}
	}
}

// run publishes until stop is closed, and then until every request has an answer. ctx ends publishing at once.
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

// collect waits for one unit and takes all others that are there and fit, but not those whose time is up: their callers
// may be gone, and a retry may be on its way. The first that does not fit ends the envelope: what came after it waits
// behind it, or a stream of single updates could keep a group out forever. nil means stop.
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

// store makes one envelope durable and answers every request in it. That it is accepted is reported while the
// next envelope is on its way.
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

// envelopeOf puts the units one after the other; tokens are those of the claimed, in order.
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

// publish repeats the same message under the same id until it is stored, certainly refused, or out of time.
func (e *enveloper) publish(ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces []score.Traced) error {
	return persist(ctx, e.patience, e.metrics, func(ctx context.Context) (bool, error) {
		err := e.publisher.PublishEnvelope(ctx, msgID, updates, signed, traces...)
		return err == nil || notTaken(err), err
	})
}

// notTaken tells of an error that another attempt does not cure.
func notTaken(err error) bool {
	return errors.Is(err, score.ErrFull) || errors.Is(err, score.ErrHalted)
}

// persist calls attempt until it is done, with a deadline for each attempt and for all of them.
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
			return fmt.Errorf("not stored for certain after %v: %w", patience, err)
		}
	}
}
