package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func (r *release) notes(context.Context) error {
	changelog, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	section, err := changes(string(changelog), r.section)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "CHANGELOG-"+r.number()+".md"), []byte(section), 0o644)
}

// changes returns a version's section of a changelog (keepachangelog.com), without its heading. A missing or empty
// section is an error.
func changes(changelog, version string) (string, error) {
	_, section, found := strings.Cut(changelog, "\n## ["+version+"]")
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no section %q", "## ["+version+"]")
	}
	section, _, _ = strings.Cut(section, "\n## [")
	_, section, _ = strings.Cut(section, "\n") // drops the date in the heading
	section = strings.TrimSpace(section)
	if section == "" {
		return "", fmt.Errorf("the section of CHANGELOG.md for %s is empty", version)
	}
	return section + "\n", nil
}

func (r *release) built(arch string) string { return filepath.Join(r.source, "..", arch) }

func (r *release) programs(ctx context.Context) error {
	sbom := filepath.Join(r.source, "..", "sbom")
	if _, err := r.output(ctx, filepath.Join(r.source, "deploy", "release"), "go", "build", "-o", sbom, "./sbom"); err != nil {
		return err
	}
	for _, target := range targets {
		if _, err := exec.LookPath(target.compiler); err != nil {
			return fmt.Errorf("there is no C compiler for %s: apt-get install %s (%w)", target.arch, target.packages, err)
		}
		fmt.Fprintf(r.log, "build: programs for linux/%s\n", target.arch)
		name := fmt.Sprintf("scorelay-%s-linux-%s", r.number(), target.arch)
		folder := r.built(target.arch)
		args := []string{
			"env", "CGO_ENABLED=1", "GOOS=linux", "GOARCH=" + target.arch, "CC=" + target.compiler,
			"go", "build", "-buildvcs=true", "-trimpath", "-tags", "netgo,osusergo",
			"-ldflags", `-s -w -linkmode external -extldflags "-static"`, "-o", folder + string(filepath.Separator),
		}
		for _, program := range programs {
			args = append(args, "./cmd/"+program)
		}
		if _, err := r.output(ctx, r.source, args...); err != nil {
			return err
		}
		contents := []file{{filepath.Join(r.source, "LICENSE"), name + "/LICENSE", 0o644}}
		for _, program := range programs {
			path := filepath.Join(folder, program)
			contents = append(contents, file{path, name + "/" + program, 0o755})
			document, err := r.output(ctx, r.source, sbom, "-version", r.version, "-module", r.source, path)
			if err != nil {
				return err
			}
			bill := fmt.Sprintf("%s-%s-linux-%s.cdx.json", program, r.number(), target.arch)
			if err := os.WriteFile(filepath.Join(r.out, bill), []byte(document+"\n"), 0o644); err != nil {
				return err
			}
		}
		packed, err := zipped(r.made, contents)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, name+".tar.gz"), packed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) chart(ctx context.Context) error {
	fmt.Fprintln(r.log, "build: the chart")
	_, err := r.output(ctx, filepath.Join(r.source, "deploy", "helm", "check"),
		"go", "tool", "helm", "package", "../scorelay", "--version", r.number(), "--app-version", r.number(), "--destination", r.out)
	return err
}

func (r *release) sdk(ctx context.Context) error {
	fmt.Fprintln(r.log, "build: the SDK in TypeScript")
	folder := filepath.Join(r.source, "pkg", "sdk", "ts")
	for _, args := range [][]string{
		{"npm", "version", r.number(), "--no-git-tag-version", "--allow-same-version"},
		{"npm", "ci", "--silent", "--no-audit", "--no-fund"},
		{"npm", "pack", "--silent", "--pack-destination", r.out},
	} {
		if _, err := r.output(ctx, folder, args...); err != nil {
			return err
		}
	}
	packed, err := filepath.Glob(filepath.Join(r.out, "scorelay-sdk-*.tgz"))
	if err == nil && len(packed) != 1 {
		err = errors.New("npm packed no SDK")
	}
	return err
}
