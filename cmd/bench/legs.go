package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

type bench struct {
	rtt     time.Duration
	seconds time.Duration // per steady part
	repeat  int           // runs per throughput leg
	dir     string        // for programs, data and logs
	begun   time.Time

	relayer, scorelay, txmgr string // programs
}

type leg struct {
	name    string
	section func(*report) **figures // section that the leg fills
	peer    bool                    // needs txmgr
	repeat  bool                    // run --repeat times; other legs repeat by themselves, or only count
	run     func(context.Context) (figures, error)
}

// legs returns all legs; those that are compared are adjacent.
func (b *bench) legs() []leg {
	scorelay := func(r *report) **figures { return &r.Scorelay }
	relayers := func(name string, lanes int) func(context.Context) (figures, error) {
		return func(ctx context.Context) (figures, error) { return b.scorelayLeg(ctx, name, lanes) }
	}
	peer := func(name string, updates int, cachedFees bool) func(context.Context) (figures, error) {
		return func(ctx context.Context) (figures, error) { return b.peerLeg(ctx, name, updates, cachedFees) }
	}
	return []leg{
		{name: "scorelay", section: scorelay, repeat: true, run: relayers("scorelay", window/laneWindow)},
		{
			name: "txmgr", section: func(r *report) **figures { return &r.TxMgr }, peer: true, repeat: true,
			run: peer("txmgr", batchSize, false),
		},
		{
			name: "txmgr_cached_fees", section: func(r *report) **figures { return &r.TxMgrCached }, peer: true, repeat: true,
			run: peer("txmgr_cached_fees", batchSize, true),
		},
		{
			name: "one_tx_per_update", section: func(r *report) **figures { return &r.OneTxPerUpdate }, peer: true, repeat: true,
			run: peer("one_tx_per_update", 1, true),
		},
		{
			name: "scorelay_one_lane", section: func(r *report) **figures { return &r.OneLane }, repeat: true,
			run: relayers("scorelay_one_lane", 1),
		},
		{name: "block_fill", section: scorelay, run: b.fillLeg},
		{name: "recovery", section: scorelay, run: b.recoveryLeg},
		{name: "quiet", section: scorelay, run: b.quietLeg},
	}
}

func legNames(legs []leg) string {
	var names []string
	for _, l := range legs {
		names = append(names, l.name)
	}
	return strings.Join(names, ",")
}

// chooseLegs returns the named legs; all if names is empty.
func chooseLegs(legs []leg, names string) (chosen []leg, err error) {
	if names == "" {
		return legs, nil
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		wanted[name] = true
	}
	for _, l := range legs {
		if wanted[l.name] {
			chosen = append(chosen, l)
			delete(wanted, l.name)
		}
	}
	for name := range wanted {
		return nil, fmt.Errorf("there is no leg %q; there are %s", name, legNames(legs))
	}
	return chosen, nil
}

func discardLogs() { slog.SetDefault(slog.New(slog.DiscardHandler)) }

func (b *bench) run(ctx context.Context, legs []leg) (*report, error) {
	discardLogs()
	var others []program
	if slices.ContainsFunc(legs, func(l leg) bool { return l.peer }) {
		others = append(others, program{name: "txmgr", dir: "txmgr", source: ".", path: &b.txmgr})
	}
	if err := b.build(ctx, others...); err != nil {
		return nil, err
	}
	measured := &report{RTT: float64(b.rtt) / float64(time.Millisecond)}
	for _, l := range legs {
		f, err := b.repeated(ctx, l)
		if err != nil {
			return nil, fmt.Errorf("leg %s: %w", l.name, err)
		}
		section := l.section(measured)
		if *section == nil {
			*section = &figures{}
		}
		(*section).fill(f)
	}
	measured.ElapsedS = time.Since(b.begun).Seconds()
	return measured, nil
}

func (b *bench) repeated(ctx context.Context, l leg) (figures, error) {
	times := 1
	if l.repeat {
		times = b.repeat
	}
	var runs []figures
	for i := range times {
		begun := time.Now()
		f, err := l.run(ctx)
		if err != nil {
			return figures{}, err
		}
		progress(fmt.Sprintf("%s, run %d of %d, %.0f s: %s", l.name, i+1, times, time.Since(begun).Seconds(), f))
		runs = append(runs, f)
	}
	return medians(runs), nil
}
