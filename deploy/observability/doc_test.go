// Package observability tests the alerts and dashboards in this folder against the runbook, Prometheus's own tools
// and a running stack. It is a module of its own, since Go does not see that its tests read these files.
package observability

import (
	"os"
	"os/exec"
	"testing"

	"github.com/goccy/go-yaml"
)

const root = "../.."

type rule struct {
	Alert       string
	Expr        string
	For         string
	Labels      map[string]string
	Annotations map[string]string
}

func rules(t *testing.T) []rule {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
	load(t, "rules.yml", &file)
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) < 30 {
		t.Fatalf("rules.yml has %d groups", len(file.Groups))
	}
	return file.Groups[0].Rules
}

func load(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, file)), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tool returns a command of Debian's package prometheus. If it is missing, the test is skipped, or fails if
// SCORELAY_REQUIRE_PROMETHEUS is set.
func tool(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("SCORELAY_REQUIRE_PROMETHEUS") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("%v: install Debian's package prometheus", err)
	}
	return exec.Command(path, args...)
}
