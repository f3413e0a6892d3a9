package httpapi_test

import (
	"bytes"
	"encoding/json"
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
	return newBench(t, func(s *setup) { s.deps = func(d *httpapi.Deps) { d.Tracer = provider.Tracer("test") } }), recorder
}

// traced posts with a caller's trace.
func (b *bench) traced(path string, body any, change ...func(*http.Request)) response {
	b.t.Helper()
	data, err := json.Marshal(body)
	require.NoError(b.t, err)
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.url+path, bytes.NewReader(data))
	require.NoError(b.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", callersTrace)
	for _, f := range change {
		f(req)
	}
	return b.do(req)
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
	t.Parallel()
	b, recorder := newTracedBench(t)
	require.Equal(t, http.StatusOK, b.traced("/create-project", createBody(b.project)).status)
	require.Equal(t, http.StatusOK, b.traced("/update-score", b.update("one")).status)
	require.Equal(t, http.StatusOK, b.post("/update-score", b.update("two")).status)
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
	t.Parallel()
	b, recorder := newTracedBench(t)
	require.Equal(t, http.StatusUnauthorized, b.traced("/update-score", b.update("one"), func(r *http.Request) { r.Header.Set("X-API-KEY", "no") }).status)
	require.Empty(t, recorder.Ended())
	require.Equal(t, http.StatusBadRequest, b.traced("/update-score", b.update("one")).status)
	full := func() error { return score.ErrFull }
	b.publisher.before.Store(&full)
	require.Equal(t, http.StatusServiceUnavailable, b.traced("/create-project", createBody(b.project)).status)
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
	t.Parallel()
	b, recorder := newTracedBench(t)
	b.withProject()
	r := b.traced("/update-groups", object{"groups": []any{b.free("a", "b", "c"), b.free("d")}})
	require.Equal(t, http.StatusOK, r.status, r)
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
	families, err := b.metrics.Gather()
	require.NoError(b.t, err)
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, bucket := range m.GetHistogram().GetBucket() {
				for _, label := range bucket.GetExemplar().GetLabel() {
					traces = append(traces, label.GetValue())
				}
			}
		}
	}
	return traces
}
