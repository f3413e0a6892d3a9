package index

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// followerMetrics are a Follower's.
type followerMetrics struct {
	block  prometheus.Gauge
	reorgs prometheus.Counter
	holes  prometheus.Counter
}

func newFollowerMetrics(reg prometheus.Registerer) *followerMetrics {
	metrics := promauto.With(reg)
	return &followerMetrics{
		block: metrics.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_index_block", Help: "The last block whose events are in the project directory, as far as this process followed.",
		}),
		reorgs: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_index_reorgs_total",
			Help: "Times the project directory was taken back because final blocks were replaced: reorgs deeper than finality.",
		}),
		holes: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_index_holes_total",
			Help: "Project records that lacked an event of the chain, or had one that is not in it, and were made again.",
		}),
	}
}
