package dev

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/index"
)

// How long a demo may take: a part for whatever happens to the stack meanwhile, and one for each update.
const (
	demoPatience  = 5 * time.Minute
	demoPerUpdate = 20 * time.Millisecond
	stallPatience = 90 * time.Second
)

// Summary is what a demo measured.
type Summary struct {
	Sent     int
	Counts   load.Counts
	Verdict  load.Verdict
	Audit    *index.Report // nil if there was none
	Accepted float64       // 200s per second while sending
	Final    float64       // applied updates per second, from the first request until the last was final
	Accept   load.Percentiles
	Finality load.Percentiles
}

// Good tells whether nothing was lost or doubled and everything else was as planned.
func (s *Summary) Good() bool {
	return s.Verdict.Lost == 0 && s.Verdict.Doubled == 0 && s.Counts.Failed == 0 && s.Counts.Wrong == 0 &&
		s.Counts.Sent == s.Sent && s.Audit != nil && s.Audit.OK() && s.Audit.Pending() == 0
}

// String is the summary in one line.
func (s *Summary) String() string {
	lost, doubled := s.Verdict.Lost, s.Verdict.Doubled
	if s.Audit != nil {
		lost, doubled = max(lost, s.Audit.Lost()), max(doubled, s.Audit.Doubled)
	}
	// An update counts as accepted once. What was sent again is a duplicate, whether the API found it or, when it could
	// not ask Redis, the contract.
	duplicates := s.Counts.Accepted + s.Counts.Duplicate - s.Verdict.Promised
	line := fmt.Sprintf("accepted %d, applied %d, duplicate %d, rejected %d, lost %d, doubled %d, "+
		"%.0f updates/s (accepted %.0f/s), %d gas/update, "+
		"latency accept p50 %.1f ms p90 %.1f ms p99 %.1f ms max %.0f ms, final p50 %.1f s p90 %.1f s p99 %.1f s",
		s.Verdict.Promised, s.Verdict.Applied, duplicates, s.Counts.Rejected,
		lost, doubled, s.Final, s.Accepted, s.Verdict.GasPer,
		s.Accept.P50, s.Accept.P90, s.Accept.P99, s.Accept.Max,
		s.Finality.P50/1000, s.Finality.P90/1000, s.Finality.P99/1000)
	if s.Counts.Failed > 0 {
		line += fmt.Sprintf(", unanswered %d", s.Counts.Failed+s.Sent-s.Counts.Sent)
	}
	if s.Counts.Wrong > 0 {
		line += fmt.Sprintf(", answered wrongly %d %v", s.Counts.Wrong, s.Counts.Refusals)
	}
	if s.Counts.Retries > 0 {
		line += fmt.Sprintf(", retries %d", s.Counts.Retries)
	}
	if s.Verdict.Chain > 0 {
		line += fmt.Sprintf(", duplicates found by the contract %d", s.Verdict.Chain)
	}
	switch {
	case s.Audit == nil:
		line += ", not audited"
	case s.Audit.Pending() > 0:
		line += fmt.Sprintf(", pending %d", s.Audit.Pending())
	case !s.Audit.OK():
		line += ", audit: " + s.Audit.Problem()
	}
	return line
}

// Demo sends n updates of a plan, parallel at a time, waits until every one that got a 200 is final, and judges twice:
// what clients were promised against the contract's own events, and the stream against the chain by the audit. The
// summary is as complete as could be when there is an error.
func Demo(ctx context.Context, s *Stack, n, parallel int) (*Summary, error) {
	summary := &Summary{Sent: n}
	ctx, cancel := context.WithTimeout(ctx, demoPatience+time.Duration(n)*demoPerUpdate)
	defer cancel()
	posts := load.Plan(s.Place, n)
	tally := load.NewTally()
	d := s.Stream.Deployment()
	ledger := load.NewLedger(s.Chain, d.Contract, d.DeployBlock, s.Options.Confirmations)

	sending, sent := context.WithCancel(ctx)
	following := make(chan struct{})
	go func() { // so that the time of finality is known to a fraction of a second
		defer close(following)
		follow(sending, ledger)
	}()
	began := time.Now()
	load.Run(ctx, s.Client, posts, parallel, tally.Add)
	sendTime := time.Since(began)
	sent()
	<-following

	promised := tally.Promised()
	err := ledger.Settle(ctx, promised, stallPatience)
	total := time.Since(began)
	summary.Counts, summary.Verdict, summary.Accept = tally.Counts(), ledger.Judge(promised), tally.Latency()
	summary.Finality = load.PercentilesOf(ledger.Latencies(promised))
	summary.Accepted = float64(len(promised)) / sendTime.Seconds()
	summary.Final = float64(summary.Verdict.Applied) / total.Seconds()
	if err != nil {
		return summary, err
	}
	if summary.Audit, err = s.Auditor.Await(ctx, stallPatience); err != nil {
		return summary, err
	}
	return summary, checkStatuses(ctx, s, posts, promised)
}

// follow keeps the ledger up to date until ctx ends; what it misses then, Settle reads.
func follow(ctx context.Context, ledger *load.Ledger) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = ledger.Advance(ctx) // Settle tells if it stays so
		}
	}
}

// checkStatuses asks the API about some of the updates: each must be final, and applied. Statuses follow the chain's
// finality with a small delay.
func checkStatuses(ctx context.Context, s *Stack, posts []*load.Post, promised map[load.Key]time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for i := 0; i < len(posts); i += max(1, len(posts)/50) {
		u := &posts[i].Updates[0]
		if _, ok := promised[load.Key{Project: u.Project, ID: u.ID}]; !ok {
			continue
		}
		for {
			status, err := s.Client.UpdateStatus(ctx, u.Project, u.ID)
			if err == nil && status.Status == "final" && status.Outcome == "applied" {
				break
			}
			if ctx.Err() != nil {
				return errors.Join(fmt.Errorf("update %s is applied on the chain but the API says %q %q", u.ID, status.Status, status.Outcome), err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}
