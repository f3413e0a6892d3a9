package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	firstLanes    = 2
	lanesProjects = 64 // enough that every change moves some
	lanesSettle   = 5 * time.Second
	lanesAfter    = 20 * time.Second // rest of a phase after its command
)

type lanesReport struct {
	Rate     int          `json:"updates_per_s"`
	Projects int          `json:"projects"`
	Errors   int          `json:"errors_5xx"`
	Late     float64      `json:"late_s"`
	Blocks   float64      `json:"block_late_s"`
	Phases   []lanesPhase `json:"phases"`
}

// Times are from the 200 until final; block_max_s until the block's timestamp. moved_max_s covers moved projects
// alone.
type lanesPhase struct {
	Name      string  `json:"name"`
	Updates   int     `json:"updates"`
	Errors    int     `json:"errors_5xx"`
	Refused   int     `json:"refused"`
	P50       float64 `json:"p50_s"`
	P99       float64 `json:"p99_s"`
	Max       float64 `json:"max_s"`
	Late      float64 `json:"late_s"`
	InBlock   float64 `json:"block_max_s"`
	BlockLate float64 `json:"block_late_s"`
	Moved     int     `json:"moved_projects"`
	MovedMax  float64 `json:"moved_max_s"`
	Command   float64 `json:"command_s,omitempty"`
}

type lanesRun struct {
	*accepting
	conn    *nats.Conn
	lanes   *kv.RosterStore
	callers *callers
}

// runLanes measures how late updates are while lanes change. Processes are as in slowdisk, with fast syncs: two
// relayers and one API, on a chain as in backlog, with two lanes at first. Both relayers read one keystore. A new
// lane's key is added right before the command.
//
// 64 projects in turn get --rate updates per second, one by one over HTTP in an open loop. Redis is polled every 50
// ms for each update's status, from its 200 until it is final, with one confirmation.
//
// Phases: steady for --seconds; then `scorelay lanes add`, `replace` and `remove` with --wait, and 20 s after each. A
// phase covers the updates accepted in it. The run fails if an update is not applied, or not final within a minute of
// the last 200.
//
//   - errors_5xx: requests with a 5xx; refused: with other failures. Failed requests are not retried.
//   - late_s: the phase's max less the steady phase's p99.9. The steady phase's own late_s is the machine's part.
//   - block_late_s: the same from the 200 to the block's timestamp, in whole seconds. It excludes the relayers'
//     reports, which are late while a status store is restored.
//   - moved_projects: those that another lane is to own after the command. command_s: its duration; --wait polls
//     every 2 s.
func runLanes(ctx context.Context, args []string) error {
	d := &slowDisk{bench: &bench{begun: time.Now()}, lanes: firstLanes, relayers: replicas}
	flags := newFlags("lanes")
	flags.IntVar(&d.rate, "rate", 256, "updates per second that are sent one by one, to 64 projects in turn")
	flags.DurationVar(&d.seconds, "seconds", 30*time.Second, "how long is measured before the lanes change")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.rate < 1 || d.seconds < 3*time.Second || flags.NArg() > 0 {
		return errors.New("--rate must be at least 1, --seconds at least 3s, and nothing may follow the flags")
	}
	report, err := inDir(d.bench, *keep, func() (*lanesReport, error) { return d.changeLanes(ctx) })
	if err != nil {
		return err
	}
	if err := report.writeTable(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (d *slowDisk) changeLanes(ctx context.Context) (*lanesReport, error) {
	if err := d.buildAll(ctx); err != nil {
		return nil, err
	}
	r := &lanesRun{accepting: &accepting{slowDisk: d, dir: filepath.Join(d.dir, "lanes")}}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, fmt.Errorf("couldn't make the directory of the leg: %w", err)
	}
	defer r.close()
	progress("starting a deployment")
	if err := r.start(ctx, 0, 1); err != nil {
		return nil, err
	}
	following, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer following.close()
	defer r.conn.Close()
	key, err := os.ReadFile(r.apiKeyFile())
	if err != nil {
		return nil, fmt.Errorf("couldn't read the API key: %w", err)
	}
	if r.callers, err = newCallers(ctx, following, r.urls[0], strings.TrimSpace(string(key)), lanesProjects); err != nil {
		return nil, err
	}
	return r.measure(ctx)
}

func (r *lanesRun) connect(ctx context.Context) (following *followed, err error) {
	if r.conn, err = nats.Connect(r.natsURL); err != nil {
		return nil, fmt.Errorf("couldn't reach NATS: %w", err)
	}
	defer func() {
		if err != nil {
			r.conn.Close()
		}
	}()
	js, err := jetstream.New(r.conn)
	if err != nil {
		return nil, fmt.Errorf("couldn't reach JetStream: %w", err)
	}
	if r.lanes, err = kv.OpenRoster(ctx, js); err != nil {
		return nil, fmt.Errorf("couldn't open the roster of lanes: %w", err)
	}
	s, err := stream.Open(ctx, js)
	if err != nil {
		return nil, fmt.Errorf("couldn't open the stream: %w", err)
	}
	return follow(r.redis.URL, s)
}

type change struct {
	name string
	key  int // lane that gets a signer's key before the command; 0: none
	args []string
}

// lanesChanges returns the changes that turn lanes 0 and 1 into 2 and 3.
func lanesChanges() []change {
	signer := func(lane int) string { return devnet.Address(firstSigner + lane).Hex() }
	return []change{
		{name: "add", key: 2, args: []string{"--signer", signer(2)}},
		{name: "replace", key: 3, args: []string{"0", "--signer", signer(3)}},
		{name: "remove", args: []string{"1"}},
	}
}

type phaseWindow struct {
	name       string
	begin, end time.Time
	command    time.Duration
	moved      map[score.ProjectID]bool
}

func (r *lanesRun) measure(ctx context.Context) (*lanesReport, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		err := r.callers.run(ctx, time.Second/time.Duration(r.rate), stop)
		if err != nil {
			cancel()
		}
		ended <- err
	}()
	windows, err := r.phases(ctx)
	close(stop)
	if err != nil {
		cancel()
		return nil, errors.Join(err, <-ended)
	}
	if err := <-ended; err != nil {
		return nil, err
	}
	blocks, err := r.blockTimes(ctx, r.callers.finals)
	if err != nil {
		return nil, err
	}
	return lanesFigures(r.rate, len(r.callers.projects), windows, r.callers.answers, r.callers.finals, blocks)
}

