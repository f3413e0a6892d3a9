package heads

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
)

type metrics struct {
	head     prometheus.Gauge
	final    prometheus.Gauge
	finalAt  prometheus.Gauge
	stalled  prometheus.Gauge
	resting  prometheus.Gauge
	reorgs   prometheus.Counter
	breaks   prometheus.Counter
	disputes prometheus.Counter
	lag      *prometheus.GaugeVec
	fill     prometheus.Histogram
	baseFee  prometheus.Gauge

	used, limit atomic.Uint64 // gas of all followed blocks
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
		finalAt: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_heads_final_block_timestamp_seconds",
			Help: "Time of the newest final block.",
		}),
		stalled: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_heads_final_stalled_seconds",
			Help: "Seconds since a block last became final, counted while the head moves, at most 60 for one step of it; 0 with SCORELAY_CONFIRMATIONS.",
		}),
		resting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_heads_resting",
			Help: "1 while the chain is not followed, since nothing needs it: head and final block stay as they were.",
		}),
		reorgs: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_heads_reorgs_total",
			Help: "How often blocks were replaced by those of another branch.",
		}),
		breaks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_heads_finality_breaks_total",
			Help: "Reorganisations that replaced final blocks. Any is an alarm: raise SCORELAY_CONFIRMATIONS, or set SCORELAY_FINALITY=finalized.",
		}),
		disputes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_heads_disputes_total",
			Help: "How often an endpoint had another block than the one that would be final; nothing becomes final until they agree.",
		}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_heads_lag_blocks",
			Help: "How many blocks the endpoint's newest one is behind the head.",
		}, []string{"endpoint"}),
		fill: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "scorelay_heads_block_fill_ratio",
			Help:    "Gas used in each block that was followed, as a part of the block's gas limit; of all transactions in it.",
			Buckets: prometheus.LinearBuckets(.1, .1, 10),
		}),
		baseFee: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_heads_base_fee_ether",
			Help: "Base fee of a unit of gas in the newest block, ether; 0 on a chain without one.",
		}),
	}
	reg.MustRegister(m.head, m.final, m.finalAt, m.stalled, m.resting, m.reorgs, m.breaks, m.disputes, m.lag, m.fill, m.baseFee)
	return m
}

func (m *metrics) put(blocks []evidence.Block) {
	for i := range blocks {
		m.used.Add(blocks[i].GasUsed)
		m.limit.Add(blocks[i].GasLimit)
		if blocks[i].GasLimit > 0 {
			m.fill.Observe(float64(blocks[i].GasUsed) / float64(blocks[i].GasLimit))
		}
	}
	if fee := blocks[len(blocks)-1].BaseFee; fee != nil {
		wei, _ := fee.Float64()
		m.baseFee.Set(wei / 1e18)
	}
}
