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

const lastSpans = 2 * time.Second

// tracesPart starts tracing, if an endpoint is set. The queue for the collector is bounded, and spans that it does
// not accept are dropped. Only the end of the process waits for the collector, up to lastSpans.
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

// usualRatio is the traced share of the requests that leave the decision to the API, if the sampler is unknown.
const usualRatio = 0.01

// errSampler is only logged, since OpenTelemetry's variable may name a sampler for other programs of the machine.
var errSampler = errors.New("OTEL_TRACES_SAMPLER names an unknown sampler")

// sampler returns the sampler of requests. With errSampler it also returns a default.
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

// spanExporter logs once when the collector rejects spans, and once when it accepts them again. It returns no errors,
// since the library would write each to stderr.
type spanExporter struct {
	trace.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

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
