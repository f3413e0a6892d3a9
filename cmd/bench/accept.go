package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

const acceptLanes = 4

// measured is described at runAccept.
type measured struct {
	PerS     float64  `json:"per_s"`
	CPU      float64  `json:"cpu_us_per_update"`
	P50      float64  `json:"p50_ms"`
	P99      float64  `json:"p99_ms"`
	CPULimit *float64 `json:"cpu_limit_us,omitempty"`
}

// acceptLimits are upper bounds of any API on this machine.
type acceptLimits struct {
	Bare      measured `json:"bare_fiber"`
	Recovery  float64  `json:"recovery_us"`
	Parse     float64  `json:"parse_us"`
	Durable   float64  `json:"stream_durable_per_s"`
	Pipelined float64  `json:"redis_pipelined_per_s"`
}

type acceptPeers struct {
	Transaction measured `json:"transaction_per_request"`
	Publish     measured `json:"publish_per_request"`
}

type acceptReport struct {
	Limits acceptLimits `json:"limits"`
	Single measured     `json:"single"`
	Reused measured     `json:"single_reused"`
	Groups measured     `json:"groups_256"`
	Peers  acceptPeers  `json:"peers"`
}

func (r *acceptReport) values() []*float64 {
	out := []*float64{&r.Limits.Recovery, &r.Limits.Parse, &r.Limits.Durable, &r.Limits.Pipelined, r.Single.CPULimit}
	for _, m := range r.measurements() {
		out = append(out, &m.PerS, &m.CPU, &m.P50, &m.P99)
	}
	return out
}

func (r *acceptReport) measurements() []*measured {
	return []*measured{&r.Limits.Bare, &r.Single, &r.Reused, &r.Groups, &r.Peers.Transaction, &r.Peers.Publish}
}

// medianOf returns each figure's median of at least one round.
func medianOf(rounds []*acceptReport) *acceptReport {
	out := &acceptReport{Single: measured{CPULimit: new(float64)}}
	for i, field := range out.values() {
		var values []float64
		for _, r := range rounds {
			values = append(values, *r.values()[i])
		}
		*field = median(values)
	}
	return out
}

