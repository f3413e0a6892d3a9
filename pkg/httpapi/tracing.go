package httpapi

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	spanEnvelope = "publish envelope"
	spanCreation = "publish creation"
	spanEdit     = "publish edit"
)

// traced adds a span to the caller's trace. The span begins after the key's validation, so that only callers with a
// key can fill the traces.
func (s *Server) traced(handle handler) handler {
	if s.deps.Tracer == nil {
		return handle
	}
	return func(c *fiber.Ctx, by *caller) *Problem {
		ctx := propagation.TraceContext{}.Extract(context.Background(), requestHeaders{c})
		method, route := strings.Clone(c.Method()), c.Route().Path
		_, span := s.deps.Tracer.Start(ctx, method+" "+route, trace.WithSpanKind(trace.SpanKindServer))
		if !span.IsRecording() {
			return handle(c, by)
		}
		span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
			attribute.String("scorelay.request", requestID(c)), attribute.String("scorelay.key", by.Key))
		c.Locals(spanKey{}, span)
		status := fiber.StatusInternalServerError // stays so if handle panics
		defer func() {
			span.SetAttributes(attribute.Int("http.response.status_code", status))
			if status >= fiber.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		p := handle(c, by)
		if status = c.Response().StatusCode(); p != nil {
			status = p.Status
			span.SetAttributes(attribute.String("error.type", p.Code))
		}
		return p
	}
}

// requestHeaders gives the propagator copies, since fasthttp reuses the request's memory.
type requestHeaders struct{ c *fiber.Ctx }

func (h requestHeaders) Get(name string) string { return strings.Clone(h.c.Get(name)) }
func (requestHeaders) Set(string, string)       {}
func (requestHeaders) Keys() []string           { return nil }

// spanOf returns nil if the request is unsampled.
func (s *Server) spanOf(c *fiber.Ctx) trace.Span {
	if s.deps.Tracer == nil {
		return nil
	}
	span, _ := c.Locals(spanKey{}).(trace.Span)
	return span
}

type spanKey struct{}

// publishes starts the span of a publish; nil if the request is untraced.
func publishes(tracer trace.Tracer, request trace.Span, name string, project score.ProjectID) trace.Span {
	if request == nil {
		return nil
	}
	_, span := tracer.Start(trace.ContextWithSpan(context.Background(), request), name, trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(attribute.String("scorelay.project", project.String())))
	return span
}

func published(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

func carried(span trace.Span) score.Trace {
	c := span.SpanContext()
	return score.NewTrace(c.TraceID(), c.SpanID())
}

// tracesOf returns the traces of an envelope's units, and describes the envelope in their spans; sampled is one of
// these, or nil.
func tracesOf(msgID string, units []*waiting, updates int) (traces []score.Traced, sampled trace.Span) {
	at := 0
	for _, w := range units {
		if w.span != nil {
			w.span.SetAttributes(attribute.String("scorelay.message", msgID), attribute.Int("scorelay.envelope.updates", updates))
			traces, sampled = append(traces, score.Traced{Index: at, Trace: carried(w.span)}), w.span
		}
		at += len(w.updates)
	}
	return traces, sampled
}

// observe adds the span's trace as an exemplar unless span is nil.
func observe(o prometheus.Observer, value float64, span trace.Span) {
	if span == nil {
		o.Observe(value)
		return
	}
	o.(prometheus.ExemplarObserver).ObserveWithExemplar(value, prometheus.Labels{"trace_id": span.SpanContext().TraceID().String()})
}
