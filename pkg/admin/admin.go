// Package admin is the listener for operating a process: liveness, readiness, metrics and profiles. Only the
// operators' screens below /ops require a token, and profiles and metrics are private. So it listens on the loopback
// interface by default, and refuses requests from pages of other sites: see guard.
//
//	GET /livez          200 while the process can respond at all
//	GET /readyz         200 if it should get work; 503 while it starts, drains or has a failing check, with reasons
//	GET /version        the program's version, as JSON
//	GET /metrics        Prometheus; gathered at most once a second
//	/ops                screens for operators, of an API
//	GET /debug/pprof/   Go profiles, without cmdline: arguments may contain secrets
package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type Server struct {
	listener net.Listener
	http     *http.Server
}

// Config: all fields except Hosts and Ops are required.
type Config struct {
	Addr    string   // host:port; port 0 picks a free one
	Hosts   []string // further accepted host names, lower case, portless; see guard
	Version any
	Metrics prometheus.Gatherer
	Health  *Health
	Ops     http.Handler // /ops and below; nil if absent
	Log     *slog.Logger
}

// Listen opens the address at once, so that a taken port fails the start.
func Listen(c Config) (*Server, error) {
	told, err := json.MarshalIndent(c.Version, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("couldn't encode the version: %w", err)
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("couldn't open the admin listener: %w", err)
	}
	return &Server{
		listener: listener,
		http: &http.Server{
			Handler:           guard(handler(string(told), c.Metrics, c.Health, c.Ops), c.Hosts, c.Log),
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      2 * time.Minute, // for CPU profiles of a requested length
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    16 << 10,
			ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		},
	}, nil
}

func handler(version string, metrics prometheus.Gatherer, health *Health, ops http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, text, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, "application/json", http.StatusOK, version)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := health.Ready(r.Context()); err != nil {
			answer(w, text, http.StatusServiceUnavailable, err.Error())
			return
		}
		answer(w, text, http.StatusOK, "ok")
	})
	mux.Handle("GET /metrics", Metrics(metrics))
	if ops != nil {
		mux.Handle("/ops", ops)
		mux.Handle("/ops/", ops)
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

const text = "text/plain; charset=utf-8"

func answer(w http.ResponseWriter, kind string, status int, body string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}

func (s *Server) Addr() string { return s.listener.Addr().String() }

// Run serves until drain ends, then waits up to a second for requests in progress. If kill ends, it drops them.
func (s *Server) Run(drain, kill context.Context) error {
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(s.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("couldn't serve the admin listener: %w", err)
	case <-drain.Done():
	}
	ctx, cancel := context.WithTimeout(kill, time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close() // cuts off a running profile
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("couldn't serve the admin listener: %w", err)
	}
	return nil
}
