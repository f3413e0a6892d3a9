package admin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// TestMetricsAreGatheredOnceASecond: however many ask at once; who asks later gets newer ones.
func TestMetricsAreGatheredOnceASecond(t *testing.T) {
	t.Parallel()
	var gathered atomic.Int64
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "scorelay_test_gathered_total", Help: "Of this test."},
		func() float64 { return float64(gathered.Add(1)) }))
	metrics := Metrics(registry).(*exposition)
	var clock atomic.Int64
	metrics.now = func() time.Time { return time.Unix(0, clock.Load()) }
	server := httptest.NewServer(metrics)
	defer server.Close()
	scrape := func() string {
		resp, err := http.Get(server.URL)
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Equal(t, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", resp.Header.Get("Content-Type"))
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(body)
	}
	var asking sync.WaitGroup
	for range 50 {
		asking.Go(func() { require.Contains(t, scrape(), "scorelay_test_gathered_total 1\n") })
	}
	asking.Wait()
	clock.Store(int64(gatherPause - 1))
	require.Contains(t, scrape(), "scorelay_test_gathered_total 1\n")
	clock.Store(int64(gatherPause))
	require.Contains(t, scrape(), "scorelay_test_gathered_total 2\n")
	require.EqualValues(t, 2, gathered.Load())
}

// TestOpenMetricsHaveExemplars: the text format has no place for them.
func TestOpenMetricsHaveExemplars(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "scorelay_test_seconds", Help: "Of this test.", Buckets: []float64{1}})
	registry.MustRegister(seconds)
	seconds.(prometheus.ExemplarObserver).ObserveWithExemplar(0.5, prometheus.Labels{"trace_id": "0af7"})
	metrics := Metrics(registry)
	for accept, c := range map[string]struct{ kind, line string }{
		"*/*": {"text/plain", "scorelay_test_seconds_bucket{le=\"1\"} 1\n"},
		"application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5": {
			"application/openmetrics-text", "scorelay_test_seconds_bucket{le=\"1.0\"} 1 # {trace_id=\"0af7\"} 0.5 ",
		},
	} {
		request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		request.Header.Set("Accept", accept)
		answer := httptest.NewRecorder()
		metrics.ServeHTTP(answer, request)
		require.Contains(t, answer.Header().Get("Content-Type"), c.kind)
		require.Contains(t, answer.Body.String(), c.line)
	}
}
