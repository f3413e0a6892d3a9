package heads

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	head     prometheus.Gauge
	final    prometheus.Gauge
	reorgs   prometheus.Counter
	breaks   prometheus.Counter
	disputes prometheus.Counter
	lag      *prometheus.GaugeVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		head: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_heads_head_block",
			Help: "Number of the newest block that links to the chain followed so far.",
		}),
		final: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_heads_final_block",
			Help: "Number of the newest final block.",
		}),
		reorgs: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_heads_reorgs_total",
			Help: "How often blocks were replaced by those of another branch.",
		}),
		breaks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_heads_finality_breaks_total",
			Help: "Reorganisations that replaced final blocks. Any is an alarm: raise SCORELAY_CONFIRMATIONS.",
		}),
		disputes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_heads_disputes_total",
			Help: "How often an endpoint had another block than the one that would be final; nothing becomes final until they agree.",
		}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_heads_lag_blocks",
			Help: "How many blocks the endpoint's newest one is behind the head.",
		}, []string{"endpoint"}),
	}
	reg.MustRegister(m.head, m.final, m.reorgs, m.breaks, m.disputes, m.lag)
	return m
}
