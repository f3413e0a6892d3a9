package webhook

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	events   prometheus.Counter
	attempts *prometheus.CounterVec
	took     prometheus.Histogram
	oldest   *prometheus.GaugeVec
	disabled *prometheus.GaugeVec
	enabled  prometheus.Gauge
	served   prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	with := promauto.With(reg)
	return &metrics{
		events: with.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_webhook_events_total", Help: "Events that this process delivered to webhooks' endpoints: in POSTs that were answered 2xx.",
		}),
		attempts: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_webhook_attempts_total", Help: "POSTs to webhooks' endpoints, by result: delivered (2xx), refused (another status) or unanswered.",
		}, []string{"result"}),
		took: with.NewHistogram(prometheus.HistogramOpts{
			Name: "scorelay_webhook_attempt_seconds", Help: "How long webhooks' endpoints take to answer a POST.", Buckets: prometheus.ExponentialBuckets(0.002, 2.5, 10),
		}),
		oldest: with.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_webhook_oldest_undelivered_timestamp_seconds",
			Help: "Time of the oldest event (its block's, which is final later) that an endpoint was sent and did not take; absent where it took all, and where nothing can be read for it (then it is not served). Of the relayer that delivers.",
		}, []string{"endpoint"}),
		disabled: with.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_webhook_disabled", Help: "1 where an endpoint is disabled because of what it answered, and waits for an operator. Of the relayer that delivers.",
		}, []string{"endpoint"}),
		enabled: with.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_webhook_enabled_endpoints", Help: "Webhooks' endpoints that are not disabled. Every relayer tells of all.",
		}),
		served: with.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_webhook_served_endpoints",
			Help: "Webhooks' endpoints that this relayer delivers to, or would if there were events: it holds the lease, and could read the ledger and how far each is for it. One that fails is served, too.",
		}),
	}
}

func (m *metrics) attempt(a *Attempt) {
	result := "unanswered"
	switch {
	case a.Delivered():
		result = "delivered"
		m.events.Add(float64(a.Events))
	case a.Status != 0:
		result = "refused"
	}
	m.attempts.WithLabelValues(result).Inc()
	m.took.Observe(float64(a.Millis) / 1000)
}

func (m *metrics) forget(endpoint string) {
	m.oldest.DeleteLabelValues(endpoint)
	m.disabled.DeleteLabelValues(endpoint)
}
