package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
	"time"
)

type slowDisk struct {
	*bench
	lanes    int
	relayers int
	rate     int // updates per second in signed groups
	singles  int // updates per second one by one
	api      string
	nats     string
}

// slowBy is the delay that the slow disk adds to each sync.
const slowBy = 2 * time.Millisecond

type accepts struct {
	Rate    float64 `json:"updates_per_s"` // accepted
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Missed  int     `json:"missed"`  // updates due while too many requests were in progress
	Retries int     `json:"retries"` // requests
}

// diskFigures are those of one disk, by load, such as "groups_1_api".
type diskFigures struct {
	SyncMS  float64            `json:"sync_ms"` // median of a sync of 4 KiB
	Accepts map[string]accepts `json:"accept"`
}

type diskReport struct {
	Lanes    int         `json:"lanes"`
	Relayers int         `json:"relayers"`
	Fast     diskFigures `json:"fast"`
	Slow     diskFigures `json:"slow"`
}

// runSlowDisk measures accepts while NATS syncs every write, on the disk as it is and with each sync delayed by 2 ms.
//
// For the delay, nats-server and the process that measures sync_ms run under strace. Unlike a slow disk, strace also
// stops the server for each signal of Go's scheduler.
//
// Each load has its own deployment: --lanes lanes, --relayers relayers and one or two APIs, each a process, on a
// chain as in backlog. The load generator sends to 32 projects in an open loop: --rate updates per second in signed
// groups of 50, or --singles one by one. p50_ms and p99_ms are from when a request was due until its response; each
// update of a group counts.
func runSlowDisk(ctx context.Context, args []string) error {
	d := &slowDisk{bench: &bench{begun: time.Now()}}
	flags := newFlags("slowdisk")
	flags.IntVar(&d.lanes, "lanes", 8, "how many lanes the deployment has, 1 to 8")
	flags.IntVar(&d.relayers, "relayers", 2, "how many relayers drive them; with 0, updates only wait")
	flags.IntVar(&d.rate, "rate", 10_000, "updates per second that are sent in signed groups of 50")
	flags.IntVar(&d.singles, "singles", 2_000, "updates per second that are sent one by one")
	flags.DurationVar(&d.seconds, "seconds", 15*time.Second, "how long each load is sent")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.lanes < 1 || d.lanes > 8 || d.relayers < 0 || d.rate < 1 || d.singles < 1 || d.seconds < time.Second || flags.NArg() > 0 {
		return errors.New("--lanes must be from 1 to 8, --relayers not negative, --rate and --singles at least 1, --seconds at least 1s, and nothing may follow the flags")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		return fmt.Errorf("slowdisk makes a disk slow with strace; install it (Debian: apt-get install strace): %w", err)
	}
	report, err := inDir(d.bench, *keep, func() (*diskReport, error) { return d.run(ctx) })
	if err != nil {
		return err
	}
	if err := report.writeTable(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (d *slowDisk) run(ctx context.Context) (*diskReport, error) {
	if err := d.buildAll(ctx); err != nil {
		return nil, err
	}
	report := &diskReport{Lanes: d.lanes, Relayers: d.relayers}
	var err error
	if report.Fast, err = d.disk(ctx, "fast", 0); err != nil {
		return nil, fmt.Errorf("on the fast disk: %w", err)
	}
	if report.Slow, err = d.disk(ctx, "slow", slowBy); err != nil {
		return nil, fmt.Errorf("on the slow disk: %w", err)
	}
	return report, nil
}

func (d *slowDisk) buildAll(ctx context.Context) error {
	discardLogs()
	return d.build(ctx,
		program{name: "api", dir: "../..", source: "./cmd/api", path: &d.api},
		program{name: "nats-server", dir: ".", source: "github.com/nats-io/nats-server/v2", path: &d.nats},
	)
}

// buildFrom builds a checkout's programs; if built is set, it uses those in that directory.
func (d *slowDisk) buildFrom(ctx context.Context, source, built string) error {
	discardLogs()
	bin := cmp.Or(built, filepath.Join(d.dir, "bin")) + string(filepath.Separator)
	d.relayer, d.scorelay, d.api, d.nats = bin+"relayer", bin+"scorelay", bin+"api", bin+"nats-server"
	if built != "" {
		return nil
	}
	progress("building the programs of " + source)
	if err := goBuild(ctx, source, bin, "./cmd/api", "./cmd/relayer", "./cmd/scorelay"); err != nil {
		return err
	}
	return goBuild(ctx, ".", d.nats, "github.com/nats-io/nats-server/v2")
}

func (d *slowDisk) loads() []loadOptions {
	return []loadOptions{
		{name: "groups_1_api", apis: 1, rate: d.rate, signed: 100},
		{name: "groups_2_apis", apis: 2, rate: d.rate, signed: 100},
		{name: "singles_1_api", apis: 1, rate: d.singles},
		{name: "singles_2_apis", apis: 2, rate: d.singles},
	}
}

func (d *slowDisk) disk(ctx context.Context, name string, longer time.Duration) (f diskFigures, err error) {
	if f.SyncMS, err = d.syncTime(ctx, longer); err != nil {
		return f, err
	}
	progress(fmt.Sprintf("%s disk: a sync takes %.2f ms", name, f.SyncMS))
	f.Accepts = map[string]accepts{}
	for _, o := range d.loads() {
		a, err := d.load(ctx, filepath.Join(d.dir, name+"-"+o.name), longer, o)
		if err != nil {
			return f, fmt.Errorf("%s: %w", o.name, err)
		}
		progress(fmt.Sprintf("%s disk, %s: %.0f updates/s, p50 %.1f ms, p99 %.1f ms", name, o.name, a.Rate, a.P50, a.P99))
		f.Accepts[o.name] = a
	}
	return f, nil
}

func (r *diskReport) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "\nAccepting, %d lanes, %d relayers, NATS syncs every write: %.2f ms on the fast disk, %.2f ms on the slow one.\n\n",
		r.Lanes, r.Relayers, r.Fast.SyncMS, r.Slow.SyncMS)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tfast updates/s\tp50 ms\tp99 ms\tslow updates/s\tp50 ms\tp99 ms\t")
	for _, o := range (&slowDisk{}).loads() {
		fast, slow := r.Fast.Accepts[o.name], r.Slow.Accepts[o.name]
		fmt.Fprintf(table, "%s\t%.0f\t%.1f\t%.1f\t%.0f\t%.1f\t%.1f\t\n", o.name, fast.Rate, fast.P50, fast.P99, slow.Rate, slow.P50, slow.P99)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("couldn't write the table: %w", err)
	}
	return nil
}
