package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/scorelay/scorelay/pkg/devnet"
	generator "github.com/scorelay/scorelay/pkg/devnet/rig/load"
)

const loadCommand = "load"

// runLoad sends signed updates to a deployment in an open loop: a slow API shows as latency instead of a lower rate.
// The updates are of new projects. They change scores on the chain, and cost gas. The API key is in SCORELAY_API_KEY,
// or in the file that SCORELAY_API_KEY_FILE names. Without --url, it finds the API and the key of a running stack by
// its data directory.
func runLoad(ctx context.Context, args []string) error {
	o := generator.DefaultOptions()
	flags := newFlags(loadCommand)
	urls := flags.String("url", os.Getenv("SCORELAY_API"), "addresses of the deployment's APIs, separated by commas")
	dir := flags.String("data-dir", "../../.scorelay", "data directory of a running stack, used without --url")
	flags.Float64Var(&o.Rate, "rate", o.Rate, "updates per second")
	flags.DurationVar(&o.Duration, "duration", o.Duration, "how long updates are sent; 90s later, those without an answer are given up")
	flags.IntVar(&o.Projects, "projects", o.Projects, "number of projects, created for this run")
	flags.IntVar(&o.Signers, "signers", o.Signers, "wallets of each project that sign")
	flags.IntVar(&o.Wallets, "wallets", o.Wallets, "wallets of each project whose scores change")
	flags.StringVar(&o.IDs, "ids", o.IDs, "updateIds: random, consecutive or mixed")
	flags.Float64Var(&o.Signed, "signed", o.Signed, "percentage of the updates that is sent in signed groups")
	flags.IntVar(&o.Group, "group", o.Group, "updates of a signed group")
	flags.IntVar(&o.MaxInFlight, "max-in-flight", o.MaxInFlight, "concurrent requests; an update that would need one more counts as missed")
	asJSON := flags.Bool("json", false, "print the summary as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("nothing may follow the flags")
	}
	o.Key = os.Getenv("SCORELAY_API_KEY") // never an argument, which other users can read
	if file := os.Getenv("SCORELAY_API_KEY_FILE"); o.Key == "" && file != "" {
		key, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("couldn't read the API key: %w", err)
		}
		o.Key = strings.TrimSpace(string(key))
	}
	if *urls != "" {
		o.URLs = strings.Split(*urls, ",")
	} else if err := running(*dir, &o); err != nil {
		return err
	}
	summary, err := generator.Generate(ctx, o, os.Stderr)
	if err != nil {
		return err
	}
	if *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(summary)
	} else {
		fmt.Println(summary)
	}
	if err == nil && summary.Bad() {
		err = errors.New("some updates were not answered as they should be")
	}
	return err
}

// runStack builds and runs a stack of separate processes until a signal; --help lists its flags.
func runStack(ctx context.Context, args []string) error {
	folder, err := os.MkdirTemp("", "scorelay-stack-")
	if err != nil {
		return fmt.Errorf("couldn't make a folder for programs: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := buildStack(ctx, folder); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(folder, "stack"), append([]string{"--programs", folder}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = devnet.DieWithParent()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the stack failed: %w", err)
	}
	return nil
}

// running reads what a running `scorelay dev` wrote.
func running(dir string, o *generator.Options) error {
	info, err := devnet.ReadInfo(dir)
	if err != nil {
		return fmt.Errorf("set --url, or start `scorelay dev` (--data-dir is its folder): %w", err)
	}
	if o.URLs = info.APIURLs; o.Key == "" {
		o.Key = info.APIKey
	}
	return nil
}

// send runs the load generator as a process of its own.
func (s *accepting) send(ctx context.Context, o loadOptions) (a accepts, err error) {
	self, err := os.Executable()
	if err != nil {
		return a, fmt.Errorf("couldn't find the benchmark's own program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, loadCommand, "--json", "--ids", "consecutive", "--url", strings.Join(s.urls, ","),
		"--rate", strconv.Itoa(o.rate), "--duration", s.seconds.String(), "--projects", strconv.Itoa(loadProjects),
		"--signed", strconv.Itoa(o.signed), "--group", strconv.Itoa(loadGroup))
	cmd.Env = s.environ
	out, err := cmd.Output()
	if err != nil {
		return a, failed("send a load", err)
	}
	var summary generator.Summary
	if err := json.Unmarshal(out, &summary); err != nil {
		return a, fmt.Errorf("couldn't read what the load measured: %w", err)
	}
	return accepts{Rate: summary.PerSecond, P50: summary.Latency.P50, P99: summary.Latency.P99, Missed: summary.Missed, Retries: summary.Retries}, nil
}
