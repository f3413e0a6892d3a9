package relay

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// maxTraced bounds a transaction's traced units, in its span's links and its journal entry. Traces of further units
// end at the stream.
const maxTraced = 128

// tracer makes a session's spans, for work that the API traced; a nil tracer makes none. The journal contains all
// that outlives the session (lane.WorkTrace), so that the next one continues the traces.
type tracer struct {
	spans   trace.Tracer
	lane    attribute.KeyValue
	pending map[uint64]pendingSpan // by nonce: sent transactions in no known block
}

type pendingSpan struct {
	trace.Span
	tx common.Hash
}

func newTracer(spans trace.Tracer, id score.Lane) *tracer {
	if spans == nil {
		return nil
	}
	return &tracer{spans: spans, lane: attribute.Int("scorelay.lane", int(id)), pending: map[uint64]pendingSpan{}}
}

// of returns the traces of new work, or nil. units are those at the places; nil for a creation or an edit.
func (t *tracer) of(places []*place, units []batch.Waiting) *lane.WorkTrace {
	if t == nil {
		return nil
	}
	var work *lane.WorkTrace
	for i, p := range places {
		if p.trace == nil {
			continue
		}
		if work == nil {
			work = &lane.WorkTrace{}
		}
		unit := lane.TracedUnit{Project: p.project, Count: int(p.Count), Trace: *p.trace}
		if units != nil {
			unit.Update = units[i].Unit.Updates[0].ID
		}
		if work.Units = append(work.Units, unit); len(work.Units) == maxTraced {
			break
		}
	}
	return work
}

// binds begins the span of assigning work to a nonce. New work gets a new trace, with links to the API's; work that
// lost its slot continues its trace.
func (t *tracer) binds(work *lane.Work, nonce uint64) trace.Span {
	if t == nil || work.Trace == nil {
		return nil
	}
	options := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(t.lane, nonceOf(nonce),
			attribute.String("scorelay.work", string(work.Kind)), attribute.Int("scorelay.batch.updates", work.Count)),
	}
	if work.Trace.Batch.Valid() {
		_, span := t.spans.Start(under(work.Trace.Batch), "batch", options...)
		return span
	}
	links := make([]trace.Link, len(work.Trace.Units))
	for i := range links {
		links[i].SpanContext = contextOf(work.Trace.Units[i].Trace)
	}
	_, span := t.spans.Start(context.Background(), "batch", append(options, trace.WithLinks(links...))...)
	own := span.SpanContext()
	work.Trace.Batch = score.NewTrace(own.TraceID(), own.SpanID())
	return span
}

func (t *tracer) bound(span trace.Span, slot *lane.Slot) {
	if span != nil {
		span.SetAttributes(txOf(slot.Last().Hash))
		span.End()
	}
}

// sent begins a transaction's span at its first broadcast by this session.
func (t *tracer) sent(slot *lane.Slot, class txpool.Class) {
	if t == nil || slot.Work.Trace == nil {
		return
	}
	last := slot.Last()
	if before, sent := t.pending[slot.Nonce]; sent {
		if before.tx == last.Hash {
			return
		}
		before.SetAttributes(attribute.Bool("scorelay.replaced", true))
		before.End()
	}
	_, span := t.spans.Start(under(slot.Work.Trace.Batch), "transaction", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		t.lane, nonceOf(slot.Nonce), txOf(last.Hash), attribute.Int("scorelay.attempt", len(slot.Attempts)),
		attribute.String("scorelay.send.class", class.String())))
	t.pending[slot.Nonce] = pendingSpan{span, last.Hash}
}

// staged ends a slot's span when a block contains one of its attempts.
func (t *tracer) staged(nonce uint64, stage score.Stage, tx common.Hash, block uint64) {
	if t == nil || stage < score.Included {
		return
	}
	if pending, is := t.pending[nonce]; is {
		pending.SetAttributes(txOf(tx), blockOf(block))
		pending.End()
		delete(t.pending, nonce)
	}
}

