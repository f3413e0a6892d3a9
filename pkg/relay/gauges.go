package relay

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/score"
)

type gauges struct {
	inflight *prometheus.GaugeVec
	open     *prometheus.GaugeVec
	backlog  *prometheus.GaugeVec
	paused   *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
	parked   *prometheus.GaugeVec
	queued   *prometheus.GaugeVec
	nonce    *prometheus.GaugeVec
	balance  *prometheus.GaugeVec
	lasts    *prometheus.GaugeVec
	waiting  *prometheus.GaugeVec
	epoch    *prometheus.GaugeVec
	gasRules *prometheus.GaugeVec
}

func newGauges(gauge func(name, help string, labels ...string) *prometheus.GaugeVec) gauges {
	return gauges{
		inflight: gauge("inflight_slots", "Slots whose transaction is not in a block."),
		open:     gauge("open_slots", "Slots that are not final."),
		backlog:  gauge("backlog_updates", "Updates that wait to be bound: all that the stream holds for the lane, and those that lost their slot, but for those of paused projects."),
		paused:   gauge("paused_updates", "Updates that wait because an operator paused their project, as far as the lane has read."),
		oldest:   gauge("oldest_waiting_timestamp_seconds", "When the oldest of what waits to be bound was accepted, Unix time, but for what is of paused projects; absent while nothing else waits."),
		parked:   gauge("parked_projects", "Projects that take more than their share of the horizon, or are paused, and are read again later."),
		queued:   gauge("queued_works", "Pieces of work that lost their slot and wait to be bound again."),
		nonce:    gauge("next_nonce", "The nonce of the lane's next slot."),
		balance:  gauge("balance_ether", "Balance of the lane's signer, ether."),
		lasts: gauge("balance_lasts_seconds", "How long the balance of the lane's signer lasts at the rate at which it fell in the last hour or so, with all that its "+
			"transactions cost; +Inf while nothing is spent, 0 while the lane waits for funds, absent until it was seen for five minutes."),
		waiting:  gauge("waiting", "1 while the lane binds nothing new for this reason.", "reason"),
		epoch:    gauge("epoch", "The lane's epoch in its journal."),
		gasRules: gauge("gas_rules", "1 for the rules of gas that the lane believes the chain to have, by the name of their fork.", "rules"),
	}
}

func (g *gauges) forget(id score.Lane) {
	for _, of := range []*prometheus.GaugeVec{g.inflight, g.open, g.backlog, g.paused, g.oldest, g.parked, g.queued, g.nonce, g.balance, g.lasts, g.waiting, g.epoch, g.gasRules} {
		of.DeletePartialMatch(prometheus.Labels{"lane": label(id)})
	}
}

func (s *session) show() {
	state, id := s.lane.State, label(s.id)
	s.metrics.inflight.WithLabelValues(id).Set(float64(s.lane.InFlight()))
	s.metrics.open.WithLabelValues(id).Set(float64(len(state.Slots)))
	backlog := s.backlog()
	s.metrics.backlog.WithLabelValues(id).Set(float64(backlog))
	s.metrics.paused.WithLabelValues(id).Set(float64(s.intake.pausedUpdates()))
	s.metrics.told.read(s.id, backlog)
	s.metrics.parked.WithLabelValues(id).Set(float64(len(s.intake.parked)))
	s.metrics.queued.WithLabelValues(id).Set(float64(len(state.Queue)))
	s.metrics.nonce.WithLabelValues(id).Set(float64(state.Next))
	s.metrics.epoch.WithLabelValues(id).Set(float64(state.Epoch))
	s.heads.Busy(s.busy())
	s.heads.Works(s.works())
	if view := s.lane.View(); view != nil && view.HasAccount() {
		s.showFunds(view.Account)
	}
}
