package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	requests  *prometheus.HistogramVec // by route and status
	updates   *prometheus.CounterVec   // by result: accepted or duplicate, each update; a code of the table, each post
	creations *prometheus.CounterVec   // by result: accepted, or a code of the table
	envelope  prometheus.Histogram
	publish   prometheus.Histogram
	retries   prometheus.Counter
	unclaimed prometheus.Counter
	unasked   prometheus.Counter
	unmarked  prometheus.Counter
	keys      *keyMetrics
}

func newMetrics(reg prometheus.Registerer) *metrics {
	with := promauto.With(reg)
	return &metrics{
		requests: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scorelay_api_request_seconds", Help: "Requests by route and HTTP status, and how long they took.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15),
		}, []string{"route", "status"}),
		updates: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_updates_total", Help: "Updates that were accepted or are duplicates, and refused posts to update-score and update-scores by the code of the problem.",
		}, []string{"result"}),
		creations: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_creations_total", Help: "Posts to create-project by result: accepted, or the code of the problem.",
		}, []string{"result"}),
		envelope: with.NewHistogram(prometheus.HistogramOpts{
			Name: "scorelay_api_envelope_updates", Help: "Updates that shared one durable publish.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 11),
		}),
		publish: with.NewHistogram(prometheus.HistogramOpts{
			Name: "scorelay_api_publish_seconds", Help: "Time until the stream's ack, repetitions included.",
			Buckets: prometheus.ExponentialBuckets(0.0002, 2, 16),
		}),
		retries: with.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_api_publish_retries_total", Help: "Attempts to publish that were not acked and may have been repeated.",
		}),
		unclaimed: with.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_api_unclaimed_total", Help: "Updates that went on without a claim, because Redis did not answer.",
		}),
		unasked: with.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_api_unasked_groups_total", Help: "Signed groups that went on because the chain did not tell in time whether they were used up.",
		}),
		unmarked: with.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_api_unmarked_total", Help: "Accepted updates whose status could not be written at once; it is tried again.",
		}),
		keys: newKeyMetrics(with),
	}
}

// newKeyMetrics has one series for each of the first 100 names of keys.
func newKeyMetrics(with promauto.Factory) *keyMetrics {
	return &keyMetrics{
		named: map[string]bool{},
		updates: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_key_updates_total", Help: "Updates that were accepted or are duplicates, by the name of the API key; of the first 100 names, the rest as other.",
		}, []string{"key", "result"}),
		gas: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_key_gas_total", Help: "Gas that what was accepted takes at worst, as budgets count it, by the name of the API key.",
		}, []string{"key"}),
		requests: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_key_requests_total", Help: "Requests by the name of the API key and how they were answered: answered (200), limited (429), refused (other 4xx), failed (5xx).",
		}, []string{"key", "result"}),
	}
}
