package app

import (
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// showBuild shows what was built: a constant 1, with labels to join others with.
func showBuild(program string, reg prometheus.Registerer) {
	version, revision, goVersion := "unknown", "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version, goVersion = info.Main.Version, info.GoVersion
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				revision = setting.Value
			}
		}
	}
	promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
		Name: "scorelay_build_info", Help: "1, with the program, its version, the commit it was built from, and the version of Go.",
	}, []string{"program", "version", "revision", "goversion"}).WithLabelValues(program, version, revision, goVersion).Set(1)
}
