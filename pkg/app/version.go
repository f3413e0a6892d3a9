package app

import (
	"runtime/debug"
	"strings"
)

// Version is the module's version, or the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	var revision, modified string
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			revision = setting.Value
		case "vcs.modified":
			modified = setting.Value
		}
	}
	if revision == "" {
		if version == "" || version == "(devel)" {
			version = "development build, of no known commit" // go run, or built outside of git
		}
		return version + " (" + info.GoVersion + ")"
	}
	if modified == "true" {
		revision += " with changes"
	}
	return strings.TrimSpace(version + " (" + revision + ", " + info.GoVersion + ")")
}
