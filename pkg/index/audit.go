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
	awaitPause = 500 * time.Millisecond // between audits, at least
	tornReads  = 10                     // reads of all journals, until they agree
)

// Auditor only reads, and may run beside anything.
type Auditor struct {
	Deployment    score.Deployment
	Confirmations uint64 // as in Chain.FinalBlock: the relayers' rule or a stricter one
	Chain         Chain
	Source        Source
	Journals      Journals
	Lanes         Lanes
	Ledger        Ledger // nil: skipped
}

// Await audits until everything in the stream at the first audit has an outcome, a fault is found, or patience is
// over. It ignores later updates, so it also ends under traffic. It repeats a failed audit, as during a NATS leader
// election, and returns its error when patience is over.
func (a *Auditor) Await(ctx context.Context, patience time.Duration) (*Findings, error) {
	deadline := time.Now().Add(patience)
	for until := uint64(math.MaxUint64); ; {
		began := time.Now()
		findings, err := a.audit(ctx, until)
		// Pause for as long as the audit took.
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

// settledBy returns the lanes' states, each bucket's position below which everything has its outcome, and the number
// of dead lanes. It reads the journals again if a handoff fell between their reads (lane.ErrTorn).
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

// Audit audits once. An error means that the comparison is incomplete; findings may come with it.
func (a *Auditor) Audit(ctx context.Context) (*Findings, error) { return a.audit(ctx, math.MaxUint64) }

// audit is Audit; pending updates up to until count as awaited.
func (a *Auditor) audit(ctx context.Context, until uint64) (*Findings, error) {
	// This order of reads keeps work in progress from looking like a fault. The head is read after the lanes, so it
	// covers the outcomes of their settled work. The stream is read after the final block, so it has that block's
	// updates.
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
	// Events were read by block number; edits and scores are read by the final block's hash. They match only if that
	// block is still canonical.
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

// nameLost adds the lost updates to the examples. The tally has only their hashes, so nameLost rereads the stream.
func (a *Auditor) nameLost(ctx context.Context, t *auditTally, findings *Findings) {
	err := a.Source.ReadAll(ctx, func(m score.Message) error {
		if t.nameLost(&m, findings); len(t.lost) == 0 {
			return errNamed
		}
		return nil
	})
	if !errors.Is(err, errNamed) {
		findings.example("%d further updates that are lost have no name here: the stream does not hold them any more, or could not be read: %v", len(t.lost), err)
	}
}

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
