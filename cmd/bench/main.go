package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}

const usage = `usage: go run . relay [flags]

Measures Scorelay's relayers beside op-service/txmgr; see doc.go for what, and how.

`

func run(args []string) error {
	b := &bench{begun: time.Now()}
	flags := flag.NewFlagSet("relay", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	flags.DurationVar(&b.rtt, "rtt", 50*time.Millisecond, "how much longer each call to the node takes")
	flags.DurationVar(&b.seconds, "seconds", 12*time.Second, "how long the steady part of a throughput leg is measured")
	flags.IntVar(&b.repeat, "repeat", 1, "how often each throughput leg is run; the median is told")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, instead of a table")
	legs := flags.String("legs", "", "run only these, separated by commas: "+legNames(b.legs()))
	keep := flags.Bool("keep", false, "keep data and logs")
	if len(args) == 0 || args[0] != "relay" {
		flags.Usage()
		return errors.New("say what to measure: relay")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	chosen, err := chooseLegs(b.legs(), *legs)
	if err != nil {
		return err
	}
	if b.rtt < 0 || b.seconds < 3*time.Second || b.repeat < 1 || flags.NArg() > 0 {
		return errors.New("--rtt must not be negative, --seconds at least 3s, --repeat at least 1, and nothing may follow the flags")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if b.dir, err = os.MkdirTemp("", "scorelay-bench-"); err != nil {
		return fmt.Errorf("couldn't make a directory to work in: %w", err)
	}
	measured, err := b.run(ctx, chosen)
	if err != nil || *keep {
		fmt.Fprintln(os.Stderr, "data and logs are in "+b.dir)
	} else {
		defer func() { _ = os.RemoveAll(b.dir) }()
	}
	if err != nil {
		return err
	}
	if *asJSON {
		return measured.writeJSON(os.Stdout)
	}
	return measured.writeTable(os.Stdout)
}

// progress says what is under way, to people.
func progress(line string) { fmt.Fprintln(os.Stderr, "· "+line) }
