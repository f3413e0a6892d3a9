package ops

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/time/rate"
)

// Rate of tries, for all clients together. It bounds the work of comparing: a token cannot be guessed.
const (
	triesPerSecond = 1
	triesAtOnce    = 10
)

// Results of a try.
const (
	right   = "right"
	wrong   = "wrong"
	limited = "limited" // refused before the comparison
)

// tries limits and counts tries of the token. It logs failed ones at most once a minute, so that an attacker cannot
// fill the log.
type tries struct {
	limit   *rate.Limiter
	results *prometheus.CounterVec
	log     *slog.Logger
	seldom  rate.Sometimes
	since   atomic.Int64 // failed tries since the last log line
}

func newTries(reg prometheus.Registerer, log *slog.Logger) *tries {
	t := &tries{
		limit: rate.NewLimiter(triesPerSecond, triesAtOnce), log: log, seldom: rate.Sometimes{Interval: time.Minute},
		results: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_ops_tokens_tried_total", Help: "Tokens that were tried at /ops, by result: right, wrong, or limited: not looked at, since there were too many.",
		}, []string{"result"}),
	}
	for _, result := range []string{right, wrong, limited} {
		t.results.WithLabelValues(result) // start at 0, so that the first one shows as growth
	}
	return t
}

func (t *tries) allow(r *http.Request) bool {
	ok := t.limit.Allow()
	if !ok {
		t.failed(limited, r)
	}
	return ok
}

func (t *tries) failed(result string, r *http.Request) {
	t.results.WithLabelValues(result).Inc()
	t.since.Add(1)
	t.seldom.Do(func() {
		t.log.Warn("a wrong token was tried on /ops; it was refused", "from", r.RemoteAddr, "tries", t.since.Swap(0))
	})
}
