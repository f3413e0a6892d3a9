package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestImages checks that each image is valid, reproducible, like deploy/Dockerfile's, and contains only its
// platform's program and the necessary files.
func TestImages(t *testing.T) {
	made := func() release {
		r := release{version: "v1.2.3", commit: "abc", source: filepath.Join(t.TempDir(), "source"), made: time.Unix(1_800_000_000, 0).UTC(), log: io.Discard}
		for _, target := range targets {
			if err := os.MkdirAll(r.built(target.arch), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, program := range programs {
				if err := os.WriteFile(filepath.Join(r.built(target.arch), program), []byte(program+" for "+target.arch), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		return r
	}
	first, second := made(), made()
	dockerfile := read(t, "../../..", "deploy/Dockerfile")
	for _, program := range programs {
		index, err := first.image(program)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		if err := first.lay(folder, program, index); err != nil {
			t.Fatal(err)
		}
		if laid, err := layout.ImageIndexFromPath(folder); err != nil || validate.Index(laid) != nil {
			t.Errorf("%v, %v", err, validate.Index(laid))
		}
		again, err := second.image(program)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := index.Digest()
		if b, _ := again.Digest(); a != b {
			t.Errorf("two images of one program: %s, %s", a, b)
		}
		manifest, err := index.IndexManifest()
		if err != nil || len(manifest.Manifests) != len(targets) {
			t.Fatalf("%+v, %v", manifest, err)
		}
		for i, target := range targets {
			image, err := index.Image(manifest.Manifests[i].Digest)
			if err != nil {
				t.Fatal(err)
			}
			config, err := image.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			if manifest.Manifests[i].Platform.Architecture != target.arch || config.Architecture != target.arch {
				t.Errorf("%s, platform %d: %+v", program, i, config)
			}
			isAsBuiltByDocker(t, dockerfile, program, config)
			holds(t, image, program, program+" for "+target.arch)
		}
	}
}

func isAsBuiltByDocker(t *testing.T, dockerfile, program string, config *v1.ConfigFile) {
	t.Helper()
	_, target, _ := strings.Cut(dockerfile, "\nFROM base AS "+program+"\n")
	target, _, _ = strings.Cut(target, "\nFROM ")
	if entry := regexp.MustCompile(`ENTRYPOINT \["(.*)"\]`).FindStringSubmatch(target); entry == nil || !slices.Equal(config.Config.Entrypoint, entry[1:]) {
		t.Errorf("%s starts %v, by the Dockerfile %v", program, config.Config.Entrypoint, entry)
	}
	for port := range config.Config.ExposedPorts {
		if !strings.Contains(target, "EXPOSE "+strings.TrimSuffix(port, "/tcp")+"\n") {
			t.Errorf("%s exposes %s", program, port)
		}
	}
	if len(config.Config.ExposedPorts) != strings.Count(target, "EXPOSE") {
		t.Errorf("%s exposes %v", program, config.Config.ExposedPorts)
	}
	if !strings.Contains(dockerfile, "\nUSER "+config.Config.User+"\n") {
		t.Errorf("%s runs as %s", program, config.Config.User)
	}
	for _, line := range []string{passwd, group} {
		if !strings.Contains(dockerfile, "echo '"+strings.TrimSpace(line)+"'") {
			t.Errorf("the Dockerfile has no %s", line)
		}
	}
}

func holds(t *testing.T, image v1.Image, program, content string) {
	t.Helper()
	folder := extract(t, mutate.Extract(image))
	if got := read(t, folder, program); got != content {
		t.Errorf("%s is %q, not %q", program, got, content)
	}
	if got := read(t, folder, authorities); !strings.Contains(got, "BEGIN CERTIFICATE") {
		t.Errorf("%s has no certificates", program)
	}
	if read(t, folder, "etc/passwd") != passwd || read(t, folder, "etc/group") != group {
		t.Errorf("%s has other users", program)
	}
	if files, err := below(folder); err != nil || len(files) != 4 {
		t.Errorf("%s holds %v, %v", program, files, err)
	}
}
