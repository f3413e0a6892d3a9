package dev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/scorelay/scorelay"

// binaries finds the api and relayer an operator would run: beside this program when they are there, as after
// `go build -o bin/ ./cmd/...`, and otherwise built from the source in the working directory, as under `go run`.
func binaries(ctx context.Context, dataDir string, say func(string)) (api, relayer string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", fmt.Errorf("couldn't find this program's own file: %w", err)
	}
	beside := filepath.Dir(self)
	api, relayer = filepath.Join(beside, "api"), filepath.Join(beside, "relayer")
	if isFile(api) && isFile(relayer) {
		return api, relayer, nil
	}
	source, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, root, _ := strings.Cut(strings.TrimSpace(string(source)), " ")
	if err != nil || path != module {
		return "", "", errors.New("couldn't find the programs api and relayer beside this one; run from Scorelay's source, " +
			"or build all three with `go build -o bin/ ./cmd/...`")
	}
	say("building cmd/api and cmd/relayer")
	bin, err := filepath.Abs(filepath.Join(dataDir, "bin"))
	if err != nil {
		return "", "", fmt.Errorf("couldn't name the directory of the programs: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", bin+string(filepath.Separator), "./cmd/api", "./cmd/relayer")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("couldn't build cmd/api and cmd/relayer: %w\n%s", err, out)
	}
	return filepath.Join(bin, "api"), filepath.Join(bin, "relayer"), nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
