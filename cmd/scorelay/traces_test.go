package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// receiver takes traces as an OpenTelemetry collector does: OTLP over HTTP.
type receiver struct {
	silent chan struct{} // until this is closed, nothing is answered

	mu    sync.Mutex
	spans []span
}

type span struct {
	*otlp.Span
	service string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var export collector.ExportTraceServiceRequest
	if err != nil || request.URL.Path != "/base/v1/traces" || request.Header.Get("Content-Type") != "application/x-protobuf" || proto.Unmarshal(body, &export) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	select {
	case <-r.silent:
	case <-request.Context().Done():
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range export.ResourceSpans {
		service := ""
		for _, a := range resource.Resource.Attributes {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				r.spans = append(r.spans, span{s, service})
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// find is the first span that is so.
func (r *receiver) find(is func(span) bool) (span, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.spans {
		if is(s) {
			return s, true
		}
	}
	return span{}, false
}

// await waits for a span.
func (r *receiver) await(t *testing.T, what string, is func(span) bool) (s span) {
	t.Helper()
	require.Eventually(t, func() (found bool) {
		s, found = r.find(is)
		return found
	}, 2*time.Minute, 50*time.Millisecond, what)
	return s
}

func (s span) is(service, name string) bool { return s.service == service && s.Name == name }

func (s span) value(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// TestTraces follows an update from HTTP to its outcome as a collector sees it, after a while in which the collector answered
// nothing, which no update noticed.
func TestTraces(t *testing.T) {
	t.Parallel()
	r := &receiver{silent: make(chan struct{})}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close) // after the stack, which ends within its time all the same
	s := startStack(t, "--otlp-endpoint", server.URL+"/base")
	info := s.info(t)
	client, at := dial(t, info, info.APIKey, 1), place(t, info)
	send := func() (score.UpdateID, sdk.Status) {
		u := at.Update(0)
		u.ID, u.Wallet = load.RandomID(), at.Updaters[0]
		require.NoError(t, client.Send(t.Context(), load.Alone(u), time.Now()).Err)
		statuses, err := client.UntilFinal(t.Context(), at.Project, u.ID)
		require.NoError(t, err)
		return u.ID, statuses[0]
	}
	_, _ = send() // while the collector is silent
	_, some := r.find(func(span) bool { return true })
	require.False(t, some)
	close(r.silent)
	id, status := send()

	outcome := r.await(t, "outcome", func(s span) bool {
		return s.is("scorelay-relayer", "outcome") && s.value("scorelay.update") == id.String()
	})
	behind := func(of span) func(span) bool {
		return func(s span) bool {
			return string(s.SpanId) == string(of.ParentSpanId) && string(s.TraceId) == string(of.TraceId)
		}
	}
	envelope := r.await(t, "envelope", behind(outcome))
	require.True(t, envelope.is("scorelay-api", "publish envelope"), envelope.Name)
	request := r.await(t, "request", behind(envelope))
	require.True(t, request.is("scorelay-api", "POST /update-score"), request.Name)
	require.Empty(t, request.ParentSpanId)

	require.Len(t, outcome.Links, 1)
	batch := r.await(t, "batch", func(s span) bool { return string(s.SpanId) == string(outcome.Links[0].SpanId) })
	require.True(t, batch.is("scorelay-relayer", "batch"), batch.Name)
	require.Len(t, batch.Links, 1)
	require.Equal(t, envelope.SpanId, batch.Links[0].SpanId)
	for _, name := range []string{"transaction", "settle"} {
		child := r.await(t, name, func(s span) bool { return s.Name == name && string(s.ParentSpanId) == string(batch.SpanId) })
		require.Equal(t, outcome.value("scorelay.tx"), child.value("scorelay.tx"))
	}
	require.Equal(t, status.Tx.Hex(), outcome.value("scorelay.tx"))
	s.audited(t)
}
