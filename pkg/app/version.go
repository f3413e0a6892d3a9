package app

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/stream"
)

// BuildInfo tells which program this is, and what it can read of what is stored.
type BuildInfo struct {
	// Version is the release's tag, or one that names the commit; "development build" where neither is known.
	Version string `json:"version"`
	// Commit is the one it was built from; empty if that is not known.
	Commit string `json:"commit,omitempty"`
	// Changed says that there were changes beside that commit.
	Changed bool    `json:"changed,omitempty"`
	Go      string  `json:"go"`
	System  string  `json:"system"`
	Formats Formats `json:"formats"`
}

// Formats are the versions of what is stored in NATS. A program that meets a newer one than its own reads nothing of it.
type Formats struct {
	Message int `json:"message"` // of the stream: accepted updates and creations
	Journal int `json:"journal"` // entries of the lanes' journals
	Roster  int `json:"roster"`  // which lanes there are
}

// Build is what the linker wrote into this program, and the formats it has.
func Build() BuildInfo {
	b := BuildInfo{
		Version: "development build", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Formats: Formats{Message: stream.Version, Journal: lane.Version, Roster: roster.Version},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "(devel)" { // go run, or built outside of git
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

// Version is the version, the commit and what built it, for people.
func Version() string {
	b := Build()
	commit := cmp.Or(b.Commit, "of no known commit")
	if b.Changed {
		commit += " with changes"
	}
	return b.Version + " (" + commit + ", " + b.Go + ")"
}
