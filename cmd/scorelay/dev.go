package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
)

type devCommand struct {
	DataDir       string        `name:"data-dir" default:".scorelay" placeholder:"DIR" help:"Where state, logs and dev.json live (${default})."`
	Port          int           `name:"port" default:"8080" help:"Port of the API (${default}); 0 takes free ones for everything."`
	RPCPort       int           `name:"rpc-port" default:"8545" help:"Port of the chain's JSON-RPC (${default}); 0 takes a free one."`
	APIs          int           `name:"apis" default:"1" help:"Number of APIs (${default})."`
	Relayers      int           `name:"relayers" default:"1" help:"Number of relayers (${default})."`
	Lanes         int           `name:"lanes" default:"4" help:"Number of lanes (${default})."`
	Separate      bool          `name:"separate" help:"Run APIs, relayers, NATS and Redis as processes of their own, each started again when it dies."`
	NATSPort      int           `name:"nats-port" default:"0" help:"Port of NATS; 0 takes a free one."`
	ChainRPC      []string      `name:"chain-rpc" placeholder:"URL" help:"Use this chain, such as anvil, instead of starting one; several endpoints are separated by commas."`
	ChainKey      string        `name:"chain-key" default:"0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80" placeholder:"KEY" help:"Key of an account with money on that chain; by default anvil's first."`
	Confirmations uint64        `name:"confirmations" default:"2" help:"Blocks, its own included, after which a transaction is final (${default}); 0 waits for the chain's finalized tag."`
	BlockTime     time.Duration `name:"block-time" default:"1s" help:"How often the chain makes a block (${default})."`
	Set           []string      `name:"set" sep:"none" placeholder:"ROLE:VARIABLE=VALUE" help:"With --separate: a setting for processes of a role, as 'relayer:SCORELAY_WINDOW=4', or for one of them, as 'relayer.0:SCORELAY_WINDOW=4'. May be repeated."`
	Demo          int           `name:"demo" placeholder:"N" help:"Send N signed updates, wait until all are final, audit, print a summary and end."`
	DemoParallel  int           `name:"demo-parallel" default:"128" help:"Requests of the demo in progress at once (${default})."`
	Verbose       bool          `name:"verbose" short:"v" help:"Log to the terminal, too."`
}

// Run brings the stack up and shows it, or runs the demo on it.
func (c *devCommand) Run(s signals) error {
	opts := dev.Options{
		DataDir: c.DataDir, Port: c.Port, RPCPort: c.RPCPort, APIs: c.APIs, Relayers: c.Relayers, Lanes: c.Lanes,
		NATSPort: c.NATSPort, Separate: c.Separate, ChainRPC: c.ChainRPC, ChainKey: c.ChainKey, Confirmations: c.Confirmations,
		BlockTime: c.BlockTime, Set: c.Set,
	}
	if c.Verbose {
		opts.LogTo = os.Stderr
	}
	say := func(line string) { fmt.Println("· " + line) }
	if c.Demo < 0 || c.DemoParallel < 1 {
		return errors.New("--demo and --demo-parallel must not be negative")
	}
	if c.Demo == 0 {
		return dev.Run(s.drain, s.kill, opts, say, func(ctx context.Context, stack *dev.Stack) error {
			stack.Describe(os.Stdout)
			live(ctx, os.Stdout, stack.Meter)
			fmt.Println("ending; a second Ctrl-C does not wait")
			return nil
		})
	}
	var summary *dev.Summary
	err := dev.Run(s.drain, s.kill, opts, say, func(ctx context.Context, stack *dev.Stack) (err error) {
		line, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); live(line, os.Stdout, stack.Meter) }()
		summary, err = dev.Demo(ctx, stack, c.Demo, c.DemoParallel)
		stop()
		<-done
		return err
	})
	if summary == nil {
		return err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scorelay: "+err.Error())
	}
	fmt.Println(summary) // the last line, whatever happened
	if err != nil || !summary.Good() {
		return errFailed
	}
	return nil
}

// live shows the meter: a line that is written over and over on a terminal, and a line now and then elsewhere.
func live(ctx context.Context, out *os.File, meter *dev.Meter) {
	every, format := 10*time.Second, "%s\n"
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		every, format = time.Second, "\r\x1b[K%s"
		defer fmt.Fprintln(out)
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	before := meter.Read(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			now := meter.Read(ctx)
			if ctx.Err() == nil {
				fmt.Fprintf(out, format, now.Line(before))
			}
			before = now
		}
	}
}
