package relay

import (
	"fmt"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

type metrics struct {
	outcomes      *prometheus.CounterVec
	creations     *prometheus.CounterVec
	edits         *prometheus.CounterVec
	gasUsed       *prometheus.CounterVec
	fees          *prometheus.CounterVec
	projectFees   *largest
	settled       *prometheus.CounterVec
	batch         *prometheus.HistogramVec
	gasToModel    prometheus.Histogram
	gasPerUpdate  prometheus.Histogram
	acceptToFinal *prometheus.HistogramVec
	attempts      *prometheus.CounterVec
	signing       *prometheus.HistogramVec
	sends         *prometheus.CounterVec
	deadLetters   *prometheus.CounterVec
	sessionEnds   prometheus.Counter
	statusFails   prometheus.Counter
	reopened      prometheus.Counter
	purgeFails    prometheus.Counter
	moved         *prometheus.CounterVec
	driven        prometheus.Gauge
	lanes         *prometheus.GaugeVec
	gauges

	told driven
}

type family struct{ prometheus.Registerer }

func (f family) counters(name, help, label string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "scorelay_relay_" + name, Help: help}, []string{label})
	f.MustRegister(c)
	return c
}

func (f family) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "scorelay_relay_" + name, Help: help})
	f.MustRegister(c)
	return c
}

func (f family) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "scorelay_relay_" + name, Help: help}, append([]string{"lane"}, labels...))
	f.MustRegister(g)
	return g
}

func (f family) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "scorelay_relay_" + name, Help: help})
	f.MustRegister(g)
	return g
}

func (f family) histograms(name, help, label string, buckets []float64) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "scorelay_relay_" + name, Help: help, Buckets: buckets}, []string{label})
	f.MustRegister(h)
	return h
}

func (f family) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "scorelay_relay_" + name, Help: help, Buckets: buckets})
	f.MustRegister(h)
	return h
}

var (
	bySize  = prometheus.ExponentialBuckets(1, 2, 12)
	byGas   = prometheus.ExponentialBuckets(250, 1.5, 16)
	byRatio = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 4, 8, 16}
	// from block times to hours without a block
	bySeconds = []float64{.5, 1, 2, 3, 5, 8, 13, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 3600, 7200, 14400}
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := family{reg}
	m := &metrics{
		outcomes:  f.counters("outcomes_total", "Updates that are final, by outcome.", "outcome"),
		creations: f.counters("creations_total", "Creations that are final, by outcome.", "outcome"),
		edits:     f.counters("edits_total", "Owners' edits that are final, by outcome.", "outcome"),
		gasUsed:   f.counters("gas_used_total", "Gas used by final transactions.", "lane"),
		fees:      f.counters("fees_ether_total", "Fees paid by final transactions, ether.", "lane"),
		projectFees: newLargest(f.counters("project_fees_ether_total", fmt.Sprintf("Fees paid by final transactions that did their work, ether, shared by the gas that each project's part takes by the model; "+
			"of the %d projects that paid most to this relayer, from when on they did; the rest as other.", mostShown), "project")),
		settled:    f.counters("slots_settled_total", "Slots that ended, by result; reverted_edit is of an owner's edit, which another transaction of an owner may make revert.", "result"),
		batch:      f.histograms("batch_updates", "Updates in a transaction, by why it was closed.", "flush", bySize),
		gasToModel: f.histogram("gas_to_model_ratio", "Gas used by a final batch, as a part of what the model says at worst; above 1 the chain charges more than the model knows.", byRatio),
		signing: f.histograms("sign_seconds", "How long lanes' signers took for a transaction, signed or failed; remote ones that are left alone for a while fail at once.",
			"result", prometheus.ExponentialBuckets(0.0001, 2.5, 14)),
		attempts:      f.counters("attempts_total", "Attempts journaled, by reason.", "reason"),
		sends:         f.counters("sends_total", "Broadcasts of transactions, by the class of all nodes' answers together.", "class"),
		deadLetters:   f.counters("dead_letters_total", "Dead letters stored, by outcome; unprocessable_edit is of an owner's edit that the project's state no longer allows.", "outcome"),
		sessionEnds:   f.counter("sessions_ended_total", "Sessions of lanes that ended, for any reason."),
		statusFails:   f.counter("status_writes_failed_total", "Status writes that failed; they are tried again for a while."),
		reopened:      f.counter("slots_reopened_total", "Settled slots that were opened again, since the chain lost their block, or to fill a gap of nonces."),
		moved:         f.counters("buckets_moved_total", "Buckets that lanes gave to others, and took.", "direction"),
		purgeFails:    f.counter("purge_failures_total", "Purges of the stream that failed; each is tried again later."),
		driven:        f.gauge("driven_lanes", "Lanes that this relayer drives; 0 while it stands by."),
		gasPerUpdate:  f.histogram("gas_per_update", "Gas that each update of a final batch took: what its transaction used, shared evenly.", byGas),
		acceptToFinal: f.histograms("accept_to_final_seconds", "How long updates took from their accept, by NATS's clock, until their outcome was final, by the relayer's.", "lane", bySeconds),
		lanes:         f.gauges("lane_info", "1 for each lane of the deployment that is to be driven, by whichever relayer: its signer, and active, leaving or cut.", "signer", "state"),
		gauges:        newGauges(f.gauges),
	}
	for _, result := range []lane.Result{lane.Done, lane.Reverted, lane.Foreign, lane.Cancelled} {
		m.settled.WithLabelValues(string(result)) // so that the first one shows as an increase
	}
	for outcome := score.UnknownProject; outcome <= score.NotOwner; outcome++ {
		m.deadLetters.WithLabelValues(outcome.String())
	}
	return m
}

