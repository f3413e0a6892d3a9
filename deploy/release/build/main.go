// Command build makes a release from a tag: static Linux programs for amd64 and arm64 with bills of materials,
// images, the Helm chart, the TypeScript SDK, the changelog's section and checksums.
//
// It needs git, npm, and Debian's ca-certificates, gcc-x86-64-linux-gnu with libc6-dev-amd64-cross, and
// gcc-aarch64-linux-gnu with libc6-dev-arm64-cross. On a machine of that architecture, libc6-dev replaces the "cross"
// package. Docker is not needed.
//
//	go run -C deploy/release ./build -out /DIR v1.2.3     release a tag
//	go run -C deploy/release ./build -out /DIR -dry-run   try a release of the checked-out commit
//
// It builds in a clone, so that only committed files get in, with the Go version of deploy/Dockerfile. The same
// commit yields the same bytes if Go, the C compilers, ca-certificates and npm have the same versions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var programs = []string{"api", "relayer", "scorelay"}

// targets are the architectures with their C compilers. With cgo, recovering a signer is several times faster than in
// pure Go, and the programs are still static.
var targets = []struct{ arch, compiler, packages string }{
	{"amd64", "x86_64-linux-gnu-gcc", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross"},
	{"arm64", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"},
}

const dryVersion = "v0.0.0-dry"

// released matches a valid tag. Build metadata (+…) is excluded, since OCI tags cannot contain "+".
var released = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "build: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, log io.Writer) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	out := flags.String("out", "", "folder for the release; it must be empty, or not be there")
	dry := flags.Bool("dry-run", false, "take the commit that is checked out, and the changelog's section of what is not released")
	root := flags.String("root", "../..", "folder of the repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r := release{version: flags.Arg(0), section: strings.TrimPrefix(flags.Arg(0), "v"), from: flags.Arg(0), log: log}
	if *dry {
		r.version, r.section, r.from = dryVersion, "Unreleased", "HEAD"
	}
	switch {
	case *dry == (flags.NArg() == 1) || flags.NArg() > 1 || *out == "":
		return errors.New("name a folder by -out, and a tag or -dry-run")
	case !released.MatchString(r.version):
		return fmt.Errorf("the tag %q is no version like v1.2.3", r.version)
	}
	var err error
	if r.out, err = emptyFolder(*out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "scorelay-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	r.source = filepath.Join(work, "source")
	if err := r.clone(ctx, *root, *dry); err != nil {
		return err
	}
	// sdk changes the clone, so it is last.
	for _, step := range []func(context.Context) error{r.notes, r.programs, r.images, r.chart, r.sdk} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return sums(r.out)
}

// emptyFolder creates the folder if needed and returns its absolute path.
func emptyFolder(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(folder)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", folder)
	}
	return folder, err
}

type release struct {
	version string
	from    string // cloned revision: the tag, or HEAD
	section string // in the changelog
	commit  string
	source  string // folder of the clone
	out     string
	made    time.Time // commit time, used for all timestamps
	env     []string  // environment of every command
	log     io.Writer
}

// number returns the version without its "v", as in charts and npm.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

// clone checks the commit out into r.source and sets r.env for all later commands.
func (r *release) clone(ctx context.Context, root string, dry bool) error {
	r.env = os.Environ()
	var err error
	if r.commit, err = r.output(ctx, root, "git", "rev-parse", "--verify", r.from+"^{commit}"); err != nil {
		return err
	}
	if _, err := r.output(ctx, root, "git", "clone", "--quiet", "--no-checkout", ".", r.source); err != nil {
		return err
	}
	if _, err := r.output(ctx, r.source, "git", "-c", "advice.detachedHead=false", "checkout", "--quiet", r.commit); err != nil {
		return err
	}
	if dry { // Go derives the version from a tag
		if _, err := r.output(ctx, r.source, "git", "tag", r.version); err != nil {
			return err
		}
	}
	seconds, err := r.output(ctx, r.source, "git", "show", "--no-patch", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.made = time.Unix(n, 0).UTC()
	dockerfile, err := os.ReadFile(filepath.Join(r.source, "deploy", "Dockerfile"))
	if err != nil {
		return err
	}
	image := regexp.MustCompile(`(?m)^FROM golang:(\d+\.\d+\.\d+)-`).FindSubmatch(dockerfile)
	if image == nil {
		return errors.New("deploy/Dockerfile names no version of Go")
	}
	// Override the caller's build settings, which must not affect the release.
	r.env = append(r.env, "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "CGO_CFLAGS=-O2 -g", "CGO_LDFLAGS=-O2 -g",
		"GOTOOLCHAIN=go"+string(image[1]), "SOURCE_DATE_EPOCH="+seconds, "LC_ALL=C", "TZ=UTC")
	fmt.Fprintf(r.log, "build: %s of %s, made %s with Go %s\n", r.version, r.commit, r.made.Format(time.RFC3339), image[1])
	return nil
}

func (r *release) output(ctx context.Context, dir string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Dir, command.Env = dir, r.env
	var problem strings.Builder
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, problem.String(), out)
	}
	return strings.TrimRight(string(out), "\n"), nil
}
