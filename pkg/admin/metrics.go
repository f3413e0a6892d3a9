package admin

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// gatherPause is the maximum age of metrics that are served again.
const gatherPause = time.Second

// Formats in the Accept header. Prometheus requests OpenMetrics, which has exemplars, by default.
const (
	plainText   = "text/plain"
	openMetrics = "application/openmetrics-text"
)

// Metrics serves Prometheus's text format, or OpenMetrics if requested. It gathers at most once a second: gathering
// costs milliseconds of CPU, and the Go runtime's metrics pause it for a moment.
func Metrics(metrics prometheus.Gatherer) http.Handler {
	gather := promhttp.HandlerFor(metrics, promhttp.HandlerOpts{DisableCompression: true, EnableOpenMetrics: true})
	return &exposition{gather: gather, now: time.Now, last: map[string]*recorded{}}
}

// exposition keeps the last response in each format. Requests during a gathering wait for it.
type exposition struct {
	gather http.Handler
	now    func() time.Time

	mu   sync.Mutex
	last map[string]*recorded
}

func (e *exposition) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	format := plainText
	if strings.Contains(r.Header.Get("Accept"), openMetrics) {
		format = openMetrics
	}
	answer := e.current(format)
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes())
}

func (e *exposition) current(format string) *recorded {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.last[format]
	if now := e.now(); last == nil || now.Sub(last.at) >= gatherPause {
		last = &recorded{at: now, status: http.StatusOK, header: http.Header{}}
		e.gather.ServeHTTP(last, &http.Request{Method: http.MethodGet, Header: http.Header{"Accept": {format}}})
		e.last[format] = last
	}
	return last
}

// recorded is immutable once gathered.
type recorded struct {
	at     time.Time
	status int
	header http.Header
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(status int)      { r.status = status }
func (r *recorded) Write(p []byte) (int, error) { return r.body.Write(p) }
