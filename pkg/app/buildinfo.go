package app

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

func showBuild(program string, reg prometheus.Registerer) {
	b := Build()
	promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
		Name: "scorelay_build_info", Help: "1, with the program, its version, the commit it was built from, and the version of Go.",
	}, []string{"program", "version", "revision", "goversion"}).WithLabelValues(program, b.Version, cmp.Or(b.Commit, "unknown"), b.Go).Set(1)
}
