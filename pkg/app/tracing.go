package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
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

// Which requests are traced where nothing, or a sampler of others, is set: 1 % of those of which the caller says nothing.
const usualRatio = 0.01

// errSampler says that OpenTelemetry's variable names a sampler that others have. It may be set for all that runs on a machine.
var errSampler = errors.New("OTEL_TRACES_SAMPLER names an unknown sampler")

// sampler says which requests are traced: by the names and in the words of OpenTelemetry. Besides errSampler it returns the default.
func (s *APISettings) sampler() (trace.Sampler, error) {
	switch s.TraceSampler {
	case "always_on":
		return trace.AlwaysSample(), nil
	case "always_off":
		return trace.NeverSample(), nil
	case "parentbased_always_on":
		return trace.ParentBased(trace.AlwaysSample()), nil
	case "parentbased_always_off":
		return trace.ParentBased(trace.NeverSample()), nil
	case "traceidratio", "parentbased_traceidratio":
	default:
		return trace.ParentBased(trace.TraceIDRatioBased(usualRatio)), fmt.Errorf("%w: %q", errSampler, s.TraceSampler)
	}
	part, err := strconv.ParseFloat(s.TraceRatio, 64)
	if err != nil || !(part >= 0 && part <= 1) {
		return nil, fmt.Errorf("no number from 0 to 1: %q", s.TraceRatio)
	}
	ratio := trace.TraceIDRatioBased(part)
	if s.TraceSampler == "traceidratio" {
		return ratio, nil
	}
	return trace.ParentBased(ratio), nil
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
