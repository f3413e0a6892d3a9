package admin

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// gatherPause is how old metrics may be that are served again.
const gatherPause = time.Second

// Metrics serves them in Prometheus's text format. They are gathered at most once a second, however often they are asked for: to
// gather costs milliseconds of CPU, and those of the Go runtime halt it for a moment.
func Metrics(metrics prometheus.Gatherer) http.Handler {
	return &exposition{gather: promhttp.HandlerFor(metrics, promhttp.HandlerOpts{DisableCompression: true}), now: time.Now}
}

// exposition is what was gathered last, as an answer. Those that ask while it is gathered wait for it.
type exposition struct {
	gather http.Handler
	now    func() time.Time

	mu   sync.Mutex
	last *recorded
}

func (e *exposition) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	answer := e.current()
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes())
}

func (e *exposition) current() *recorded {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := e.now(); e.last == nil || now.Sub(e.last.at) >= gatherPause {
		e.last = &recorded{at: now, status: http.StatusOK, header: http.Header{}}
		e.gather.ServeHTTP(e.last, &http.Request{Method: http.MethodGet, Header: http.Header{}})
	}
	return e.last
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
