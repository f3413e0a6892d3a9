package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

type metrics struct {
	requests  *prometheus.HistogramVec // by route and status
	updates   *prometheus.CounterVec   // by result: accepted, duplicate, or the code of a refused post or group
	creations *prometheus.CounterVec   // by result: accepted, or a code
	edits     *prometheus.CounterVec   // by result: accepted, duplicate, or a code

	accepted, duplicates prometheus.Counter // children of updates

	envelope  prometheus.Histogram
	publish   prometheus.Histogram
	retries   prometheus.Counter
	unclaimed prometheus.Counter
	unasked   prometheus.Counter
	unmarked  prometheus.Counter
	keys      *keyMetrics

	connections prometheus.Gauge
	refused     *prometheus.CounterVec // connections, by bound
	malformed   *prometheus.CounterVec // requests, by flaw
	bodies      prometheus.Gauge
	streams     *streamMetrics
}

func newMetrics(reg prometheus.Registerer) *metrics {
	with := promauto.With(reg)
	m := &metrics{
		requests: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scorelay_api_request_seconds", Help: "Requests by route and HTTP status, and how long they took.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15),
		}, []string{"route", "status"}),
		updates: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_updates_total", Help: "Updates that were accepted or are duplicates, and refused posts to update-score and update-scores, and groups of update-groups, by the code of the problem.",
		}, []string{"result"}),
		edits: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_edits_total", Help: "Posts of owners' edits by result: accepted, duplicate, or the code of the problem.",
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
		connections: with.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_api_connections", Help: "Connections that are open to the API's address.",
		}),
		refused: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_connections_refused_total", Help: "Connections for which there was no place, by the bound: address (of one address), key (of one API key), all, system (files or memory); keyless: closed for a newer one.",
		}, []string{"bound"}),
		malformed: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_malformed_total", Help: "Requests that were refused with their connections, because programs could differ about where they end, by what is wrong.",
		}, []string{"flaw"}),
		bodies: with.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_api_body_bytes", Help: "Bytes of request bodies in progress, of which there are at most SCORELAY_BODIES_LIMIT.",
		}),
		streams: newStreamMetrics(with),
	}
	m.accepted, m.duplicates = m.updates.WithLabelValues(statusAccepted), m.updates.WithLabelValues(statusDuplicate)
	// Alerts use these counters, which start at 0 so that the first problem shows as growth.
	for _, code := range []Code{codeNotDurable, codeStreamFull, codeOverloaded} {
		m.updates.WithLabelValues(code.Name)
		m.creations.WithLabelValues(code.Name)
		m.edits.WithLabelValues(code.Name)
	}
	for _, wrong := range framing.Flaws {
		m.malformed.WithLabelValues(wrong.Name)
	}
	for _, bound := range []string{boundKey, boundAddress, boundAll, boundSystem, boundKeyless} {
		m.refused.WithLabelValues(bound)
	}
	return m
}

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
