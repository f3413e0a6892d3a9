package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"text/tabwriter"
	"time"
)

const (
	backlogZipf = 1
	// settled is the wait before the steady part. After it, batches also contain updates that lanes passed over for
	// up to 30 s.
	settled = 35 * time.Second
	// fastest exceeds the updates per second that blocks can hold.
	fastest = 25_000
)

type backlog struct {
	*bench
	lanes   int
	wallets int
}

type backlogFigures struct {
	Lanes        int     `json:"lanes"`
	Wallets      int     `json:"wallets"`
	UpdatesPerS  float64 `json:"updates_per_s"`
	GasPerUpdate float64 `json:"gas_per_update"`
	BlockFill    float64 `json:"block_fill"`
	GasOfLimit   float64 `json:"gas_of_tx_limit"`
	TxPerBlock   float64 `json:"tx_per_block"`
	UpdatesPerTx float64 `json:"updates_per_tx"`
	RelayerCores float64 `json:"relayer_cores"`
	WastedTx     float64 `json:"wasted_tx"`
}

func (f *backlogFigures) fields() []*float64 {
	return []*float64{
		&f.UpdatesPerS, &f.GasPerUpdate, &f.BlockFill, &f.GasOfLimit, &f.TxPerBlock, &f.UpdatesPerTx, &f.RelayerCores, &f.WastedTx,
	}
}

// runBacklog measures relayers on a deployment as in relay. Settings have their defaults, except one confirmation.
// The endpoint adds no delay. Blocks have 30 M gas, one per second. Each of --lanes lanes has a project; these share
// --wallets wallets that have scores. Popularity is Zipf's with exponent 1; ids are consecutive.
//
// All updates are published before the relayers start. The run fails if less than a quarter is left at its end. The
// steady part begins 35 s after the third block with updates.
//
//   - updates_per_s: applied, by the contract's events; gas_per_update: used by their transactions.
//   - block_fill: that gas as a fraction of the blocks' limit; gas_of_tx_limit: of the transactions' limits.
//   - relayer_cores: CPU seconds of all relayers per second.
//
// The reference is four lanes, because one lane's window of 16 transactions leaves room in a block per second.
func runBacklog(ctx context.Context, args []string) error {
	b := &backlog{bench: &bench{begun: time.Now()}}
	flags := newFlags("backlog")
	flags.IntVar(&b.lanes, "lanes", 4, "how many lanes share the wallets, each with a project of its own")
	flags.IntVar(&b.wallets, "wallets", 5_000, "how many wallets there are in all")
	flags.DurationVar(&b.seconds, "seconds", 30*time.Second, "how long the steady part of a run is measured")
	flags.IntVar(&b.repeat, "repeat", 2, "how many runs; of each figure the median is told, of two the lower one")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.lanes < 1 || b.wallets < b.lanes || b.seconds < 3*time.Second || b.repeat < 1 || flags.NArg() > 0 {
		return errors.New("--lanes and --repeat must be at least 1, --wallets at least --lanes, --seconds at least 3s, and nothing may follow the flags")
	}
	runs, err := inDir(b.bench, *keep, func() ([]backlogFigures, error) { return b.runs(ctx) })
	if err != nil {
		return err
	}
	typical := medianBacklog(runs)
	if err := typical.writeTable(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(typical)
}

// inDir runs a benchmark in a new directory, and removes it unless run fails or keep is set.
func inDir[T any](b *bench, keep bool, run func() (T, error)) (out T, err error) {
	if b.dir, err = os.MkdirTemp("", "scorelay-bench-"); err != nil {
		return out, fmt.Errorf("couldn't make a directory to work in: %w", err)
	}
	out, err = run()
	if err != nil || keep {
		fmt.Fprintln(os.Stderr, "data and logs are in "+b.dir)
		return out, err
	}
	_ = os.RemoveAll(b.dir)
	return out, nil
}

func (b *backlog) runs(ctx context.Context) ([]backlogFigures, error) {
	discardLogs()
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	var runs []backlogFigures
	for i := range b.repeat {
		f, err := b.once(ctx, fmt.Sprintf("backlog-%d", i+1))
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", i+1, err)
		}
		progress(fmt.Sprintf("run %d of %d: %.0f updates/s, %.0f gas each", i+1, b.repeat, f.UpdatesPerS, f.GasPerUpdate))
		runs = append(runs, f)
	}
	return runs, nil
}

