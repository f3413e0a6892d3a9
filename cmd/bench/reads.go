package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

const (
	readsPage  = 50                     // standings per page
	readsSlow  = 100 * time.Microsecond // threshold of Redis's slow log
	readsLog   = 1_000_000              // maximum entries of the slow log
	readsBlock = score.MaxPart          // executions per block
)

type readsReport struct {
	Version  string  `json:"redis"`
	Wallets  int     `json:"wallets"`
	Bytes    float64 `json:"bytes_per_wallet"`
	New      float64 `json:"new_per_s"`
	Known    float64 `json:"executions_per_s"`
	CPU      float64 `json:"redis_cpu_us"`
	Longest  float64 `json:"longest_step_ms"`
	Page     float64 `json:"page_ms"`
	PageP99  float64 `json:"page_p99_ms"`
	Around   float64 `json:"around_ms"`
	Beside   float64 `json:"page_beside_ms"`
	Beside99 float64 `json:"page_beside_p99_ms"`
	Rebuilt  float64 `json:"rebuilt_per_s"`
}

// runReads measures the projection of scores, in a redis-server as in redis, with one project and one score type.
// Each of --wallets wallets gets its first score, from 1 to 1,000, in parts of 1,000 executions (new_per_s). Then
// --executions more follow for random wallets, all equally likely: the worst case for Redis.
//
//   - bytes_per_wallet: growth of used_memory: the score, which is also the total, and a share of the project's data.
//   - executions_per_s: parts appended one after the other; redis_cpu_us per execution, as in redis.
//   - longest_step_ms: the longest entry of Redis's slow log. It includes other work of the machine.
//   - page_ms: 50 standings after a random cursor; around_ms: around a random wallet; page_beside_ms: a page while
//     executions are appended. Medians.
//   - rebuilt_per_s: the standings fold reads --rebuilt updates of 8 projects, on --wallets wallets, from a ledger,
//     in transactions of 500, and writes to an empty Redis. Data older than a ledger would also need a node's
//     responses.
func runReads(ctx context.Context, args []string) error {
	b := &bench{begun: time.Now()}
	flags := newFlags("reads")
	wallets := flags.Int("wallets", 1_000_000, "how many wallets have scores")
	executions := flags.Int("executions", 400_000, "how many executions are appended to these")
	pages := flags.Int("pages", 5_000, "how many pages of each kind are read")
	rebuilt := flags.Int("rebuilt", 1_000_000, "how many updates a rebuild reads")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *wallets < readsBlock || *executions < readsBlock || *pages < 1 || *rebuilt < 1 || flags.NArg() > 0 {
		return fmt.Errorf("--wallets and --executions must be at least %d, --pages and --rebuilt at least 1, and nothing may follow the flags", readsBlock)
	}
	report, err := inDir(b, false, func() (*readsReport, error) {
		r, err := b.reads(ctx, *wallets, *executions, *pages)
		if err == nil {
			r.Rebuilt, err = b.rebuild(ctx, *rebuilt, *wallets)
		}
		return r, err
	})
	if err != nil {
		return err
	}
	if err := report.writeTable(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (r *readsReport) writeTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Redis %s, %d wallets\t\n", r.Version, r.Wallets)
	fmt.Fprintf(table, "bytes a wallet\t%.0f\n", r.Bytes)
	fmt.Fprintf(table, "executions/s, new wallets\t%.0f\n", r.New)
	fmt.Fprintf(table, "executions/s, wallets at random\t%.0f\n", r.Known)
	fmt.Fprintf(table, "CPU time of Redis for each, µs\t%.1f\n", r.CPU)
	fmt.Fprintf(table, "longest step, ms\t%.1f\n", r.Longest)
	fmt.Fprintf(table, "a page of %d, ms\t%.2f (p99 %.2f)\n", readsPage, r.Page, r.PageP99)
	fmt.Fprintf(table, "around a wallet, ms\t%.2f\n", r.Around)
	fmt.Fprintf(table, "a page beside appends, ms\t%.2f (p99 %.2f)\n", r.Beside, r.Beside99)
	fmt.Fprintf(table, "rebuilt, updates/s\t%.0f\n", r.Rebuilt)
	return table.Flush()
}

type readsLoad struct {
	*standings.Store
	client     *redisdb.Client
	random     *rand.Rand
	generation uint64
	mark       score.Mark
}

func (b *bench) reads(ctx context.Context, wallets, executions, pages int) (*readsReport, error) {
	server, err := devnet.StartRedis(filepath.Join(b.dir, "redis"), devnet.RedisOptions{Args: []string{
		"--auto-aof-rewrite-percentage", "0", "--slowlog-log-slower-than", fmt.Sprint(readsSlow.Microseconds()), "--slowlog-max-len", fmt.Sprint(readsLog),
	}})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	client, err := redisdb.Open(server.URL)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	client.Timeout = redisTimeout
	l := &readsLoad{Store: standings.New(client, standings.Config{}), client: client, random: rand.New(rand.NewPCG(1, 2)), mark: score.Mark{Block: 1}}
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	before, version, err := infoOf(ctx, client)
	if err != nil {
		return nil, err
	}
	r := &readsReport{Version: version, Wallets: wallets}
	progress(fmt.Sprintf("%d wallets", wallets))
	n := 0
	if r.New, err = l.append(ctx, wallets, func() common.Address { n++; return readsWallet(n - 1) }); err != nil {
		return nil, err
	}
	if err := client.SlowLogReset(ctx).Err(); err != nil { // its entries take memory
		return nil, err
	}
	after, _, err := infoOf(ctx, client)
	if err != nil {
		return nil, err
	}
	r.Bytes = (after.memory - before.memory) / float64(wallets)
	progress("pages")
	if err := l.pages(ctx, r, pages); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%d executions", executions))
	known := func() common.Address { return readsWallet(l.random.IntN(wallets)) }
	if before, _, err = infoOf(ctx, client); err != nil {
		return nil, err
	}
	if r.Known, err = l.append(ctx, executions, known); err != nil {
		return nil, err
	}
	if after, _, err = infoOf(ctx, client); err != nil {
		return nil, err
	}
	r.CPU = (after.cpu - before.cpu) * 1e6 / float64(executions)
	r.Longest, err = l.longest(ctx)
	if err != nil {
		return nil, err
	}
	return r, l.beside(ctx, r, executions, pages)
}

func (l *readsLoad) begin(ctx context.Context) error {
	c, err := l.Begin(ctx, 0, 1)
	if err != nil {
		return err
	}
	l.generation = c.Generation
	if err := l.Advance(ctx, c, score.Checkpoint{Block: 1, Hash: common.Hash{1}, Time: time.Now()}); err != nil {
		return err
	}
	return l.Create(ctx, l.generation, score.ProjectID{7}, l.mark)
}

// readsWallet returns wallet n; consecutive ones are far apart in Redis.
func readsWallet(n int) (a common.Address) {
	seed := [32]byte{}
	binary.BigEndian.PutUint64(seed[:], uint64(n))
	_, _ = rand.NewChaCha8(seed).Read(a[:])
	return a
}

func (l *readsLoad) append(ctx context.Context, n int, wallet func() common.Address) (perS float64, err error) {
	took := time.Duration(0)
	for n > 0 {
		part := score.Part{Project: score.ProjectID{7}, From: l.mark, To: score.Mark{Block: l.mark.Block + 1}}
		for range min(n, readsBlock) {
			e := score.Execution{Update: score.Update{Target: wallet(), Signer: common.Address{1}}, Points: l.random.Int64N(1000) + 1, Block: l.mark.Block, Time: time.Now(), Gas: 2000, Fee: 2000 * 1e9}
			binary.LittleEndian.PutUint64(e.ID[:], l.random.Uint64())
			part.Executions = append(part.Executions, e)
		}
		begun := time.Now()
		if err := l.Append(ctx, l.generation, part); err != nil {
			return 0, err
		}
		took += time.Since(begun)
		l.mark, n = part.To, n-len(part.Executions)
		perS += float64(len(part.Executions))
	}
	return perS / took.Seconds(), nil
}

func timed(times int, read func() error) ([]float64, error) {
	took := make([]float64, times)
	for i := range took {
		begun := time.Now()
		if err := read(); err != nil {
			return nil, err
		}
		took[i] = time.Since(begun).Seconds() * 1e3
	}
	return took, nil
}

// page reads a page of the leaderboard, and fails unless that has all wallets.
func (l *readsLoad) page(ctx context.Context, random *rand.Rand, wallets int) error {
	after := &score.Cursor{Score: random.Int64N(1000) + 1, Wallet: readsWallet(random.IntN(wallets))}
	page, _, err := l.Page(ctx, score.ProjectID{7}, score.Total, after, readsPage)
	if err == nil && int(page.Wallets) != wallets {
		err = errors.New("a leaderboard has not all wallets")
	}
	return err
}

func (l *readsLoad) pages(ctx context.Context, r *readsReport, pages int) error {
	took, err := timed(pages, func() error { return l.page(ctx, l.random, r.Wallets) })
	if err != nil {
		return err
	}
	r.Page, r.PageP99 = percentile(took, 0.5), percentile(took, 0.99)
	took, err = timed(pages, func() error {
		_, _, err := l.Store.Around(ctx, score.ProjectID{7}, score.Total, readsWallet(l.random.IntN(r.Wallets)), readsPage)
		return err
	})
	if err == nil {
		r.Around = percentile(took, 0.5)
	}
	return err
}

func (l *readsLoad) beside(ctx context.Context, r *readsReport, executions, pages int) error {
	progress("pages beside executions")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	appended := make(chan error, 1)
	go func() {
		_, err := l.append(ctx, executions, func() common.Address { return readsWallet(l.random.IntN(r.Wallets)) })
		appended <- err
		close(appended) // so that a second receive returns, too
	}()
	random := rand.New(rand.NewPCG(3, 4))
	var all []float64
	for len(all) < pages {
		select {
		case err := <-appended:
			if err != nil || len(all) == 0 {
				return errors.Join(err, errors.New("executions ended before a page was read"))
			}
			pages = len(all)
		default:
			took, err := timed(1, func() error { return l.page(ctx, random, r.Wallets) })
			if err != nil {
				return err
			}
			all = append(all, took...)
		}
	}
	r.Beside, r.Beside99 = percentile(all, 0.5), percentile(all, 0.99)
	cancel()
	<-appended
	return nil
}

func (l *readsLoad) longest(ctx context.Context) (ms float64, err error) {
	slow, err := l.client.SlowLogGet(ctx, -1).Result()
	for _, entry := range slow {
		ms = max(ms, entry.Duration.Seconds()*1e3)
	}
	return ms, err
}
