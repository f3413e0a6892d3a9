package dev

import (
	"context"
	"math"
	"time"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
)

// A demo's timeout is demoPatience, for faults, plus demoPerUpdate per update.
const (
	demoPatience  = 5 * time.Minute
	demoPerUpdate = 20 * time.Millisecond
	stallPatience = load.Patience
)

type Demo struct {
	updates, parallel int
	tally             *load.Tally
}

func NewDemo(updates, parallel int) *Demo {
	return &Demo{updates: updates, parallel: parallel, tally: load.NewTally()}
}

func (d *Demo) Progress() string {
	verdict := d.tally.Verdict()
	return progress(d.updates, d.tally.Counts().Sent, verdict.Unknown, verdict.Applied+verdict.Rejected)
}

// Run sends a plan and waits until each update with a 200 is final. Then it audits, and checks that the contract has
// used the ids of all these updates. With an error, the summary contains the results so far.
func (d *Demo) Run(user context.Context, s *Stack) (*Summary, error) {
	ctx, cancel := s.patient(user, demoPatience+time.Duration(d.updates)*demoPerUpdate)
	defer cancel()
	stall := stallPatience
	if s.Options.Confirmations == 0 {
		stall = math.MaxInt64 // ctx ends if the chain stops making blocks
	}
	posts := load.Plan(s.Place, d.updates)
	before := s.Meter.Read(ctx)

	sent, followed := make(chan struct{}), make(chan error, 1)
	go func() { followed <- load.Follow(ctx, s.Client, d.tally, sent, stall) }()
	began := time.Now()
	load.Run(ctx, s.Client, posts, d.parallel, d.tally.Add)
	sendTime := time.Since(began)
	close(sent)
	err := <-followed
	summary := measured(d.updates, d.tally.Counts(), d.tally.Verdict(), sendTime, time.Since(began))
	summary.answer, summary.final = d.tally.Latency(), d.tally.Finality()
	defer func() { summary.interrupted = err != nil && user.Err() != nil }()
	if err != nil {
		return summary, err
	}
	summary.settled = true
	if summary.applied > 0 {
		summary.gas = int(s.Meter.Read(ctx).Gas-before.Gas) / summary.applied
	}
	findings, err := s.Auditor.Await(ctx, stallPatience)
	if err != nil {
		return summary, err
	}
	missing, err := d.tally.NotUsed(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return s.Auditor.Chain.Call(ctx, evidence.Call{To: s.Auditor.Deployment.Contract, Data: data}, findings.Hash)
	})
	if err != nil {
		return summary, err
	}
	summary.audit(findings, len(missing))
	return summary, nil
}

func measured(planned int, c load.Counts, v load.Verdict, sending, total time.Duration) *Summary {
	r := &Summary{
		planned: planned, answered: c.Sent - c.Failed, accepted: v.Promised, refused: c.Rejected, unanswered: c.Failed,
		wrong: c.Wrong, applied: v.Applied, rejected: v.Rejected, retries: c.Retries,
		acceptedPer: float64(v.Promised) / sending.Seconds(), perSecond: float64(v.Applied) / total.Seconds(),
		// A repeat counts as a duplicate, even if the API accepted it while Redis was unavailable.
		duplicates: c.Accepted + c.Duplicate - v.Promised,
	}
	if c.Failed > 0 {
		r.unanswered += planned - c.Sent
	}
	return r
}

// missing is the number of updates with a 200 and an id that the contract has not used.
func (r *Summary) audit(findings *index.Findings, missing int) {
	r.audited, r.pending, r.lost, r.doubled = true, findings.Awaited, max(missing, findings.Lost()), findings.Doubled
	if !findings.OK() {
		r.problem = findings.Problem()
	}
}
