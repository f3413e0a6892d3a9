package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	floodWallets = 5_000
	floodTimeout = 10 * time.Minute
	statusPoll   = 20 * time.Millisecond
)

// floodReport contains the times of a quiet project's updates, from the stream's ack until final.
type floodReport struct {
	Updates  int     `json:"updates"`
	FloodS   float64 `json:"flood_s"` // until the whole flood was applied
	BlockS   float64 `json:"block_s"`
	IdleP50  float64 `json:"idle_p50_s"`
	IdleP99  float64 `json:"idle_p99_s"`
	FloodP50 float64 `json:"flood_p50_s"`
	FloodP99 float64 `json:"flood_p99_s"`
	Sent     [2]int  `json:"sent"` // by the quiet project: before and during the flood
}

// runFlood measures a quiet project, alone and beside the flood of another project in the same lane.
func runFlood(ctx context.Context, args []string) error {
	b := &bench{begun: time.Now()}
	flags := newFlags("flood")
	flags.DurationVar(&b.rtt, "rtt", 0, "how much longer each call to the node takes")
	flags.DurationVar(&b.seconds, "seconds", 30*time.Second, "how long the project is measured before the flood")
	updates := flags.Int("updates", 150_000, "how many updates the flood has")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, instead of text")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.rtt < 0 || b.seconds < 3*time.Second || *updates < 1 || flags.NArg() > 0 {
		return errors.New("--rtt must not be negative, --seconds at least 3s, --updates at least 1, and nothing may follow the flags")
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "scorelay-bench-"); err != nil {
		return fmt.Errorf("couldn't make a directory to work in: %w", err)
	}
	report, err := b.flood(ctx, *updates)
	if err != nil {
		fmt.Fprintln(os.Stderr, "data and logs are in "+b.dir)
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	if *asJSON {
		return json.NewEncoder(os.Stdout).Encode(report)
	}
	fmt.Printf("One update a second, accept to final, blocks of %.1f s: p50 %.2f s, p99 %.2f s (%d).\n", report.BlockS, report.IdleP50, report.IdleP99, report.Sent[0])
	fmt.Printf("Beside a flood of %d in its lane, which took %.0f s: p50 %.2f s, p99 %.2f s (%d).\n", report.Updates, report.FloodS, report.FloodP50, report.FloodP99, report.Sent[1])
	return nil
}

// flood starts a deployment with one lane. One project sends an update per second, another all of its updates at
// once.
func (b *bench) flood(ctx context.Context, updates int) (report floodReport, err error) {
	if err := b.build(ctx); err != nil {
		return report, err
	}
	w, err := b.newWorld(ctx, "flood", worldOptions{lanes: 1, gasLimit: narrow})
	if err != nil {
		return report, err
	}
	defer w.close()
	flood := newProject(score.ProjectID(crypto.Keccak256Hash([]byte("scorelay bench flood"))), worldOptions{wallets: floodWallets})
	if _, err := w.transact(ctx, &w.contract, registry.EncodeCreateProject(&flood.Project)); err != nil {
		return report, fmt.Errorf("couldn't create a project: %w", err)
	}
	s, err := b.newStack(ctx, w, stackOptions{})
	if err != nil {
		return report, err
	}
	defer s.close()
	following, err := follow(s.redis.URL, s.stream)
	if err != nil {
		return report, err
	}
	defer following.close()
	q := &quiet{stack: s, followed: following}

	progress(fmt.Sprintf("one update a second for %s", b.seconds))
	begun := time.Now()
	idle, err := q.run(ctx, func() bool { return time.Since(begun) < b.seconds })
	if err != nil {
		return report, err
	}
	progress(fmt.Sprintf("the same beside a flood of %d", updates))
	from, begun := w.watch.len(), time.Now()
	failed := make(chan error, 1)
	go func() { failed <- s.publishAll(ctx, flood, updates) }()
	var last []block
	beside, err := q.run(ctx, func() bool {
		applied := 0
		last, _, _ = w.watch.seen()
		for _, block := range last[from:] {
			applied += block.updates
		}
		return applied < updates && time.Since(begun) < floodTimeout
	})
	if err != nil {
		return report, err
	}
	if err := <-failed; err != nil {
		return report, err
	}
	took := time.Since(begun).Seconds()
	blocks := last[from:]
	return floodReport{
		Updates: updates, FloodS: took, Sent: [2]int{len(idle), len(beside)},
		BlockS:  blocks[len(blocks)-1].at.Sub(blocks[0].at).Seconds() / float64(len(blocks)-1),
		IdleP50: percentile(idle, 0.5), IdleP99: percentile(idle, 0.99), FloodP50: percentile(beside, 0.5), FloodP99: percentile(beside, 0.99),
	}, nil
}

func (s *stack) publishAll(ctx context.Context, p *project, n int) error {
	for left := n; left > 0; left -= stream.MaxEnvelope {
		if err := s.stream.PublishEnvelope(ctx, fmt.Sprintf("flood-%d", left), p.next(min(left, stream.MaxEnvelope)), nil); err != nil {
			return fmt.Errorf("couldn't publish updates: %w", err)
		}
	}
	return nil
}

type quiet struct {
	*stack
	*followed
	n int
}

// run sends while more returns true, and returns the seconds until each update was final.
func (q *quiet) run(ctx context.Context, more func() bool) (took []float64, err error) {
	poll := time.NewTicker(statusPoll)
	defer poll.Stop()
	next := time.Now()
	for sending := true; sending || q.left() > 0; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-poll.C:
		}
		if now := time.Now(); !now.Before(next) {
			if sending = sending && more(); sending {
				if err := q.send(ctx); err != nil {
					return nil, err
				}
				next = next.Add(time.Second)
			}
		}
		finals, err := q.look(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range finals {
			took = append(took, f.took.Seconds())
		}
	}
	return took, nil
}

func (q *quiet) send(ctx context.Context) error {
	q.n++
	update := q.projects[0].next(1)
	if err := q.stream.PublishEnvelope(ctx, fmt.Sprintf("quiet-%d", q.n), update, nil); err != nil {
		return fmt.Errorf("couldn't publish an update: %w", err)
	}
	q.add(update[0].Ref())
	return nil
}
