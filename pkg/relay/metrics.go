package relay

import (
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type metrics struct {
	outcomes    *prometheus.CounterVec
	creations   *prometheus.CounterVec
	gasUsed     prometheus.Counter
	fees        prometheus.Counter
	settled     *prometheus.CounterVec
	batch       *prometheus.HistogramVec
	gasOfModel  prometheus.Histogram
	attempts    *prometheus.CounterVec
	sends       *prometheus.CounterVec
	deadLetters *prometheus.CounterVec
	sessionEnds prometheus.Counter
	statusFails prometheus.Counter
	reopened    prometheus.Counter
	purgeFails  prometheus.Counter
	moved       *prometheus.CounterVec
	driven      prometheus.Gauge

	inflight *prometheus.GaugeVec
	open     *prometheus.GaugeVec
	backlog  *prometheus.GaugeVec
	parked   *prometheus.GaugeVec
	queued   *prometheus.GaugeVec
	nonce    *prometheus.GaugeVec
	balance  *prometheus.GaugeVec
	waiting  *prometheus.GaugeVec
	epoch    *prometheus.GaugeVec
	gasRules *prometheus.GaugeVec

	lanes driven
}

func newMetrics(reg prometheus.Registerer) *metrics {
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "scorelay_relay_" + name, Help: help})
		reg.MustRegister(c)
		return c
	}
	counters := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "scorelay_relay_" + name, Help: help}, []string{label})
		reg.MustRegister(c)
		return c
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "scorelay_relay_" + name, Help: help}, append([]string{"lane"}, labels...))
		reg.MustRegister(g)
		return g
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: "scorelay_relay_" + name, Help: help, Buckets: buckets}
	}
	driven := prometheus.NewGauge(prometheus.GaugeOpts{Name: "scorelay_relay_driven_lanes", Help: "Lanes that this relayer drives; 0 while it stands by."})
	reg.MustRegister(driven)
	size := prometheus.NewHistogramVec(histogram("batch_updates", "Updates in a transaction, by why it was flushed.",
		prometheus.ExponentialBuckets(1, 2, 12)), []string{"flush"})
	ofModel := prometheus.NewHistogram(histogram("gas_of_model",
		"Gas used by a final batch, as a part of what the model says at worst; above 1 the chain charges more than the model knows.",
		[]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 4, 8, 16}))
	reg.MustRegister(size, ofModel)
	return &metrics{
		outcomes:    counters("outcomes_total", "Updates that are final, by outcome.", "outcome"),
		creations:   counters("creations_total", "Creations that are final, by outcome.", "outcome"),
		gasUsed:     counter("gas_used_total", "Gas used by final transactions."),
		fees:        counter("fees_gwei_total", "Fees paid by final transactions, gwei."),
		settled:     counters("slots_settled_total", "Slots that ended, by result.", "result"),
		batch:       size,
		gasOfModel:  ofModel,
		attempts:    counters("attempts_total", "Attempts journaled, by reason.", "reason"),
		sends:       counters("sends_total", "Answers of nodes to raw transactions, by class.", "class"),
		deadLetters: counters("dead_letters_total", "Dead letters stored, by outcome.", "outcome"),
		sessionEnds: counter("sessions_ended_total", "Sessions of lanes that ended, for any reason."),
		statusFails: counter("status_writes_failed_total", "Status writes that failed; they are tried again for a while."),
		reopened:    counter("slots_reopened_total", "Settled slots that were opened again, since the chain lost their block, or to fill a gap of nonces."),
		moved:       counters("buckets_moved_total", "Buckets that lanes gave to others, and took.", "direction"),
		purgeFails:  counter("purge_failures_total", "Purges of the stream that failed; each is tried again later."),
		driven:      driven,
		inflight:    gauges("inflight_slots", "Slots whose transaction is not in a block."),
		open:        gauges("open_slots", "Slots that are not final."),
		backlog:     gauges("backlog_updates", "Updates that wait to be bound, as far as the lane has read the stream."),
		parked:      gauges("parked_projects", "Projects that take more than their share of the horizon, and are read again later."),
		queued:      gauges("queued_works", "Pieces of work that lost their slot and wait to be bound again."),
		nonce:       gauges("next_nonce", "The nonce of the lane's next slot."),
		balance:     gauges("balance_gwei", "Balance of the lane's signer, gwei."),
		waiting:     gauges("waiting", "1 while the lane binds nothing new for this reason.", "reason"),
		epoch:       gauges("epoch", "The lane's epoch in its journal."),
		gasRules:    gauges("gas_rules", "1 for the rules of gas that the lane believes the chain to have, by the name of their fork.", "rules"),
	}
}

func label(id score.Lane) string { return strconv.Itoa(int(id)) }

// ended counts outcomes of updates and creations and tells how many of them are rejections.
func (m *metrics) ended(refs []score.Ref, outcomes []score.Outcome) (rejected int) {
	for i, outcome := range outcomes {
		if outcome.Rejected() {
			rejected++
		}
		if refs[i].Creation {
			m.creations.WithLabelValues(outcome.String()).Inc()
		} else {
			m.outcomes.WithLabelValues(outcome.String()).Inc()
		}
	}
	return rejected
}

// slotSettled counts a slot's end and what its transaction cost; receipt is nil where that is not the lane's.
func (m *metrics) slotSettled(result lane.Result, receipt *types.Receipt) {
	m.settled.WithLabelValues(string(result)).Inc()
	if receipt == nil {
		return
	}
	m.gasUsed.Add(float64(receipt.GasUsed))
	if receipt.EffectiveGasPrice != nil {
		m.fees.Add(gwei(new(big.Int).Mul(receipt.EffectiveGasPrice, new(big.Int).SetUint64(receipt.GasUsed))))
	}
}

// wait says why the lane binds nothing new.
func (m *metrics) wait(id score.Lane, reason lane.Wait) {
	m.lanes.wait(id, reason)
	for _, r := range lane.Waits() {
		value := 0.0
		if r == reason {
			value = 1
		}
		m.waiting.WithLabelValues(label(id), string(r)).Set(value)
	}
}

// forget removes the gauges of a lane that another replica drives now.
func (m *metrics) forget(id score.Lane) {
	m.lanes.forget(id)
	for _, g := range []*prometheus.GaugeVec{m.inflight, m.open, m.backlog, m.parked, m.queued, m.nonce, m.balance, m.waiting, m.epoch, m.gasRules} {
		g.DeletePartialMatch(prometheus.Labels{"lane": label(id)})
	}
}
