package chain

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/txpool"
)

type metrics struct {
	requests       *prometheus.CounterVec
	calls          *prometheus.CounterVec
	seconds        *prometheus.HistogramVec
	sends          *prometheus.CounterVec
	contradictions *prometheus.CounterVec
	up             *prometheus.GaugeVec
	unchecked      prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_chain_requests_total",
			Help: "Exchanges with the chain's endpoints, by result: ok, not_found, refused (an error as answer), contradiction, failed (no answer).",
		}, []string{"endpoint", "op", "result"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_chain_calls_total",
			Help: "JSON-RPC methods asked of the chain's endpoints; each element of a batch counts.",
		}, []string{"endpoint", "method"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "scorelay_chain_request_seconds",
			Help:    "How long exchanges with the chain's endpoints took.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
		}, []string{"endpoint", "op"}),
		sends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_chain_send_results_total",
			Help: "Raw transactions handed to endpoints, by what the answer means.",
		}, []string{"endpoint", "class"}),
		contradictions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_chain_contradictions_total",
			Help: "Answers of the chain's endpoints that are at odds with themselves or with what was verified.",
		}, []string{"endpoint"}),
		up: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_chain_endpoint_up",
			Help: "1 while the endpoint answers, 0 while it is left alone.",
		}, []string{"endpoint"}),
		unchecked: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_chain_headers_unchecked",
			Help: "1 while the chain's new headers have fields that this version of Scorelay does not know, so that endpoints are compared: upgrade Scorelay.",
		}),
	}
	reg.MustRegister(m.requests, m.calls, m.seconds, m.sends, m.contradictions, m.up, m.unchecked)
	return m
}

// begin sets an endpoint's alerting counters to 0, so that the first event shows as growth.
func (m *metrics) begin(endpoint string) {
	m.contradictions.WithLabelValues(endpoint)
	m.sends.WithLabelValues(endpoint, txpool.Unknown.String())
}