func (b *backlog) once(ctx context.Context, name string) (f backlogFigures, err error) {
	progress(name + ": giving the wallets scores and publishing the backlog")
	w, err := b.newWorld(ctx, name, worldOptions{
		lanes: b.lanes, gasLimit: narrow, wallets: (b.wallets + b.lanes - 1) / b.lanes, zipf: backlogZipf,
	})
	if err != nil {
		return f, err
	}
	defer w.close()
	waiting := fastest * int((b.seconds+settled+prepared)/time.Second)
	s, err := b.newStack(ctx, w, stackOptions{waiting: waiting / b.lanes})
	if err != nil {
		return f, err
	}
	defer s.close()
	return s.workOff(ctx, waiting)
}

func (s *stack) workOff(ctx context.Context, waiting int) (f backlogFigures, err error) {
	progress("waiting for the steady part")
	if _, err := s.steady(ctx, 0, settled); err != nil {
		return f, err
	}
	before, err := s.cpu(ctx)
	if err != nil {
		return f, err
	}
	first := s.watch.len() - 1
	blocks, err := s.watch.until(ctx, first, s.bench.seconds+firstTimeout, func(blocks []block) bool {
		return blocks[len(blocks)-1].at.Sub(blocks[0].at) >= s.bench.seconds
	})
	if err != nil {
		return f, fmt.Errorf("measuring: %w", err)
	}
	after, err := s.cpu(ctx)
	if err != nil {
		return f, err
	}
	all, _, err := s.watch.seen()
	if err != nil {
		return f, err
	}
	applied := 0
	for _, b := range all {
		applied += b.updates
	}
	if applied > waiting*3/4 {
		return f, fmt.Errorf("the backlog was not kept well ahead: %d of %d updates are applied; take a shorter --seconds", applied, waiting)
	}
	limits, err := s.limits(ctx, blocks[1:])
	if err != nil {
		return f, err
	}
	if f, err = backlogOf(blocks, limits); err != nil {
		return f, err
	}
	f.Lanes, f.Wallets = len(s.projects), len(s.projects)*len(s.projects[0].wallets)
	f.RelayerCores = (after - before) / blocks[len(blocks)-1].at.Sub(blocks[0].at).Seconds()
	return f, nil
}

// backlogOf returns the figures of the blocks after the first; limits is the sum of their transactions' gas limits.
func backlogOf(blocks []block, limits uint64) (f backlogFigures, err error) {
	typical, err := rates(blocks)
	if err != nil {
		return f, err
	}
	var txs, updates, gas, room float64
	for _, b := range blocks[1:] {
		txs, updates, gas, room = txs+float64(b.txs), updates+float64(b.updates), gas+float64(b.gas), room+float64(b.gasLimit)
	}
	return backlogFigures{
		UpdatesPerS: *typical.UpdatesPerS, GasPerUpdate: gas / updates, BlockFill: gas / room, GasOfLimit: gas / float64(limits),
		TxPerBlock: *typical.TxPerBlock, UpdatesPerTx: updates / txs, WastedTx: *typical.WastedTx,
	}, nil
}

func (w *world) limits(ctx context.Context, blocks []block) (sum uint64, err error) {
	for i := range blocks {
		full, err := w.eth.BlockByNumber(ctx, new(big.Int).SetUint64(blocks[i].number))
		if err != nil {
			return 0, fmt.Errorf("couldn't read block %d: %w", blocks[i].number, err)
		}
		for _, tx := range full.Transactions() {
			if tx.To() != nil && *tx.To() == w.contract {
				sum += tx.Gas()
			}
		}
	}
	return sum, nil
}

func medianBacklog(runs []backlogFigures) (out backlogFigures) {
	out = runs[0]
	for i, field := range out.fields() {
		var values []float64
		for j := range runs {
			values = append(values, *runs[j].fields()[i])
		}
		*field = median(values)
	}
	return out
}

func (f *backlogFigures) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "\nA backlog of %d wallets, Zipf exponent %d, consecutive ids; %d lanes; a block of 30 M gas a second.\n\n", f.Wallets, backlogZipf, f.Lanes)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range []struct {
		what   string
		format string
		value  float64
	}{
		{"updates applied per second", "%.0f", f.UpdatesPerS},
		{"gas per update", "%.0f", f.GasPerUpdate},
		{"gas used of the blocks' limit", "%.1f %%", 100 * f.BlockFill},
		{"gas used of the transactions' own limits", "%.1f %%", 100 * f.GasOfLimit},
		{"transactions per block", "%.1f", f.TxPerBlock},
		{"updates per transaction", "%.0f", f.UpdatesPerTx},
		{"cores that the relayers took", "%.2f", f.RelayerCores},
		{"transactions that applied not all they carried", "%.0f", f.WastedTx},
	} {
		fmt.Fprintf(table, "%s\t"+row.format+"\n", row.what, row.value)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("couldn't write the table: %w", err)
	}
	return nil
}