func label(id score.Lane) string { return strconv.Itoa(int(id)) }

func (m *metrics) ended(refs []score.Ref, outcomes []score.Outcome) (rejected int) {
	for i, outcome := range outcomes {
		if outcome.Rejected() {
			rejected++
		}
		switch {
		case refs[i].Creation:
			m.creations.WithLabelValues(outcome.String()).Inc()
		case refs[i].Edit:
			m.edits.WithLabelValues(outcome.String()).Inc()
		default:
			m.outcomes.WithLabelValues(outcome.String()).Inc()
			m.told.updates.Add(1)
		}
	}
	return rejected
}

// revertedEdit is the result of an owner's edit that reverted, as when another transaction of an owner came first.
const revertedEdit lane.Result = "reverted_edit"

// Unprocessable edits are counted apart, since owners may have made the same change directly.
func (m *metrics) deadLettered(letter *score.DeadLetter) {
	outcome := letter.Outcome.String()
	if letter.Edit != nil && letter.Outcome == score.Unprocessable {
		outcome += "_edit"
	}
	m.deadLetters.WithLabelValues(outcome).Inc()
}

// receipt is nil for a foreign transaction.
func (m *metrics) slotSettled(id score.Lane, result lane.Result, of lane.WorkKind, receipt *evidence.Receipt) {
	if result == lane.Reverted && of == lane.Edit {
		result = revertedEdit
	}
	m.settled.WithLabelValues(string(result)).Inc()
	if receipt == nil {
		return
	}
	m.gasUsed.WithLabelValues(label(id)).Add(float64(receipt.GasUsed))
	fee := ether(receipt.Fee())
	m.fees.WithLabelValues(label(id)).Add(fee)
	m.told.paid(receipt.GasUsed, fee)
}

func (m *metrics) configured(known roster.Roster) {
	m.lanes.Reset()
	for _, l := range known.Lanes {
		if l.Driven() {
			m.lanes.WithLabelValues(label(l.ID), l.Signer.Hex(), string(l.State)).Set(1)
		}
	}
}

func (m *metrics) wait(id score.Lane, reason lane.Wait) {
	m.told.wait(id, reason)
	for _, r := range lane.Waits() {
		value := 0.0
		if r == reason {
			value = 1
		}
		m.waiting.WithLabelValues(label(id), string(r)).Set(value)
	}
}
