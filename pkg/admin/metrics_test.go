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
