package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	root   = "../../.."
	module = "github.com/scorelay/scorelay"
)

func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}

// TestDescribe builds a service and compares its document with the output of `go version -m`.
func TestDescribe(t *testing.T) {
	program := filepath.Join(t.TempDir(), "api")
	command(t, root, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./cmd/api")
	graph := command(t, root, "go", "mod", "graph")
	made := time.Unix(1_800_000_000, 0)
	d, err := describe(program, "v1.2.3+build", graph, made)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(command(t, root, "go", "version", "-m", program)) {
		if f := strings.Fields(line); f[0] == "dep" {
			want = append(want, f[1]+" "+f[2])
		}
	}
	var got []string
	refs := map[string]bool{d.Metadata.Component.Ref: true}
	for _, c := range d.Components {
		if refs[c.Ref] {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = true
		if c.Name == "std" {
			continue
		}
		got = append(got, c.Name+" "+c.Version)
		if len(c.Hashes) != 1 || len(c.Hashes[0].Content) != 64 {
			t.Errorf("%s has no checksum", c.Name)
		}
	}
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("the modules are\n%q, want\n%q", got, want)
	}
	for _, dep := range d.Dependencies {
		for _, ref := range append(dep.DependsOn, dep.Ref) {
			if !refs[ref] {
				t.Errorf("a dependency names %s, which is no component", ref)
			}
		}
	}
	reached := reachable(d)
	for ref := range refs {
		if !reached[ref] {
			t.Errorf("nothing needs %s", ref)
		}
	}
	raw, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(raw)
	if is := d.Metadata.Component; is.Name != "api" || is.PackageURL != "pkg:golang/"+module+"@v1.2.3%2Bbuild#cmd/api" || is.Hashes[0].Content != hex.EncodeToString(sum[:]) {
		t.Errorf("the program is %+v", is)
	}
	if d.Metadata.Time != "2027-01-15T08:00:00Z" || !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(d.Serial) {
		t.Errorf("the document is of %s, %s", d.Metadata.Time, d.Serial)
	}
	again, err := describe(program, "v1.2.3+build", graph, made)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := encoded(t, d), encoded(t, again); !bytes.Equal(a, b) {
		t.Error("the same program makes another document")
	}
}

func encoded(t *testing.T, d *document) []byte {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// reachable returns the program and its direct and indirect dependencies.
func reachable(d *document) map[string]bool {
	needs := map[string][]string{}
	for _, dep := range d.Dependencies {
		needs[dep.Ref] = dep.DependsOn
	}
	reached, queue := map[string]bool{}, []string{d.Metadata.Component.Ref}
	for len(queue) > 0 {
		ref := queue[0]
		queue = queue[1:]
		if !reached[ref] {
			reached[ref] = true
			queue = append(queue, needs[ref]...)
		}
	}
	return reached
}

func TestWhatIsNoGoProgram(t *testing.T) {
	if _, err := describe("main.go", "", "", time.Time{}); err == nil || !strings.Contains(err.Error(), "couldn't read which modules are in main.go") {
		t.Errorf("a text has a bill of materials: %v", err)
	}
}