// ended makes the spans of work's end, once journaled: one in the batch's trace, and one in each traced unit's.
func (t *tracer) ended(work *lane.Work, began time.Time, end *ending) {
	if t == nil || work.Trace == nil {
		return
	}
	where := trace.WithAttributes(t.lane, nonceOf(end.entry.Nonce), txOf(end.entry.Tx), blockOf(end.entry.Block.Number))
	t.staged(end.entry.Nonce, score.Final, end.entry.Tx, end.entry.Block.Number)
	_, settles := t.spans.Start(under(work.Trace.Batch), "settle", trace.WithTimestamp(began), where,
		trace.WithAttributes(attribute.String("scorelay.result", string(end.entry.Result))))
	if end.entry.Result != lane.Done {
		settles.SetStatus(codes.Error, "the transaction did not carry the work, which is bound again")
	}
	settles.End()
	t.outcomes(work, began, end.refs, end.outcomes, where)
}

func (t *tracer) dropped(work *lane.Work, began time.Time, refs []score.Ref, outcomes []score.Outcome, reason string) {
	if t != nil && work.Trace != nil {
		t.outcomes(work, began, refs, outcomes, trace.WithAttributes(t.lane, attribute.String("scorelay.reason", reason)))
	}
}

// outcomes makes a span for each traced unit among the refs, with its number of updates by outcome.
func (t *tracer) outcomes(work *lane.Work, began time.Time, refs []score.Ref, outcomes []score.Outcome, where trace.SpanStartOption) {
	places := make(map[score.Ref]int, len(refs))
	for i := range refs {
		// Ref.Update is zero for a creation or an edit, as is TracedUnit.Update
		places[score.UpdateRef(refs[i].Project, refs[i].Update)] = i
	}
	for _, unit := range work.Trace.Units {
		first, here := places[score.UpdateRef(unit.Project, unit.Update)]
		if !here {
			continue
		}
		counts, rejected := map[score.Outcome]int{}, false
		for _, outcome := range outcomes[first:min(first+unit.Count, len(outcomes))] {
			counts[outcome]++
			rejected = rejected || outcome.Rejected()
		}
		_, span := t.spans.Start(under(unit.Trace), "outcome", trace.WithTimestamp(began), trace.WithSpanKind(trace.SpanKindConsumer), where,
			trace.WithLinks(trace.Link{SpanContext: contextOf(work.Trace.Batch)}),
			trace.WithAttributes(attribute.String("scorelay.project", unit.Project.String()), attribute.String("scorelay.update", unit.Update.String())))
		for outcome, n := range counts {
			span.SetAttributes(attribute.Int("scorelay.outcome."+outcome.String(), n))
		}
		if rejected {
			span.SetStatus(codes.Error, "the contract did not apply it")
		}
		span.End()
	}
}

func (t *tracer) close() {
	if t == nil {
		return
	}
	for _, pending := range t.pending {
		pending.SetAttributes(attribute.Bool("scorelay.session_ended", true))
		pending.End()
	}
}

func under(t score.Trace) context.Context {
	return trace.ContextWithRemoteSpanContext(context.Background(), contextOf(t))
}

func contextOf(t score.Trace) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(t[:16]), SpanID: trace.SpanID(t[16:]), TraceFlags: trace.FlagsSampled, Remote: true,
	})
}

func nonceOf(nonce uint64) attribute.KeyValue { return attribute.Int64("scorelay.nonce", int64(nonce)) }

func txOf(tx common.Hash) attribute.KeyValue { return attribute.String("scorelay.tx", tx.Hex()) }

func blockOf(block uint64) attribute.KeyValue { return attribute.Int64("scorelay.block", int64(block)) }

// observe records a value, with the trace of its work, if any, as exemplar.
func observe(o prometheus.Observer, value float64, work *lane.WorkTrace) {
	if work == nil {
		o.Observe(value)
		return
	}
	o.(prometheus.ExemplarObserver).ObserveWithExemplar(value, prometheus.Labels{"trace_id": hex.EncodeToString(work.Batch[:16])})
}