func (r *lanesRun) blockTimes(ctx context.Context, finals []final) (map[uint64]time.Time, error) {
	client, err := ethclient.DialContext(ctx, r.anvil.URL)
	if err != nil {
		return nil, fmt.Errorf("couldn't reach the node: %w", err)
	}
	defer client.Close()
	times := map[uint64]time.Time{}
	for _, f := range finals {
		if _, known := times[f.block]; known || f.block == 0 {
			continue
		}
		header, err := client.HeaderByNumber(ctx, new(big.Int).SetUint64(f.block))
		if err != nil {
			return nil, fmt.Errorf("couldn't read a block: %w", err)
		}
		times[f.block] = time.Unix(int64(header.Time), 0)
	}
	return times, nil
}

func (r *lanesRun) phases(ctx context.Context) (windows []phaseWindow, err error) {
	if err := pause(ctx, lanesSettle); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%d updates a second for %s", r.rate, r.seconds))
	w := phaseWindow{name: "steady", begin: time.Now()}
	if err := pause(ctx, r.seconds); err != nil {
		return nil, err
	}
	w.end = time.Now()
	windows = append(windows, w)
	for _, c := range lanesChanges() {
		progress("lanes " + c.name)
		w, err := r.change(ctx, c)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	return windows, nil
}

func (r *lanesRun) change(ctx context.Context, c change) (w phaseWindow, err error) {
	if c.key > 0 {
		if err := r.addKey(c.key); err != nil {
			return w, err
		}
	}
	before, err := r.lanes.Get(ctx)
	if err != nil {
		return w, fmt.Errorf("couldn't read the lanes: %w", err)
	}
	w.name, w.begin = c.name, time.Now()
	cmd := exec.Command(r.scorelay, append([]string{"lanes", c.name, "--wait"}, c.args...)...)
	cmd.Env = append(r.environ[:len(r.environ):len(r.environ)], "SCORELAY_DEPLOYER_KEY="+hexOf(accountAdmin))
	command, err := start(r.dir, "lanes-"+c.name, cmd)
	if err != nil {
		return w, err
	}
	select {
	case <-ctx.Done():
		command.kill()
		return w, ctx.Err()
	case <-command.exited:
	}
	if w.command = time.Since(w.begin); !cmd.ProcessState.Success() {
		return w, command.gone()
	}
	if err := pause(ctx, lanesAfter); err != nil {
		return w, err
	}
	after, err := r.lanes.Get(ctx)
	if err != nil {
		return w, fmt.Errorf("couldn't read the lanes: %w", err)
	}
	w.end, w.moved = time.Now(), movedProjects(r.callers.projects, before, after)
	return w, nil
}

func movedProjects(projects []*project, before, after roster.Roster) map[score.ProjectID]bool {
	moved := map[score.ProjectID]bool{}
	for _, p := range projects {
		if bucket := score.BucketOf(p.ID); before.Owners[bucket] != after.Owners[bucket] {
			moved[p.ID] = true
		}
	}
	return moved
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// lanesFigures returns the figures of all phases; the first is the steady one. Lateness counts from its p99.9,
// because with its max one hiccup of the machine would make every change look early.
func lanesFigures(
	rate, projects int, windows []phaseWindow, answers []answer, finals []final, blocks map[uint64]time.Time,
) (*lanesReport, error) {
	report := &lanesReport{Rate: rate, Projects: projects}
	var usual, usualInBlock float64
	for i, w := range windows {
		p := lanesPhase{Name: w.name, Moved: len(w.moved), Command: w.command.Seconds()}
		p.Errors, p.Refused = w.failures(answers)
		took, inBlock := w.took(finals, blocks)
		if len(took) == 0 || len(inBlock) == 0 {
			return nil, fmt.Errorf("nothing that was accepted in the phase %q is final", w.name)
		}
		if i == 0 {
			usual, usualInBlock = percentile(took, 0.999), percentile(inBlock, 0.999)
		} else if p.Moved == 0 {
			return nil, fmt.Errorf("lanes %s has moved no project", w.name)
		}
		p.Updates, p.P50, p.P99, p.Max = len(took), percentile(took, 0.5), percentile(took, 0.99), percentile(took, 1)
		p.Late, p.InBlock = p.Max-usual, percentile(inBlock, 1)
		p.BlockLate = p.InBlock - usualInBlock
		for _, f := range finals {
			if w.has(f.accepted) && w.moved[f.ref.Project] {
				p.MovedMax = max(p.MovedMax, f.took.Seconds())
			}
		}
		if report.Errors += p.Errors; i > 0 {
			report.Late, report.Blocks = max(report.Late, p.Late), max(report.Blocks, p.BlockLate)
		}
		report.Phases = append(report.Phases, p)
	}
	return report, nil
}

func (w *phaseWindow) has(at time.Time) bool { return !at.Before(w.begin) && at.Before(w.end) }

func (w *phaseWindow) failures(answers []answer) (errors, refused int) {
	for _, a := range answers {
		switch {
		case !w.has(a.at) || a.status == http.StatusOK:
		case a.status >= http.StatusInternalServerError:
			errors++
		default:
			refused++
		}
	}
	return errors, refused
}

// took returns seconds from the 200 until final, and until the block's timestamp.
func (w *phaseWindow) took(finals []final, blocks map[uint64]time.Time) (took, inBlock []float64) {
	for _, f := range finals {
		if !w.has(f.accepted) {
			continue
		}
		took = append(took, f.took.Seconds())
		if at, known := blocks[f.block]; known {
			inBlock = append(inBlock, at.Sub(f.accepted).Seconds())
		}
	}
	return took, inBlock
}

func (r *lanesReport) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "\nLanes that change under %d updates a second of %d projects: seconds from a 200 until final, in blocks of a second.\n\n", r.Rate, r.Projects)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tupdates\t5xx\trefused\tp50\tp99\tmax\tlate\tmax to block\tlate\tmoved projects\ttheir max\tcommand\t")
	for _, p := range r.Phases {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%.2f\t%.1f\t\n",
			p.Name, p.Updates, p.Errors, p.Refused, p.P50, p.P99, p.Max, p.Late, p.InBlock, p.BlockLate, p.Moved, p.MovedMax, p.Command)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("couldn't write the table: %w", err)
	}
	fmt.Fprintf(out, "\nWhile lanes change, updates are final late by %.2f s at most, in a block by %.2f s; %d requests were answered with a 5xx.\n",
		r.Late, r.Blocks, r.Errors)
	return nil
}
