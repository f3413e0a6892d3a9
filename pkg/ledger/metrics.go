package ledger

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type writerMetrics struct {
	rewinds prometheus.Counter
	events  prometheus.Counter
}

func newWriterMetrics(reg prometheus.Registerer) *writerMetrics {
	f := promauto.With(reg)
	return &writerMetrics{
		rewinds: f.NewCounter(prometheus.CounterOpts{Name: "scorelay_ledger_rewinds_total", Help: "Reorgs deeper than finality that this relayer wrote into the ledger."}),
		events:  f.NewCounter(prometheus.CounterOpts{Name: "scorelay_ledger_transactions_total", Help: "Transactions whose events this relayer appended to the ledger."}),
	}
}

// sourceMetrics show how far a process has read: normally to the ledger's end, so they also reveal a ledger without a
// writer.
type sourceMetrics struct {
	block, time prometheus.Gauge
}

func newSourceMetrics(reg prometheus.Registerer) *sourceMetrics {
	f := promauto.With(reg)
	return &sourceMetrics{
		block: f.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_ledger_block",
			Help: "Newest block of the ledger of final blocks, as this process has read it; 0 before the first.",
		}),
		time: f.NewGauge(prometheus.GaugeOpts{
			Name: "scorelay_ledger_block_timestamp_seconds", Help: "Time of that block; 0 before the first.",
		}),
	}
}

func (m *sourceMetrics) shows(newest *Message) {
	m.block.Set(float64(newest.Block.Number))
	if newest.Kind != Letter {
		m.time.Set(float64(newest.Time.Unix()))
	}
}
