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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// Of follow.
const (
	followLanes         = 2
	followRelayers      = 3
	followAPIs          = 2
	followBlocks        = 2 * time.Second
	followConfirmations = 2
	followSettle        = 10 * time.Second // from when the first updates are final until the calls are counted
	followPoll          = 25 * time.Millisecond
)

// following measures what a deployment asks of the chain, and how late callers know what is final.
type following struct {
	*accepting
	source  string // checkout whose programs are measured
	built   string // directory that has them already; empty: they are built
	idle    time.Duration
	callers *callers
}

// followReport is what follow measures.
type followReport struct {
	Idle callFigures `json:"idle"`
	Busy callFigures `json:"busy"`
	Lag  lagFigures  `json:"final_lag"`
	Load string      `json:"load_average"` // of the last 1, 5 and 15 minutes, at the end
}

// callFigures are calls a minute.
type callFigures struct {
	All       float64                       `json:"calls_per_minute"`
	ByMethod  map[string]float64            `json:"by_method"`
	ByProcess map[string]map[string]float64 `json:"by_process"` // and method
}

// lagFigures are times from when a block is final at the node until an API says so of its updates.
type lagFigures struct {
	Updates int     `json:"updates"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
}

func runFollow(ctx context.Context, args []string) error {
	d := &slowDisk{bench: &bench{begun: time.Now()}, lanes: followLanes, relayers: followRelayers}
	f := &following{}
	flags := newFlags("follow")
	flags.StringVar(&f.source, "source", filepath.Join("..", ".."), "checkout whose programs are measured, such as one of an earlier version")
	flags.StringVar(&f.built, "programs", "", "directory with api, relayer, scorelay and nats-server, which are measured in place of --source")
	flags.DurationVar(&f.idle, "idle", time.Minute, "how long the calls of an idle deployment are counted")
	flags.IntVar(&d.rate, "rate", 20, "updates per second that are sent one by one")
	flags.DurationVar(&d.seconds, "seconds", 30*time.Second, "how long they are sent")
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if f.idle < time.Second || d.rate < 1 || d.seconds < time.Second || flags.NArg() > 0 {
		return errors.New("--idle and --seconds must be at least 1s, --rate at least 1, and nothing may follow the flags")
	}
	report, err := inDir(d.bench, *keep, func() (*followReport, error) {
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

func (f *following) measure(ctx context.Context) (*followReport, error) {
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
	if err := pause(ctx, followSettle); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("idle for %s", f.idle))
	report := &followReport{}
	var err error
	if report.Idle, err = f.counted(func() error { return pause(ctx, f.idle) }); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%d updates a second for %s", f.rate, f.seconds))
	seen, err := seeHeads(ctx, f.anvil.URL)
	if err != nil {
		return nil, err
	}
	defer seen.close()
	var finals []final
	report.Busy, err = f.counted(func() (err error) {
		finals, err = f.send(ctx, f.seconds)
		return err
	})
	if err != nil {
		return nil, err
	}
	if report.Lag, err = seen.lags(finals); err != nil {
		return nil, err
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil, fmt.Errorf("couldn't read the load average: %w", err)
	}
	report.Load = strings.Join(strings.Fields(string(load))[:3], " ")
	return report, nil
}

// begin creates the project, and waits until that is final.
func (f *following) begin(ctx context.Context) error {
	key, err := os.ReadFile(f.apiKeyFile())
	if err != nil {
		return fmt.Errorf("couldn't read the API key: %w", err)
	}
	ask := sdk.NewClient(f.urls[1], strings.TrimSpace(string(key)), nil)
	p := newProject(score.ProjectID(crypto.Keccak256Hash([]byte("scorelay bench follow"))), worldOptions{wallets: callerWallets})
	f.callers = &callers{
		client: sdk.NewClient(f.urls[0], strings.TrimSpace(string(key)), nil), projects: []*project{p}, poll: followPoll,
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

// readStatuses asks an API how far updates of a project are.
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

// send sends updates for so long and returns them when they are final.
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

// counted tells what the processes ask of the chain while something runs.
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

// headTimes are when the node told of each block.
type headTimes struct {
	client *ethclient.Client
	heads  ethereum.Subscription

	mu sync.Mutex
	at map[uint64]time.Time
}

// seeHeads sees blocks from the next one on.
func seeHeads(ctx context.Context, url string) (*headTimes, error) {
	client, err := ethclient.DialContext(ctx, strings.Replace(url, "http", "ws", 1))
	if err != nil {
		return nil, fmt.Errorf("couldn't reach the node: %w", err)
	}
	heads := make(chan *types.Header, 1024)
	s := &headTimes{client: client, at: map[uint64]time.Time{}}
	if s.heads, err = client.SubscribeNewHead(ctx, heads); err != nil {
		client.Close()
		return nil, fmt.Errorf("couldn't subscribe to new heads: %w", err)
	}
	go func() {
		for {
			select {
			case <-s.heads.Err(): // then the time of a block is missing
				return
			case head := <-heads:
				s.mu.Lock()
				s.at[head.Number.Uint64()] = time.Now()
				s.mu.Unlock()
			}
		}
	}()
	return s, nil
}

func (s *headTimes) close() {
	s.heads.Unsubscribe()
	s.client.Close()
}

// lags are the figures of updates that are final.
func (s *headTimes) lags(finals []final) (f lagFigures, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ms []float64
	for _, u := range finals {
		at, known := s.at[u.block+followConfirmations-1] // its own block is the first
		if !known {
			return f, errors.New("the node told no head that makes block " + strconv.FormatUint(u.block, 10) + " final")
		}
		ms = append(ms, float64(u.accepted.Add(u.took).Sub(at))/float64(time.Millisecond))
	}
	return lagFigures{Updates: len(ms), P50: percentile(ms, 0.5), P99: percentile(ms, 0.99), Max: percentile(ms, 1)}, nil
}
