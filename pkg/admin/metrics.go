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

// gatherPause is how old metrics may be that are served again.
const gatherPause = time.Second

// Formats, as they are asked for. Prometheus asks for OpenMetrics, which has exemplars, unless it is told not to.
const (
	plainText   = "text/plain"
	openMetrics = "application/openmetrics-text"
)

// Metrics serves them in Prometheus's text format, and as OpenMetrics to who asks for that. They are gathered at most once a second, however often they are asked for: to
// gather costs milliseconds of CPU, and those of the Go runtime halt it for a moment.
func Metrics(metrics prometheus.Gatherer) http.Handler {
	gather := promhttp.HandlerFor(metrics, promhttp.HandlerOpts{DisableCompression: true, EnableOpenMetrics: true})
	return &exposition{gather: gather, now: time.Now, last: map[string]*recorded{}}
}

// exposition is what was gathered last, as an answer in each format. Those that ask while it is gathered wait for it.
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

// recorded is an answer that is kept. It is not changed after it was gathered.
type recorded struct {
	at     time.Time
	status int
	header http.Header
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(status int)      { r.status = status }
func (r *recorded) Write(p []byte) (int, error) { return r.body.Write(p) }
