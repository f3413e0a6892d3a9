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

const module = "github.com/scorelay/scorelay/cmd/bench"

// root returns the product's source.
func root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, here, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || path != module {
		return "", errors.New("couldn't find the source to build: run this in cmd/bench with `go run . relay`, or another subcommand")
	}
	return filepath.Join(here, "..", ".."), nil
}

// buildStack builds the programs of a stack of processes into a folder.
func buildStack(ctx context.Context, folder string) error {
	source, err := root(ctx)
	if err != nil {
		return err
	}
	progress("building the programs of the stack")
	return goBuild(ctx, source, folder+string(filepath.Separator), "./cmd/api", "./cmd/relayer", "./cmd/scorelay", "./pkg/devnet/rig/stack/stack")
}

func (b *bench) build(ctx context.Context, others ...program) error {
	source, err := root(ctx)
	if err != nil {
		return err
	}
	bin := filepath.Join(b.dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return fmt.Errorf("couldn't make a directory for programs: %w", err)
	}
	b.relayer, b.scorelay = filepath.Join(bin, "relayer"), filepath.Join(bin, "scorelay")
	progress("building cmd/relayer and cmd/scorelay")
	if err := goBuild(ctx, source, bin+string(filepath.Separator), "./cmd/relayer", "./cmd/scorelay"); err != nil {
		return err
	}
	for _, p := range others {
		progress("building " + p.name)
		*p.path = filepath.Join(bin, p.name)
		if err := goBuild(ctx, filepath.Join(source, "cmd", "bench", p.dir), *p.path, p.source); err != nil {
			return err
		}
	}
	return nil
}

type program struct {
	name   string
	dir    string // build directory, relative to cmd/bench
	source string
	path   *string
}

func goBuild(ctx context.Context, dir, out string, packages ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", out}, packages...)...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("couldn't build %s: %w\n%s", strings.Join(packages, " "), err, said)
	}
	return nil
}
