package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

// callersTrace is a caller's sampled span, in a header of W3C Trace Context.
const callersTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// newTracedBench traces what its callers do.
func newTracedBench(t *testing.T) (*bench, *tracetest.SpanRecorder) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder), sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.NeverSample())))
	return newBench(t, deps(func(d *httpapi.Deps) { d.Tracer = provider.Tracer("test") })), recorder
}

func valueOf(span sdktrace.ReadOnlySpan, key attribute.Key) any {
	for _, a := range span.Attributes() {
		if a.Key == key {
			return a.Value.AsInterface()
		}
	}
	return nil
}

func asTrace(c trace.SpanContext) score.Trace { return score.NewTrace(c.TraceID(), c.SpanID()) }

// traces are those that the stream has, of each message.
func (b *bench) traces() (traces [][]score.Traced) {
	for _, m := range b.messages(func(score.Message) bool { return true }) {
		traces = append(traces, m.Traces)
	}
	return traces
}

// TestARequestIsTracedIntoItsMessage: under the caller's trace, and only where the caller samples.
func TestARequestIsTracedIntoItsMessage(t *testing.T) {
	b, recorder := newTracedBench(t)
	b.post("/create-project", createBody(b.project), "Traceparent", callersTrace).ok()
	b.post("/update-score", b.update("one"), "Traceparent", callersTrace).ok()
	b.post("/update-score", b.update("two")).ok()
	spans := recorder.Ended()
	require.Len(t, spans, 4)
	for i, want := range []struct{ publish, request string }{
		{"publish creation", "POST /create-project"}, {"publish envelope", "POST /update-score"},
	} {
		publish, request := spans[2*i], spans[2*i+1]
		require.Equal(t, want.request, request.Name())
		require.Equal(t, trace.SpanKindServer, request.SpanKind())
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", request.SpanContext().TraceID().String())
		require.Equal(t, "b7ad6b7169203331", request.Parent().SpanID().String())
		require.EqualValues(t, http.StatusOK, valueOf(request, "http.response.status_code"))
		require.NotEmpty(t, valueOf(request, "scorelay.request"))
		require.Equal(t, want.publish, publish.Name())
		require.Equal(t, request.SpanContext().SpanID(), publish.Parent().SpanID())
		require.Equal(t, b.project.ID.String(), valueOf(publish, "scorelay.project"))
	}
	require.Equal(t, [][]score.Traced{
		{{Trace: asTrace(spans[0].SpanContext())}}, {{Trace: asTrace(spans[2].SpanContext())}}, nil,
	}, b.traces())
	require.Contains(t, b.exemplars("scorelay_api_request_seconds"), "0af7651916cd43dd8448eb211c80319c")
	require.Contains(t, b.exemplars("scorelay_api_publish_seconds"), "0af7651916cd43dd8448eb211c80319c")
}

// TestARefusedRequestIsTracedIfItsKeyIsValid: else anyone could fill the traces.
func TestARefusedRequestIsTracedIfItsKeyIsValid(t *testing.T) {
	b, recorder := newTracedBench(t)
	require.Equal(t, http.StatusUnauthorized, b.post("/update-score", b.update("one"), "Traceparent", callersTrace, "X-API-KEY", "no").status)
	require.Empty(t, recorder.Ended())
	require.Equal(t, http.StatusBadRequest, b.post("/update-score", b.update("one"), "Traceparent", callersTrace).status)
	b.publisher.refuse(score.ErrFull)
	require.Equal(t, http.StatusServiceUnavailable, b.post("/create-project", createBody(b.project), "Traceparent", callersTrace).status)
	spans := recorder.Ended()
	require.Len(t, spans, 3)
	require.Equal(t, "unknown_project", valueOf(spans[0], "error.type"))
	require.EqualValues(t, http.StatusBadRequest, valueOf(spans[0], "http.response.status_code"))
	require.Equal(t, codes.Unset, spans[0].Status().Code, "the caller's fault")
	require.Equal(t, codes.Error, spans[1].Status().Code)
	require.Equal(t, codes.Error, spans[2].Status().Code)
}

// TestTheGroupsOfARequestShareItsTrace: each has a span of its own in it.
func TestTheGroupsOfARequestShareItsTrace(t *testing.T) {
	b, recorder := newTracedBench(t)
	b.withProject()
	b.post("/update-groups", object{"groups": []any{b.free("a", "b", "c"), b.free("d")}}, "Traceparent", callersTrace).ok()
	spans := recorder.Ended()
	require.Len(t, spans, 3)
	carried := map[score.Trace]bool{}
	for _, traces := range b.traces() {
		for _, traced := range traces {
			carried[traced.Trace] = true
		}
	}
	require.Equal(t, map[score.Trace]bool{asTrace(spans[0].SpanContext()): true, asTrace(spans[1].SpanContext()): true}, carried)
	require.Equal(t, "POST /update-groups", spans[2].Name())
}

// exemplars are the traces that a histogram has as examples.
func (b *bench) exemplars(name string) (traces []string) {
	for _, m := range b.metric(name) {
		for _, bucket := range m.GetHistogram().GetBucket() {
			for _, label := range bucket.GetExemplar().GetLabel() {
				traces = append(traces, label.GetValue())
			}
		}
	}
	return traces
}
