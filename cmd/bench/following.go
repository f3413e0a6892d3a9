package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

const (
	followLanes, followRelayers, followAPIs = 2, 3, 2

	followBlocks        = 2 * time.Second
	followConfirmations = 2
	followSettle        = 10 * time.Second // before idle calls are counted
	followPoll          = 25 * time.Millisecond
)

type following struct {
	*accepting
	rows    bool // only idle calls, on three kinds of chain
	source  string
	built   string // directory with finished programs; empty: build source
	idle    time.Duration
	key     string
	callers *callers
}

type followReport struct {
	Idle    callFigures `json:"idle"`
	Busy    callFigures `json:"busy"`
	Streams callFigures `json:"streams"`
	Lag     lagFigures  `json:"final_lag"`
}

type callFigures struct {
	All       float64                       `json:"calls_per_minute"`
	ByMethod  map[string]float64            `json:"by_method"`
	ByProcess map[string]map[string]float64 `json:"by_process"` // by process and method
}

type lagFigures struct {
	Updates int     `json:"updates"`
	Blocks  int     `json:"blocks"`
	Min     float64 `json:"min_ms"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
}

// runFollow measures a deployment's calls to the chain, and the lag of finality. Processes are as in lanes, with two
// lanes, three relayers and two APIs, blocks of two seconds and two confirmations. Each has an endpoint that counts
// calls by method, also those in batches.
//
//   - idle: calls per minute, from ten seconds after a second of updates became final.
//   - busy: the same while --rate updates per second are sent one by one to one API for --seconds, until all are
//     final.
//   - final_lag: for each of these updates, from the head that makes its block final until the other API reports it
//     as final. That API is polled every 25 ms. Updates of a block become final at once, so a run has as many
//     independent samples as blocks.
//   - streams: as idle, while each API has an event stream of the project.
//
// With --units it measures only idle calls, see units.
func runFollow(ctx context.Context, args []string) error {
	d, f := &slowDisk{bench: &bench{begun: time.Now()}, lanes: followLanes, relayers: followRelayers}, &following{}
	flags := newFlags("follow")
	flags.StringVar(&f.source, "source", filepath.Join("..", ".."), "checkout whose programs are measured, such as one of an earlier version")
	flags.StringVar(&f.built, "programs", "", "directory with api, relayer, scorelay and nats-server, which are measured in place of --source")
	flags.BoolVar(&f.rows, "units", false, "only count what an API and two relayers ask of one endpoint while idle, on three kinds of chain, in compute units of 30 days")
	flags.DurationVar(&f.idle, "idle", time.Minute, "how long the calls of an idle deployment are counted")
	flags.IntVar(&d.rate, "rate", 20, "updates per second that are sent one by one")
	flags.DurationVar(&d.seconds, "seconds", 30*time.Second, "how long they are sent")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if f.idle < time.Second || d.rate < 1 || d.seconds < time.Second || flags.NArg() > 0 {
		return errors.New("--idle and --seconds must be at least 1s, --rate at least 1, and nothing may follow the flags")
	}
	if f.rows {
		rows, err := inDir(d.bench, false, func() ([]unitRow, error) {
			f.accepting = &accepting{slowDisk: d, dir: d.dir}
			return f.units(ctx)
		})
		fmt.Print(writeRows(rows))
		return err
	}
	report, err := inDir(d.bench, false, func() (*followReport, error) {
		f.accepting = &accepting{
			slowDisk: d, dir: d.dir, blocks: followBlocks, confirmations: followConfirmations, endpoints: map[string]*endpoint{},
		}
		defer f.close()
		return f.measure(ctx)
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (f *following) measure(ctx context.Context) (report *followReport, err error) {
	if err := f.buildFrom(ctx, f.source, f.built); err != nil {
		return nil, err
	}
	progress("starting a deployment")
	if err := f.start(ctx, 0, followAPIs); err != nil {
		return nil, err
	}
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	if _, err := f.send(ctx, time.Second); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("idle for %s", f.idle))
	report = &followReport{}
	if report.Idle, err = f.quiet(ctx); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%d updates a second for %s", f.rate, f.seconds))
	if err := f.busy(ctx, report); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("idle with event streams for %s", f.idle))
	report.Streams, err = f.streamed(ctx)
	return report, err
}

func (f *following) busy(ctx context.Context, report *followReport) error {
	client, err := ethclient.DialContext(ctx, strings.Replace(f.anvil.URL, "http", "ws", 1))
	if err != nil {
		return fmt.Errorf("couldn't reach the node: %w", err)
	}
	defer client.Close()
	watch, err := newWatch(ctx, &world{eth: client, contract: f.contract, endpoint: f.endpoints[replica(0)]})
	if err != nil {
		return err
	}
	defer watch.close()
	var finals []final
	report.Busy, err = f.counted(func() (err error) {
		finals, err = f.send(ctx, f.seconds)
		return err
	})
	if err != nil {
		return err
	}
	heads, _, err := watch.seen()
	if err != nil {
		return err
	}
	report.Lag, err = lags(finals, heads)
	return err
}

// begin creates the project and waits until its creation is final.
func (f *following) begin(ctx context.Context) error {
	key, err := os.ReadFile(f.apiKeyFile())
	if err != nil {
		return fmt.Errorf("couldn't read the API key: %w", err)
	}
	f.key = strings.TrimSpace(string(key))
	ask := sdk.NewClient(f.urls[len(f.urls)-1], f.key, nil)
	p := newProject(score.ProjectID(crypto.Keccak256Hash([]byte("scorelay bench follow"))), worldOptions{wallets: callerWallets})
	f.callers = &callers{
		client: sdk.NewClient(f.urls[0], f.key, nil), projects: []*project{p}, poll: followPoll,
		followed: &followed{open: map[score.Ref]time.Time{}, read: func(ctx context.Context, refs []score.Ref) ([]score.Status, error) {
			return readStatuses(ctx, ask, p.ID, refs)
		}},
	}
	if err := sdk.Retry(ctx, func() error { return f.callers.client.CreateProject(ctx, &p.Project) }); err != nil {
		return fmt.Errorf("couldn't create a project: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for {
		if state, err := ask.Project(ctx, p.ID); err == nil && state.Final() {
			return nil
		}
		if err := pause(ctx, followPoll); err != nil {
			return fmt.Errorf("the project's creation is not final after %s: %w", settleTimeout, err)
		}
	}
}

func readStatuses(ctx context.Context, ask *sdk.Client, project score.ProjectID, refs []score.Ref) (out []score.Status, err error) {
	for some := range slices.Chunk(refs, sdk.MaxLookUp) {
		ids := make([]score.UpdateID, len(some))
		for i, ref := range some {
			ids[i] = ref.Update
		}
		statuses, err := ask.Updates(ctx, project, ids)
		if err != nil {
			return nil, err
		}
		for _, s := range statuses {
			read := score.Status{Block: s.Block}
			if s.Final() {
				read.Stage = score.Final
			}
			if s.Outcome == score.Applied.String() {
				read.Outcome = score.Applied
			}
			out = append(out, read)
		}
	}
	return out, nil
}

func (f *following) send(ctx context.Context, seconds time.Duration) ([]final, error) {
	f.callers.finals, f.callers.answers = nil, nil
	stop := make(chan struct{})
	time.AfterFunc(seconds, func() { close(stop) })
	if err := f.callers.run(ctx, time.Second/time.Duration(f.rate), stop); err != nil {
		return nil, err
	}
	for _, a := range f.callers.answers {
		if a.status != http.StatusOK {
			return nil, fmt.Errorf("a request was answered with status %d", a.status)
		}
	}
	return f.callers.finals, nil
}

func (f *following) streamed(ctx context.Context) (callFigures, error) {
	streaming, end := context.WithCancel(ctx)
	var streams sync.WaitGroup
	defer streams.Wait()
	defer end()
	for _, url := range f.urls {
		streams.Go(func() {
			for range sdk.NewClient(url, f.key, nil).Events(streaming, f.callers.projects[0].ID, sdk.EventOptions{}) { //nolint:revive // nothing comes
			}
		})
	}
	return f.quiet(ctx)
}

func (f *following) quiet(ctx context.Context) (callFigures, error) {
	if err := pause(ctx, followSettle); err != nil {
		return callFigures{}, err
	}
	return f.counted(func() error { return pause(ctx, f.idle) })
}

// counted returns the processes' calls to the chain while run runs.
func (f *following) counted(run func() error) (c callFigures, err error) {
	before, begun := map[string]map[string]int{}, time.Now()
	for name, e := range f.endpoints {
		before[name] = e.since(nil)
	}
	if err := run(); err != nil {
		return c, err
	}
	minutes := time.Since(begun).Minutes()
	c.ByMethod, c.ByProcess = map[string]float64{}, map[string]map[string]float64{}
	for name, e := range f.endpoints {
		c.ByProcess[name] = map[string]float64{}
		for method, n := range e.since(before[name]) {
			rate := float64(n) / minutes
			c.ByProcess[name][method] = rate
			c.ByMethod[method] += rate
			c.All += rate
		}
	}
	return c, nil
}

func lags(finals []final, heads []block) (f lagFigures, err error) {
	told, blocks, ms := map[uint64]time.Time{}, map[uint64]bool{}, []float64{}
	for _, head := range heads {
		told[head.number] = head.at
	}
	for _, u := range finals {
		at, known := told[u.block+followConfirmations-1] // the update's own block is the first confirmation
		if !known {
			return f, fmt.Errorf("the node told no head that makes block %d final", u.block)
		}
		blocks[u.block], ms = true, append(ms, float64(u.accepted.Add(u.took).Sub(at))/float64(time.Millisecond))
	}
	return lagFigures{len(ms), len(blocks), slices.Min(ms), percentile(ms, 0.5), percentile(ms, 0.99), percentile(ms, 1)}, nil
}
