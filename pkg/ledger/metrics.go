package ledger

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/evidence"
)

type writerMetrics struct {
	block   prometheus.Gauge
	behind  prometheus.Gauge
	rewinds prometheus.Counter
	events  prometheus.Counter
}

func newWriterMetrics(reg prometheus.Registerer) *writerMetrics {
	f := promauto.With(reg)
	return &writerMetrics{
		block:   f.NewGauge(prometheus.GaugeOpts{Name: "scorelay_ledger_block", Help: "Newest block up to which this relayer wrote the ledger; only the relayer with the lease moves it."}),
		behind:  f.NewGauge(prometheus.GaugeOpts{Name: "scorelay_ledger_behind_seconds", Help: "How much older the ledger's newest block is than the newest final one, by their times."}),
		rewinds: f.NewCounter(prometheus.CounterOpts{Name: "scorelay_ledger_rewinds_total", Help: "Reorgs deeper than finality that this relayer wrote into the ledger."}),
		events:  f.NewCounter(prometheus.CounterOpts{Name: "scorelay_ledger_transactions_total", Help: "Transactions whose events this relayer appended to the ledger."}),
	}
}

// shows sets how far the ledger is, and how far that is behind the final block.
func (m *writerMetrics) shows(block uint64, final evidence.Block, unix uint64) {
	m.block.Set(float64(block))
	m.behind.Set(max(0, float64(final.Time)-float64(unix)))
}
