package admin_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/admin"
)

func TestEndpoints(t *testing.T) {
	t.Parallel()
	metrics := prometheus.NewRegistry()
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "scorelay_test_total", Help: "Of this test."})
	metrics.MustRegister(counter)
	counter.Inc()
	var health admin.Health
	var broken atomic.Bool
	health.Add(admin.Check{Name: "fine", Ready: func(context.Context) error { return nil }})
	health.Add(admin.Check{Name: "nats", Ready: func(context.Context) error {
		if broken.Load() {
			return errors.New("not connected")
		}
		return nil
	}})
	server, err := admin.Listen("127.0.0.1:0", map[string]string{"version": "v1.2.3"}, metrics, &health, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	drain, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(drain, t.Context()) }()

	get := func(path string) (int, string) {
		resp, err := http.Get("http://" + server.Addr() + path)
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	expect := func(path string, status int, text string) {
		t.Helper()
		gotStatus, gotText := get(path)
		require.Equal(t, status, gotStatus)
		require.Contains(t, gotText, text)
	}
	expect("/livez", http.StatusOK, "ok")
	expect("/version", http.StatusOK, `"version": "v1.2.3"`)
	expect("/readyz", http.StatusServiceUnavailable, "starting")
	health.Waiting("waiting for NATS at nats:4222")
	expect("/readyz", http.StatusServiceUnavailable, "waiting for NATS at nats:4222")
	health.Waiting("")
	expect("/readyz", http.StatusServiceUnavailable, "starting")
	health.Started()
	expect("/readyz", http.StatusOK, "ok")
	broken.Store(true)
	expect("/readyz", http.StatusServiceUnavailable, "nats: not connected")
	broken.Store(false)
	expect("/metrics", http.StatusOK, "scorelay_test_total 1")
	expect("/debug/pprof/goroutine?debug=1", http.StatusOK, "goroutine profile")
	expect("/debug/pprof/cmdline", http.StatusNotFound, "")
	expect("/nothing", http.StatusNotFound, "")
	health.Drain()
	expect("/readyz", http.StatusServiceUnavailable, "draining")
	cancel()
	require.NoError(t, <-done)
}

func TestATakenAddressIsAnErrorOfTheStart(t *testing.T) {
	t.Parallel()
	first, err := admin.Listen("127.0.0.1:0", nil, prometheus.NewRegistry(), &admin.Health{}, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = admin.Listen(first.Addr(), nil, prometheus.NewRegistry(), &admin.Health{}, nil, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "address already in use")
}
