package admin_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/admin"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
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
	server, err := admin.Listen(admin.Config{Addr: "127.0.0.1:0", Version: map[string]string{"version": "v1.2.3"}, Metrics: metrics, Health: &health, Log: slog.New(slog.DiscardHandler)})
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
	c := admin.Config{Addr: "127.0.0.1:0", Metrics: prometheus.NewRegistry(), Health: &admin.Health{}, Log: slog.New(slog.DiscardHandler)}
	first, err := admin.Listen(c)
	require.NoError(t, err)
	c.Addr = first.Addr()
	_, err = admin.Listen(c)
	require.ErrorContains(t, err, "address already in use")
}

// TestOnlyExpectedHostsAreAnswered: the name of a page elsewhere may lead here. What Prometheus and probes say is answered without a setting; /ops only
// at this machine's own names, and at those of the setting.
func TestOnlyExpectedHostsAreAnswered(t *testing.T) {
	t.Parallel()
	screens := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a screen") })
	logged := &fresh.Log{}
	var health admin.Health
	health.Started()
	server, err := admin.Listen(admin.Config{
		Addr: "127.0.0.1:0", Hosts: []string{"ops.example.com"}, Metrics: prometheus.NewRegistry(), Health: &health, Ops: screens,
		Log: slog.New(slog.NewTextHandler(logged, nil)),
	})
	require.NoError(t, err)
	drain, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(drain, t.Context()) }()
	status := func(method, path, host string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+server.Addr()+path, nil)
		require.NoError(t, err)
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	machines := []string{"/metrics", "/debug/pprof/", "/debug/pprof/goroutine", "/version", "/livez", "/readyz"}
	for host, expected := range map[string]struct{ machines, ops bool }{
		"localhost": {true, true}, "LOCALHOST:9100": {true, true}, "127.0.0.1:1": {true, true}, "127.0.0.2": {true, true}, "[::1]:9100": {true, true},
		"ops.example.com": {true, true}, "ops.example.com:443": {true, true}, "OPS.example.com.": {true, true},
		"10.0.0.7:9100": {true, false}, "[fd00::7]:9100": {true, false}, "192.168.1.2": {true, false}, // an address that Prometheus or a kubelet found
		"api:9100": {true, false}, "scorelay-api-admin.scores.svc:9100": {true, false}, "scorelay-api-admin.scores.svc.cluster.local.:9100": {true, false},
		"ip-10-0-0-7.ec2.internal:9100": {true, false},
		"evil.example:9100":             {}, "evil.example": {}, "localhost.evil.example": {}, "ops.example.com.evil.example": {}, "10.0.0.7.evil.example": {},
		"svc.evil.example": {}, "scorelay-api-admin.dev:9100": {}, "x.localhost": {},
	} {
		for _, path := range machines {
			require.Equal(t, expected.machines, status(http.MethodGet, path, host) == http.StatusOK, "%s %s", host, path)
		}
		for _, path := range []string{"/ops", "/ops/sign-in", "/ops/style.css"} {
			want := map[bool]int{true: http.StatusOK, false: http.StatusMisdirectedRequest}[expected.ops]
			require.Equal(t, want, status(http.MethodGet, path, host), "%s %s", host, path)
			require.Equal(t, want, status(http.MethodPost, path, host), "%s %s", host, path)
		}
	}
	require.Equal(t, 1, strings.Count(logged.String(), "names another host"), "once a minute at most")

	conn, err := net.Dial("tcp", server.Addr())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "GET /livez HTTP/1.0\r\n\r\n") // as some balancers probe
	require.NoError(t, err)
	told, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(told), " 200 OK")
	cancel()
	require.NoError(t, <-done)
}
