package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	scoresPerCall = 1000                   // about 3 million gas
	awaitPause    = 500 * time.Millisecond // between audits that wait, at least
)

// Auditor compares what the stream accepted with what the contract did. It writes nothing, and may run beside anything.
type Auditor struct {
	Deployment Deployment
	Chain      Chain
	Source     Source
	Lanes      Lanes
}

// Await audits until nothing is pending, a fault is found, or patience is over, and returns the last report.
func (a *Auditor) Await(ctx context.Context, patience time.Duration) (*Report, error) {
	deadline := time.Now().Add(patience)
	for {
		began := time.Now()
		report, err := a.Audit(ctx)
		// An audit of a big deployment takes a while: it pauses as long as it worked.
		next := max(awaitPause, time.Since(began))
		if err != nil || report.Pending() == 0 || !report.OK() || time.Now().Add(next).After(deadline) {
			return report, err
		}
		pause(ctx, next)
	}
}

// Audit audits once. An error says that the comparison could not be made; faults are in the report.
func (a *Auditor) Audit(ctx context.Context) (*Report, error) {
	// The order of these reads is what makes the result exact; the package's documentation says why.
	settled, err := a.Lanes.Settled(ctx)
	if err != nil {
		return nil, err
	}
	t := newTally(settled)
	if err := a.Source.DeadLetters(ctx, t.deadLetter); err != nil {
		return nil, err
	}
	final, err := a.Chain.Final(ctx)
	if errors.Is(err, ethereum.NotFound) {
		final, err = Block{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read the final block: %w", err)
	}
	if err := a.Source.ReadAll(ctx, t.accepted); err != nil {
		return nil, err
	}
	head, err := a.Chain.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the newest block: %w", err)
	}
	first := a.Deployment.Block
	if final.Number >= first {
		if err := a.events(ctx, first, final.Number, t.final); err != nil {
			return nil, err
		}
	}
	if err := a.events(ctx, max(first, final.Number+1), head.Number, t.included); err != nil {
		return nil, err
	}
	report := &Report{Block: final.Number, Hash: final.Hash}
	t.judge(report)
	return report, a.scores(ctx, t, final.Hash, report)
}

// events hands the contract's events of the blocks from … to to fn.
func (a *Auditor) events(ctx context.Context, from, to uint64, fn func(registry.Event) error) error {
	if from > to {
		return nil
	}
	topics := append(registry.ProjectTopics(), registry.UpdateTopics()...)
	return a.Chain.Logs(ctx, topics, from, to, func(_ Block, logs []types.Log) error {
		for i := range logs {
			event, err := registry.ParseLog(&logs[i])
			if err != nil {
				return err
			}
			if err := fn(event); err != nil {
				return fmt.Errorf("log %d of block %d: %w", logs[i].Index, logs[i].BlockNumber, err)
			}
		}
		return nil
	})
}

// scores compares every score that an event changed with the contract's.
func (a *Auditor) scores(ctx context.Context, t *tally, at common.Hash, report *Report) error {
	view := func(ctx context.Context, data []byte) ([]byte, error) { return a.Chain.View(ctx, data, at) }
	for project, sums := range t.sums {
		keys := make([]scoreKey, 0, len(sums))
		for key := range sums {
			keys = append(keys, key)
		}
		for len(keys) > 0 {
			n := min(scoresPerCall, len(keys))
			wallets, scoreTypes := make([]common.Address, n), make([]uint8, n)
			for i, key := range keys[:n] {
				wallets[i], scoreTypes[i] = key.wallet, key.scoreType
			}
			scores, err := registry.ReadScores(project, wallets, scoreTypes).Do(ctx, view)
			if err != nil {
				return fmt.Errorf("couldn't read the scores of project %s: %w", project, err)
			}
			if len(scores) != n {
				return fmt.Errorf("the contract gave %d scores where %d were asked for", len(scores), n)
			}
			for i, key := range keys[:n] {
				compare(report, project, key, scores[i], sums[key])
			}
			keys = keys[n:]
		}
	}
	return nil
}

func compare(report *Report, project score.ProjectID, key scoreKey, got, want int64) {
	report.Scores++
	if got != want {
		report.Mismatched++
		report.example("score type %d of %s in project %s is %d on the contract, and the applied points add up to %d",
			key.scoreType, key.wallet, project, got, want)
	}
}
