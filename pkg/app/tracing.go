package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/scorelay/scorelay/pkg/lifecycle"
)

// lastSpans is how long a process that ends waits for the collector to take its last spans.
const lastSpans = 2 * time.Second

// tracesPart begins the process's traces, if any are asked for. sampler says which; what waits for the collector is bounded, and
// what it does not take is dropped: nothing waits for it but the end of the process, for lastSpans.
func (p *process) tracesPart(t *Traces, sampler trace.Sampler) lifecycle.Part {
	var provider *trace.TracerProvider
	return lifecycle.Part{
		Name: "traces",
		Start: func(ctx context.Context) error {
			if t.OTLPEndpoint == "" {
				return nil
			}
			at, err := url.JoinPath(t.OTLPEndpoint, "v1", "traces")
			if err != nil {
				return fmt.Errorf("couldn't read OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
			}
			exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(at))
			if err != nil {
				return fmt.Errorf("couldn't make traces: %w", err)
			}
			about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(attribute.String("service.name", p.name),
				attribute.String("service.version", Version()), attribute.String("service.instance.id", hostName())), resource.WithFromEnv())
			if err != nil {
				return fmt.Errorf("couldn't make traces: %w", err)
			}
			provider = trace.NewTracerProvider(trace.WithResource(about), trace.WithSampler(sampler),
				trace.WithBatcher(&spanExporter{SpanExporter: exporter, log: p.log}))
			p.tracer = provider.Tracer("github.com/scorelay/scorelay")
			p.log.Info("traces go to a collector", "url", at)
			return nil
		},
		Stop: func(kill context.Context) error {
			if provider == nil {
				return nil
			}
			ctx, cancel := context.WithTimeout(kill, lastSpans)
			defer cancel()
			if err := provider.Shutdown(ctx); err != nil {
				p.log.Warn("the collector did not take the last spans; they are lost", "err", err)
			}
			return nil
		},
	}
}

// sampler says which requests are traced: by the names and in the words of OpenTelemetry.
func (s *APISettings) sampler() trace.Sampler {
	ratio := trace.TraceIDRatioBased(s.TraceRatio)
	switch s.TraceSampler {
	case "always_on":
		return trace.AlwaysSample()
	case "always_off":
		return trace.NeverSample()
	case "traceidratio":
		return ratio
	case "parentbased_always_on":
		return trace.ParentBased(trace.AlwaysSample())
	case "parentbased_always_off":
		return trace.ParentBased(trace.NeverSample())
	}
	return trace.ParentBased(ratio)
}

// spanExporter tells once that the collector does not take spans, and once that it does again. Its errors end here: the library
// would write each to stderr.
type spanExporter struct {
	trace.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

// ExportSpans sends spans, or drops them.
func (e *spanExporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !e.failing.Swap(true):
		e.log.Warn("the collector does not take spans; they are dropped until it does, and nothing else waits", "err", err)
	case err == nil && e.failing.Swap(false):
		e.log.Info("the collector takes spans again")
	}
	return nil
}
