package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

// TestACollectorThatTakesNothingIsToldOnceAndHoldsNoEndUp: whether it refuses, or never answers.
func TestACollectorThatTakesNothingIsToldOnceAndHoldsNoEndUp(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.CloseClientConnections)
	for endpoint, line := range map[string]string{
		"http://127.0.0.1:1": "the collector does not take spans",
		silent.URL:           "the collector did not take the last spans",
	} {
		log := &fresh.Log{} // the exporter may go on behind its Stop
		p := newProcess("test", slog.New(slog.NewTextHandler(log, nil)))
		part := p.tracesPart(&Traces{OTLPEndpoint: endpoint}, trace.AlwaysSample())
		require.NoError(t, part.Start(t.Context()))
		for range 3 {
			_, span := p.tracer.Start(context.Background(), "span")
			span.End()
		}
		require.NoError(t, part.Stop(t.Context()))
		require.Contains(t, log.String(), line)
	}
}

func TestWithoutACollectorNothingIsTraced(t *testing.T) {
	t.Parallel()
	p := newProcess("test", slog.New(slog.DiscardHandler))
	part := p.tracesPart(&Traces{}, trace.AlwaysSample())
	require.NoError(t, part.Start(t.Context()))
	require.Nil(t, p.tracer)
	require.NoError(t, part.Stop(t.Context()))
}

func TestSamplers(t *testing.T) {
	t.Parallel()
	const parent = ",remoteParentSampled:AlwaysOnSampler,remoteParentNotSampled:AlwaysOffSampler,localParentSampled:AlwaysOnSampler,localParentNotSampled:AlwaysOffSampler}"
	for name, want := range map[string]string{
		"always_on": "AlwaysOnSampler", "always_off": "AlwaysOffSampler", "traceidratio": "TraceIDRatioBased{0.25}",
		"parentbased_always_on":    "ParentBased{root:AlwaysOnSampler" + parent,
		"parentbased_always_off":   "ParentBased{root:AlwaysOffSampler" + parent,
		"parentbased_traceidratio": "ParentBased{root:TraceIDRatioBased{0.25}" + parent,
	} {
		s := APISettings{TraceSampler: name, TraceRatio: "0.25"}
		sampler, err := s.sampler()
		require.NoError(t, err)
		require.Equal(t, want, sampler.Description())
	}
	s := APISettings{TraceSampler: "parentbased_jaeger_remote", TraceRatio: "endpoint=http://localhost:14250"}
	sampler, err := s.sampler()
	require.ErrorIs(t, err, errSampler)
	require.Equal(t, "ParentBased{root:TraceIDRatioBased{0.01}"+parent, sampler.Description())
}
