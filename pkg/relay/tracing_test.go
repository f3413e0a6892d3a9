package relay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/score"
)

// tracedWorld is a world whose relayers trace.
func tracedWorld(t *testing.T) (*world, *tracetest.SpanRecorder, trace.Tracer) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	return newWorld(t, 1), recorder, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
}

func traceOf(n byte) score.Trace { return score.Trace{15: n, 23: n} }

// named are the spans of a name, in order of their ends.
func named(recorder *tracetest.SpanRecorder, name string) (spans []sdktrace.ReadOnlySpan) {
	return slices.DeleteFunc(recorder.Ended(), func(s sdktrace.ReadOnlySpan) bool { return s.Name() != name })
}

// under are the spans that continue a trace.
func under(spans []sdktrace.ReadOnlySpan, t score.Trace) (found []sdktrace.ReadOnlySpan) {
	return slices.DeleteFunc(slices.Clone(spans), func(s sdktrace.ReadOnlySpan) bool { return s.Parent().SpanID() != trace.SpanID(t[16:]) })
}

func valueOf(span sdktrace.ReadOnlySpan, key attribute.Key) any {
	for _, a := range span.Attributes() {
		if a.Key == key {
			return a.Value.AsInterface()
		}
	}
	return nil
}

// TestTracesGoOnInTheNextSession: from the envelope to the outcomes, while the relayer that bound the work ends before it is
// in a block.
func TestTracesGoOnInTheNextSession(t *testing.T) {
	t.Parallel()
	w, recorder, tracer := tracedWorld(t)
	p := w.project(1)
	require.NoError(t, w.stream.PublishProject(t.Context(), p.Name, p, 0, score.Traced{Trace: traceOf(1)}))
	deps := w.deps()
	deps.Tracer = tracer
	stop := w.start(w.config(), deps)
	w.drain()
	require.Len(t, under(named(recorder, "outcome"), traceOf(1)), 1)
	creation := named(recorder, "batch")
	require.Len(t, creation, 1)
	require.Equal(t, "creation", valueOf(creation[0], "scorelay.work"))

	e := &envelope{}
	e.add(some(1, 0, 3)...)
	w.sign(e, score.KindFree, some(1, 3, 4))
	e.updates[2].Signer = common.Address{0xde, 0xad}
	e.traces = []score.Traced{{Index: 0, Trace: traceOf(2)}, {Index: 2, Trace: traceOf(3)}, {Index: 3, Trace: traceOf(4)}}
	w.acceptEnvelope(e)
	require.Eventually(t, func() bool { return len(named(recorder, "batch")) == 2 }, 2*time.Minute, 10*time.Millisecond)
	stop()
	require.Empty(t, under(named(recorder, "outcome"), traceOf(2)))
	deps = w.deps()
	deps.Tracer = tracer
	w.start(w.config(), deps)
	w.drain()
	w.audit()

	batch := named(recorder, "batch")[1]
	require.False(t, batch.Parent().IsValid(), "a trace of its own")
	require.Len(t, batch.Links(), 3)
	for i, link := range batch.Links() {
		require.Equal(t, trace.SpanID(e.traces[i].Trace[16:]), link.SpanContext.SpanID())
	}
	require.EqualValues(t, 7, valueOf(batch, "scorelay.batch.updates"))
	own := batch.SpanContext()
	inBatch := func(name string) (spans []sdktrace.ReadOnlySpan) {
		return slices.DeleteFunc(named(recorder, name), func(s sdktrace.ReadOnlySpan) bool { return s.Parent().SpanID() != own.SpanID() })
	}
	require.Len(t, inBatch("settle"), 1)
	sent := inBatch("transaction")
	require.NotEmpty(t, sent)
	last := sent[len(sent)-1]
	require.Equal(t, valueOf(batch, "scorelay.tx"), valueOf(last, "scorelay.tx"))
	if valueOf(last, "scorelay.block") == nil {
		require.Len(t, sent, 1, "it lasts until a block has it, or its session ends: a block had it when the next one began")
	}
	for n, want := range map[byte]struct {
		outcome attribute.Key
		count   int
		status  codes.Code
	}{
		2: {"scorelay.outcome.applied", 1, codes.Unset}, 3: {"scorelay.outcome.not_member", 1, codes.Error}, 4: {"scorelay.outcome.applied", 4, codes.Unset},
	} {
		outcomes := under(named(recorder, "outcome"), traceOf(n))
		require.Len(t, outcomes, 1)
		require.EqualValues(t, want.count, valueOf(outcomes[0], want.outcome))
		require.Equal(t, want.status, outcomes[0].Status().Code)
		require.Equal(t, valueOf(batch, "scorelay.tx"), valueOf(outcomes[0], "scorelay.tx"))
		require.Len(t, outcomes[0].Links(), 1)
		require.Equal(t, own.TraceID(), outcomes[0].Links()[0].SpanContext.TraceID())
	}
}

// TestABatchIsTracedUpToABound: its journal entry and its span stay small where everything is traced.
func TestABatchIsTracedUpToABound(t *testing.T) {
	t.Parallel()
	w, recorder, tracer := tracedWorld(t)
	w.create(1)
	e := &envelope{updates: some(1, 0, 300)}
	for i := range e.updates {
		e.traces = append(e.traces, score.Traced{Index: i, Trace: score.Trace{15: 1, 22: byte(i >> 8), 23: byte(i + 1)}})
	}
	e.traces = slices.DeleteFunc(e.traces, func(t score.Traced) bool { return !t.Trace.Valid() })
	w.acceptEnvelope(e)
	config, deps := w.config(), w.deps()
	config.Limits.MaxUpdates, deps.Tracer = 300, tracer
	w.start(config, deps)
	w.drain()
	require.Equal(t, 300, w.audit()[score.Applied])
	require.Len(t, named(recorder, "outcome"), 128)
	require.Len(t, named(recorder, "batch")[0].Links(), 128)
}
