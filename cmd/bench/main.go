package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/scorelay/scorelay/cmd/bench/gas"
	"github.com/scorelay/scorelay/cmd/bench/horizon"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}

const usage = `usage: go run . gas [flags]
       go run . relay [flags]
       go run . horizon [flags]
       go run . backlog [flags]
       go run . slowdisk [flags]
       go run . flood [flags]
       go run . hostile [flags]
       go run . follow [flags]
       go run . replicas [flags]
       go run . redis [flags]
       go run . accept [flags]
       go run . lanes [flags]
       go run . soak [flags]
       go run . reads [flags]
       go run . load [flags]
       go run . stack [flags]

gas measures what updates cost on geth's EVM, beside what is promised; relay measures Scorelay's relayers beside op-service/txmgr; horizon what an update costs if a lane chooses what it binds;
backlog how fast lanes work a backlog off; slowdisk how long an accept takes where a sync of the disk takes 2 ms; flood how
long a project's updates take beside another's flood; hostile what one key takes of an API and of another key's time; follow what
an idle deployment asks of the chain, and how late its callers know what is final; replicas what one NATS server stores and accepts,
beside a cluster of three; redis what an update takes of Redis; accept what an update takes of the API, beside what bounds it; lanes how late
updates are while lanes are added, replaced and removed; soak the memory of a deployment while a million updates wait, and after
minutes of load; reads what the projection of scores takes of Redis, and how fast its leaderboards are; load sends updates to any
deployment at a fixed rate; stack runs a deployment of separate processes on this machine.
See doc.go and horizon/doc.go for what, and how.

`

var errUsage = errors.New("say what to measure: gas, relay, horizon, backlog, slowdisk, flood, hostile, follow, replicas, redis, accept, lanes, soak, reads, load or stack")

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch name {
	case "gas":
		return runGas(args[1:])
	case "relay":
		return runRelay(ctx, args[1:])
	case "horizon":
		return runHorizon(ctx, args[1:])
	case "backlog":
		return runBacklog(ctx, args[1:])
	case "slowdisk":
		return runSlowDisk(ctx, args[1:])
	case syncsCommand:
		return tellSyncs(args[1:])
	case "flood":
		return runFlood(ctx, args[1:])
	case "hostile":
		return runHostile(ctx, args[1:])
	case "follow":
		return runFollow(ctx, args[1:])
	case "replicas":
		return runReplicas(ctx, args[1:])
	case "accept":
		return runAccept(ctx, args[1:])
	case "soak":
		return runSoak(ctx, args[1:])
	case handlerCommand:
		return serveHandler(ctx, args[1:])
	case "redis":
		return runRedis(ctx, args[1:])
	case "reads":
		return runReads(ctx, args[1:])
	case "lanes":
		return runLanes(ctx, args[1:])
	case "stack":
		return runStack(ctx, args[1:])
	case loadCommand:
		return runLoad(ctx, args[1:])
	}
	fmt.Fprint(os.Stderr, usage)
	return errUsage
}

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	return flags
}

// runGas fails if a row uses more gas than promised.
func runGas(args []string) error {
	flags := newFlags("gas")
	asJSON := flags.Bool("json", false, "print the report as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("nothing may follow the flags")
	}
	report, err := gas.Measure()
	if err != nil {
		return err
	}
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		err = report.WriteText(os.Stdout)
	}
	if err == nil && len(report.Broken()) > 0 {
		err = errors.New("more gas is used than promised")
	}
	return err
}

func runHorizon(ctx context.Context, args []string) error {
	flags := newFlags("horizon")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	updates := flags.Int("updates", horizon.Updates, "how many updates each cell has")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *updates < 1 || flags.NArg() > 0 {
		return errors.New("--updates must be at least 1, and nothing may follow the flags")
	}
	table, err := horizon.Run(ctx, *updates, progress)
	if err != nil {
		return err
	}
	if err := table.WriteText(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return table.WriteJSON(os.Stdout)
}

// runRelay compares the relayers with the Queue of Optimism's op-service/txmgr, with which op-batcher sends. All legs
// have:
//
//   - The node: anvil with a block per second, behind an endpoint that delays each request by --rtt.
//   - The contract, with projects of 100 wallets each, all with scores.
//   - The calldata: batches of 100 updates with consecutive ids, one per wallet, encoded and with the gas limit as by
//     a relayer.
//   - 64 transactions in flight in all, one confirmation. Blocks and events are read straight from the node.
//
// Rates cover the steady part: --seconds, from the third block with transactions on. An update counts if the
// contract's events report it as applied. Each method in a JSON-RPC batch is a call; a batch is one round trip.
//
//   - scorelay: two relayers of this source share four lanes, each with a window of 16; SCORELAY_MAX_BATCH=100. NATS
//     runs in the benchmark's process and syncs every write. Updates are published straight into the stream, ahead of
//     the relayers.
//   - scorelay_one_lane: one lane, so a window of 16; the second relayer stands by.
//   - txmgr: Queue with 64 pending transactions of one account, with its default prices.
//   - txmgr_cached_fees: the same, with prices read once per block in the background (GasPriceEstimatorFn).
//   - one_tx_per_update: the same again with one update per transaction, like a plain backend.
//   - block_fill: gas of a block's transactions as a fraction of its limit, with four lanes, default batches, random
//     ids and blocks of 30 M gas; median of the steady part.
//   - recovery_s: from kill -9 of one of two relayers under load until each of its lanes has a transaction in a block
//     that was not in the node's pool at the kill. Median of three.
//   - idle_calls_per_poll: calls of an idle relayer per SCORELAY_POLL_INTERVAL of 500 ms.
//   - catch_up_s: the endpoint refuses for 100 blocks while 2,000 updates arrive, then delays each request by 250 ms;
//     from the end of the refusal until these updates are applied.
//
// The peer receives finished batches, keeps everything in memory and loses transactions in flight when it ends.
// Scorelay reads a stream, syncs every batch to disk before it sends it, and writes each update's outcome. Each lane
// has an account; the peer would need an instance per account. In its favour, the peer polls receipts every 100 ms
// instead of 12 s.
func runRelay(ctx context.Context, args []string) error {
	b := &bench{begun: time.Now()}
	flags := newFlags("relay")
	flags.DurationVar(&b.rtt, "rtt", 50*time.Millisecond, "how much longer each call to the node takes")
	flags.DurationVar(&b.seconds, "seconds", 12*time.Second, "how long the steady part of a throughput leg is measured")
	flags.IntVar(&b.repeat, "repeat", 1, "how often each throughput leg is run; the median is told")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, instead of a table")
	legs := flags.String("legs", "", "run only these, separated by commas: "+legNames(b.legs()))
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := chooseLegs(b.legs(), *legs)
	if err != nil {
		return err
	}
	if b.rtt < 0 || b.seconds < 3*time.Second || b.repeat < 1 || flags.NArg() > 0 {
		return errors.New("--rtt must not be negative, --seconds at least 3s, --repeat at least 1, and nothing may follow the flags")
	}
	measured, err := inDir(b, *keep, func() (*report, error) { return b.run(ctx, chosen) })
	if err != nil {
		return err
	}
	if *asJSON {
		return measured.writeJSON(os.Stdout)
	}
	return measured.writeTable(os.Stdout)
}

func progress(line string) { fmt.Fprintln(os.Stderr, "· "+line) }
