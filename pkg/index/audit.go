package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	awaitPause = 500 * time.Millisecond // between audits that wait, at least
	tornReads  = 10                     // of journals, before an audit gives up
)

// Auditor compares what the stream accepted with what the contract did. It writes nothing, and may run beside anything.
type Auditor struct {
	Deployment    score.Deployment
	Confirmations uint64 // by which blocks are final, as Chain.FinalBlock takes it: the relayers' rule or a stricter one
	Chain         Chain
	Source        Source
	Journals      Journals
	Lanes         Lanes
	Ledger        Ledger // nil: it is not compared
}

// Await audits until nothing is pending of what the first of these audits found in the stream, a fault is found, or
// patience is over, and returns the last findings. What is accepted meanwhile is not awaited, so it ends under traffic,
// too. An audit that fails, such as while NATS elects a leader, is repeated, and its error returned once patience is over.
func (a *Auditor) Await(ctx context.Context, patience time.Duration) (*Findings, error) {
	deadline := time.Now().Add(patience)
	for until := uint64(math.MaxUint64); ; {
		began := time.Now()
		findings, err := a.audit(ctx, until)
		// An audit of a big deployment takes a while: it pauses as long as it worked.
		next := max(awaitPause, time.Since(began))
		over := ctx.Err() != nil || time.Now().Add(next).After(deadline)
		if over || err == nil && (findings.Awaited == 0 || !findings.OK()) {
			return findings, err
		}
		if err == nil {
			until = findings.Until
		}
		if err := retry.Sleep(ctx, next); err != nil {
			return findings, err
		}
	}
}

// settledBy tells what the journals say is settled, and how many lanes were declared dead. Journals that are torn are read again: a
// handover takes a moment.
func settledBy(ctx context.Context, journals Journals, known Lanes) (lanes lane.Lanes, settled [score.Buckets]score.Position, dead int, err error) {
	err = retry.Do(ctx, tornReads, awaitPause, func() error {
		count, err := known(ctx)
		if err != nil {
			return err
		}
		lanes = lane.Lanes{}
		dead = 0
		for id := range score.Lane(count) {
			if lanes[id], _, err = journals.State(ctx, id); err != nil {
				return err
			}
			if lanes[id].Abandoned {
				dead++
			}
		}
		settled, err = lanes.Settled()
		return err
	})
	return lanes, settled, dead, err
}

// Audit audits once. An error says that the comparison could not be made; faults are in the findings, also beside an error.
func (a *Auditor) Audit(ctx context.Context) (*Findings, error) { return a.audit(ctx, math.MaxUint64) }

// audit audits once, and counts as awaited what is pending up to a sequence of the stream.
func (a *Auditor) audit(ctx context.Context, until uint64) (*Findings, error) {
	// The order of these reads is what makes the result exact; the package's documentation says why.
	lanes, settled, dead, err := settledBy(ctx, a.Journals, a.Lanes)
	if err != nil {
		return nil, err
	}
	t := newTally(settled, until)
	if err := a.Source.DeadLetters(ctx, t.deadLetter); err != nil {
		return nil, err
	}
	if t.firstHeld, err = a.firstHeld(ctx); err != nil {
		return nil, fmt.Errorf("couldn't read the ledger: %w", err)
	}
	final, err := a.Chain.FinalBlock(ctx, a.Confirmations)
	if errors.Is(err, ethereum.NotFound) {
		final, err = evidence.Block{}, nil
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
	contract, first := a.Deployment.Contract, a.Deployment.DeployBlock
	if err := readEvents(ctx, a.Chain, contract, first, final.Number, t.final); err != nil {
		return nil, err
	}
	if err := readEvents(ctx, a.Chain, contract, max(first, final.Number+1), head.Number, t.included); err != nil {
		return nil, err
	}
	// Events were read by number, what follows is read by hash: they belong together only if the block is still the one at its height.
	still, err := a.Chain.BlockByNumber(ctx, final.Number)
	if err == nil && final.Hash != (common.Hash{}) && still.Hash != final.Hash {
		err = errors.New("a reorg replaced it; audit again")
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't compare as of final block %d: %w", final.Number, err)
	}
	findings := &Findings{Block: final.Number, Hash: final.Hash, Until: min(until, t.lastSeq), Dead: dead}
	t.judge(findings)
	if len(t.lost) > 0 {
		a.nameLost(ctx, t, findings)
	}
	if err := t.edits.judge(ctx, viewAt(a.Chain, contract, final.Hash), lanes, findings.edit); err != nil {
		return findings, err
	}
	if err := a.scores(ctx, t, final.Hash, findings); err != nil {
		return findings, err
	}
	return findings, a.ledger(ctx, t, final, findings)
}

var errNamed = errors.New("all are named")

// nameLost makes examples of the updates that are lost: the tally has hashes of them, and the stream their names.
func (a *Auditor) nameLost(ctx context.Context, t *auditTally, findings *Findings) {
	err := a.Source.ReadAll(ctx, func(m score.Message) error {
		if t.nameLost(&m, findings); len(t.lost) == 0 {
			return errNamed
		}
		return nil
	})
	if !errors.Is(err, errNamed) {
		findings.example("%d further updates that are lost have no name here: the stream could not be read to its end, or does not hold them any more", len(t.lost))
	}
}

// scores compares every score that an event changed with the contract's.
func (a *Auditor) scores(ctx context.Context, t *auditTally, at common.Hash, findings *Findings) error {
	for project, sums := range t.sums {
		findings.Scores += len(sums)
		err := sums.Compare(ctx, viewAt(a.Chain, a.Deployment.Contract, at), project, func(key ScoreKey, has int64) {
			findings.Mismatched++
			findings.example("score type %d of %s in project %s is %d on the contract, and the applied points add up to %d",
				key.ScoreType, key.Wallet, project, has, sums[key])
		})
		if err != nil {
			return err
		}
	}
	return nil
}
