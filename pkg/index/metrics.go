package index

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type directoryMetrics struct {
	block  prometheus.Gauge
	reorgs prometheus.Counter
	holes  prometheus.Counter
}

func newDirectoryMetrics(reg prometheus.Registerer) *directoryMetrics {
	metrics := promauto.With(reg)
	return &directoryMetrics{
		block: metrics.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_index_block", Help: "The last block whose events are in the project directory, as far as this process computed it.",
		}),
		reorgs: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_index_reorgs_total",
			Help: "Times all project records were made again because final blocks were replaced: reorgs deeper than finality.",
		}),
		holes: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_index_holes_total",
			Help: "Project records from which an event of the ledger did not follow: all are made again from the chain.",
		}),
	}
}

type standingsMetrics struct {
	block      prometheus.Gauge
	behind     prometheus.Gauge
	rebuilding prometheus.Gauge
	rebuilds   prometheus.Counter
	executions prometheus.Counter
	differs    prometheus.Counter
}

func newStandingsMetrics(reg prometheus.Registerer) *standingsMetrics {
	metrics := promauto.With(reg)
	return &standingsMetrics{
		block: metrics.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_standings_block", Help: "The last block whose executions are in the standings (leaderboards, histories, statistics), of all relayers' work.",
		}),
		behind: metrics.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_standings_behind_seconds",
			Help: "Seconds between that block and the newest final block that this process knows, by the blocks' times.",
		}),
		rebuilding: metrics.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_standings_rebuilding", Help: "1 while the standings are rebuilt from the contract's events, and cannot be read.",
		}),
		rebuilds: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_standings_rebuilds_total", Help: "Rebuilds of the standings that this process began; the log says why.",
		}),
		executions: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_standings_executions_total", Help: "Executions of updates that this process wrote to the standings, those that were there already too.",
		}),
		differs: metrics.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_standings_differences_total",
			Help: "Wallets whose scores in the standings were not the contract's, as of the same final block.",
		}),
	}
}
