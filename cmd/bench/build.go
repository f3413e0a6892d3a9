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

// build builds the programs that are measured: the product's from this source, as an operator does, and the peer.
func (b *bench) build(ctx context.Context, peer bool) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, here, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || path != module {
		return errors.New("couldn't find the source to build: run this in cmd/bench with `go run . relay`")
	}
	bin := filepath.Join(b.dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return fmt.Errorf("couldn't make a directory for programs: %w", err)
	}
	b.relayer, b.scorelay, b.txmgr = filepath.Join(bin, "relayer"), filepath.Join(bin, "scorelay"), filepath.Join(bin, "txmgr")
	progress("building cmd/relayer and cmd/scorelay")
	if err := goBuild(ctx, filepath.Join(here, "..", ".."), bin+string(filepath.Separator), "./cmd/relayer", "./cmd/scorelay"); err != nil {
		return err
	}
	if !peer {
		return nil
	}
	progress("building the peer")
	return goBuild(ctx, filepath.Join(here, "txmgr"), b.txmgr, ".")
}

func goBuild(ctx context.Context, dir, out string, packages ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", out}, packages...)...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("couldn't build %s: %w\n%s", strings.Join(packages, " "), err, said)
	}
	return nil
}