// runAccept measures accepts beside their upper bounds: one API with NATS, which syncs every write, Redis and a
// chain, each a process. Relayers are left out, because they would take CPU time from the API.
//
// Each of --repeat rounds measures everything in turn, so that a disturbance of the machine affects all that is
// compared. The report contains medians. Requests are made beforehand and sent over open connections.
//
//   - per_s: a closed loop for --seconds with 128 requests in progress, or 48 of groups. Every response must be a
//     200; the API's must contain "accepted". cpu_us_per_update: the responding process's CPU time, by the system.
//   - p50_ms, p99_ms: an open loop at half of that rate, for --seconds; from when a request was due until its
//     response.
//   - limits: bare_fiber reads the body and responds with as many bytes as the API. recovery_us and parse_us: CPU
//     time to recover a signer, and to read a body's tokens and hex, on one core with warm caches.
//     stream_durable_per_s: full envelopes of 1,000 updates, four in flight. redis_pipelined_per_s: SET of a small
//     key, 256 per round trip, four in flight.
//   - single: random ids, a signature each, 32 projects; cpu_limit_us is the sum of the bare handler, a recovery and
//     a parse. single_reused: one signature per project. groups_256: a group of consecutive ids per request.
//   - peers: handlers without checks. transaction_per_request sends a direct updateScore to its own node, with blocks
//     of 300 M gas. It responds when the node has the transaction, which may still be lost. publish_per_request
//     publishes each body to the same NATS server and responds after the ack.
//
// With --cpu-profile it only writes a profile of the API under single updates.
func runAccept(ctx context.Context, args []string) error {
	d := &slowDisk{bench: &bench{begun: time.Now()}, lanes: acceptLanes}
	flags := newFlags("accept")
	flags.DurationVar(&d.seconds, "seconds", 2*time.Second, "how long each rate is measured, in each round")
	flags.IntVar(&d.repeat, "repeat", 5, "how many rounds; the medians are told")
	only := flags.String("cpu-profile", "", "write a CPU profile of the API under single updates to this file, and measure nothing else")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.seconds < 100*time.Millisecond || d.repeat < 1 || flags.NArg() > 0 {
		return errors.New("--seconds must be at least 100ms, --repeat at least 1, and nothing may follow the flags")
	}
	report, err := inDir(d.bench, *keep, func() (*acceptReport, error) { return d.accept(ctx, *only) })
	if err != nil || report == nil {
		return err
	}
	if err := report.writeTable(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (d *slowDisk) accept(ctx context.Context, profile string) (*acceptReport, error) {
	if err := d.buildAll(ctx); err != nil {
		return nil, err
	}
	a, err := d.newAcceptance(ctx)
	if a != nil {
		defer a.close()
	}
	if err != nil {
		return nil, err
	}
	if profile != "" {
		return nil, a.profile(ctx, profile)
	}
	if err := a.startHandlers(ctx); err != nil {
		return nil, err
	}
	var rounds []*acceptReport
	for i := range d.repeat {
		r, err := a.round(ctx)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", i+1, err)
		}
		progress(fmt.Sprintf("round %d of %d: %.0f single updates/s at %.0f µs of CPU each, %.2f of the limit; %.0f updates/s in groups",
			i+1, d.repeat, r.Single.PerS, r.Single.CPU, r.Single.CPU / *r.Single.CPULimit, r.Groups.PerS))
		rounds = append(rounds, r)
	}
	return medianOf(rounds), nil
}

func (a *acceptance) round(ctx context.Context) (*acceptReport, error) {
	r := &acceptReport{}
	if err := a.limits(ctx, &r.Limits); err != nil {
		return nil, err
	}
	for _, m := range []struct {
		name string
		at   *measured
		of   load
	}{
		{"bare handler", &r.Limits.Bare, load{to: a.bare, next: repeated(a.singles(1024, false)), conns: singleConns}},
		{"single updates", &r.Single, load{to: a.apiServer, make: func(n int) [][]byte { return a.singles(n, false) }, conns: singleConns, accepted: true}},
		{"single updates, one signature", &r.Reused, load{to: a.apiServer, make: func(n int) [][]byte { return a.singles(n, true) }, conns: singleConns, accepted: true}},
		{"groups", &r.Groups, load{to: a.apiServer, make: a.groups, conns: groupConns, updates: score.MaxSigned, accepted: true}},
		{"a transaction per request", &r.Peers.Transaction, load{to: a.transactions, make: a.peers, conns: singleConns}},
		{"a publish per request", &r.Peers.Publish, load{to: a.publishes, next: repeated(a.singles(1024, false)), conns: singleConns}},
	} {
		var err error
		if *m.at, err = m.of.measure(ctx, a.seconds); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	r.Single.CPULimit = some(r.Limits.Bare.CPU + r.Limits.Recovery + r.Limits.Parse)
	return r, nil
}

func (r *acceptReport) writeTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tupdates/s\tµs of CPU\tp50 ms\tp99 ms\t")
	rows := map[string]*measured{
		"1 bare handler": &r.Limits.Bare, "2 single": &r.Single, "3 single, one signature": &r.Reused, "4 groups of 256": &r.Groups,
		"5 a transaction per request": &r.Peers.Transaction, "6 a publish per request": &r.Peers.Publish,
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		m := rows[name]
		fmt.Fprintf(table, "%s\t%.0f\t%.1f\t%.1f\t%.1f\t\n", name[2:], m.PerS, m.CPU, m.P50, m.P99)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("couldn't write the table: %w", err)
	}
	_, err := fmt.Fprintf(out, "\nA recovery %.1f µs, a parse %.1f µs: a single update takes %.2f of its limit of %.1f µs.\n"+
		"The stream stores %.0f updates/s, Redis sets %.0f keys/s in pipelines.\n",
		r.Limits.Recovery, r.Limits.Parse, r.Single.CPU / *r.Single.CPULimit, *r.Single.CPULimit, r.Limits.Durable, r.Limits.Pipelined)
	return err
}
