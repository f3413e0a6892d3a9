package app

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/stream"
)

// BuildInfo describes this program and the stored formats that it can read.
type BuildInfo struct {
	// Version is the release's tag, or a pseudo-version; "development build" if unknown.
	Version string `json:"version"`
	// Commit is empty if unknown.
	Commit  string  `json:"commit,omitempty"`
	Changed bool    `json:"changed,omitempty"`
	Go      string  `json:"go"`
	System  string  `json:"system"`
	Formats Formats `json:"formats"`
}

// Formats are the newest versions of the formats in NATS that this program reads. It halts at newer ones.
type Formats struct {
	Message int `json:"message"` // of the stream: accepted updates and creations
	Journal int `json:"journal"` // entries of the lanes' journals
	Roster  int `json:"roster"`
}

func Build() BuildInfo {
	b := BuildInfo{
		Version: "development build", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Formats: Formats{Message: stream.Version, Journal: lane.Version, Roster: roster.Version},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "(devel)" { // go run, or a build outside of git
		b.Version = cmp.Or(info.Main.Version, b.Version)
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.modified":
			b.Changed = setting.Value == "true"
		}
	}
	return b
}

func Version() string {
	b := Build()
	commit := cmp.Or(b.Commit, "of no known commit")
	if b.Changed {
		commit += " with changes"
	}
	return b.Version + " (" + commit + ", " + b.Go + ")"
}
