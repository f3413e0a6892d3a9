package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"debug/elf"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var whole = flag.Bool("release", false, "make a release of the commit that is checked out, twice")

func TestChanges(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- New.\n\n## [1.2.3] - 2026-11-22\n\n- Old.\n\n## [1.2.2] - 2026-11-01\n"
	for version, want := range map[string]string{"Unreleased": "### Added\n\n- New.\n", "1.2.3": "- Old.\n"} {
		if got, err := changes(changelog, version); err != nil || got != want {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
	for version, want := range map[string]string{"1.2.2": "is empty", "1.2": "has no section", "9.9.9": "has no section"} {
		if _, err := changes(changelog, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "old"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"name a folder by -out":   {"v1.2.3"},
		"a tag or -dry-run":       {"-out", t.TempDir(), "-dry-run", "v1.2.3"},
		"is no version":           {"-out", t.TempDir(), "1.2.3"},
		"v1.2.3+meta":             {"-out", t.TempDir(), "v1.2.3+meta"},
		"is not empty":            {"-out", full, "v1.2.3"},
		"v98.76.54^{commit}":      {"-out", t.TempDir(), "-root", "../../..", "v98.76.54"},
		"flag provided but not d": {"-ot", "x"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestPackIsReproducible checks that the files' own modification times leave the archive unchanged.
func TestPackIsReproducible(t *testing.T) {
	dir, made := t.TempDir(), time.Unix(1_800_000_000, 0)
	var archives []string
	for i, at := range []time.Time{made, made.Add(time.Hour)} {
		source := filepath.Join(dir, "source")
		if err := os.WriteFile(source, []byte("content"), os.FileMode(0o600+i)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(source, at, at); err != nil {
			t.Fatal(err)
		}
		content, err := zipped(made, []file{{source, "x/source", 0o755}})
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, string(content))
	}
	if archives[0] != archives[1] {
		t.Error("two archives of the same differ")
	}
}

// TestRelease makes a release of the checked-out commit twice, compares the bytes and checks each part. It takes a
// minute or two; longer at first.
func TestRelease(t *testing.T) {
	if !*whole {
		t.Skip("go test ./build -args -release")
	}
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		if err := run(t.Context(), []string{"-dry-run", "-root", "../../..", "-out", dir}, os.Stderr); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"CHANGELOG-0.0.0-dry.md", "SHA256SUMS",
		"images-0.0.0-dry.yaml", "api-0.0.0-dry-image.tar", "relayer-0.0.0-dry-image.tar", "scorelay-0.0.0-dry-image.tar",
		"api-0.0.0-dry-linux-amd64.cdx.json", "api-0.0.0-dry-linux-arm64.cdx.json",
		"relayer-0.0.0-dry-linux-amd64.cdx.json", "relayer-0.0.0-dry-linux-arm64.cdx.json",
		"scorelay-0.0.0-dry-linux-amd64.cdx.json", "scorelay-0.0.0-dry-linux-amd64.tar.gz",
		"scorelay-0.0.0-dry-linux-arm64.cdx.json", "scorelay-0.0.0-dry-linux-arm64.tar.gz",
		"scorelay-0.0.0-dry.tgz", "scorelay-sdk-0.0.0-dry.tgz",
	}
	entries, err := os.ReadDir(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, entry := range entries {
		have = append(have, entry.Name())
	}
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Fatalf("the release is %v", have)
	}
	for _, name := range want {
		first, err := os.ReadFile(filepath.Join(dirs[0], name))
		if err != nil {
			t.Fatal(err)
		}
		if second, err := os.ReadFile(filepath.Join(dirs[1], name)); err != nil || string(first) != string(second) {
			t.Errorf("%s differs between two builds of the same commit (%v)", name, err)
		}
	}
	check := exec.Command("sha256sum", "--check", "--strict", "--quiet", sumsFile)
	check.Dir = dirs[0]
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		archive := "scorelay-0.0.0-dry-linux-" + arch
		unpacked := unpack(t, filepath.Join(dirs[0], archive+".tar.gz"))
		for _, program := range programs {
			path := filepath.Join(unpacked, archive, program)
			if isStatic(t, path) != machine {
				t.Errorf("%s is not for %s", path, arch)
			}
			if arch == runtime.GOARCH {
				runs(t, path, program)
			}
		}
		if _, err := os.Stat(filepath.Join(unpacked, archive, "LICENSE")); err != nil {
			t.Error(err)
		}
	}
	for _, program := range programs {
		folder := untar(t, filepath.Join(dirs[0], program+"-0.0.0-dry-image.tar"))
		index, err := layout.ImageIndexFromPath(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(index); err != nil {
			t.Errorf("the image %s: %v", program, err)
		}
	}
	if chart := read(t, unpack(t, filepath.Join(dirs[0], "scorelay-0.0.0-dry.tgz")), "scorelay/Chart.yaml"); !strings.Contains(chart, "\nversion: 0.0.0-dry\n") || !strings.Contains(chart, "appVersion: 0.0.0-dry\n") {
		t.Errorf("the chart is\n%s", chart)
	}
	var sdk struct{ Name, Version, Main string }
	packed := unpack(t, filepath.Join(dirs[0], "scorelay-sdk-0.0.0-dry.tgz"))
	if err := json.Unmarshal([]byte(read(t, packed, "package/package.json")), &sdk); err != nil || sdk.Name != "@scorelay/sdk" || sdk.Version != "0.0.0-dry" {
		t.Errorf("the SDK is %+v, %v", sdk, err)
	}
	read(t, packed, filepath.Join("package", sdk.Main))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// unpack extracts a .tar.gz into a new folder.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	zipped, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = zipped.Close() }()
	packed, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	return extract(t, packed)
}

func untar(t *testing.T, archive string) string {
	t.Helper()
	packed, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	return extract(t, packed)
}

func extract(t *testing.T, packed io.Reader) string {
	t.Helper()
	dir := t.TempDir()
	for contents := tar.NewReader(packed); ; {
		header, err := contents.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil || !filepath.IsLocal(header.Name) {
			t.Fatalf("%+v, %v", header, err)
		}
		path := filepath.Join(dir, header.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(contents)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, header.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

// isStatic checks that the program needs no loader or libraries, and returns its architecture.
func isStatic(t *testing.T, path string) elf.Machine {
	t.Helper()
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			t.Errorf("%s is not static", path)
		}
	}
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s needs %v (%v)", path, libraries, err)
	}
	return program.Machine
}

// runs checks that the program prints the dry run's version and an unmodified commit.
func runs(t *testing.T, path, program string) {
	t.Helper()
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if want := dryVersion + " (" + strings.TrimSpace(string(commit)) + ", go"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%s --version says %q (%v), want %q", program, out, err, want)
	}
	if program != "scorelay" {
		return
	}
	var version struct {
		Version, Commit string
		Changed         bool
		Formats         map[string]int
	}
	if out, err = exec.CommandContext(ctx, path, "version", "--json").Output(); err == nil {
		err = json.Unmarshal(out, &version)
	}
	if err != nil || version.Version != dryVersion || version.Commit != strings.TrimSpace(string(commit)) || version.Changed || version.Formats["journal"] < 1 {
		t.Errorf("scorelay version says %s (%v)", out, err)
	}
}
