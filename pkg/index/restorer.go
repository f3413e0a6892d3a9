package index

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	restoreTries = 10 // of one write, before the restore begins again
	restorePause = time.Second

	clocksDiffer = time.Hour // NATS's, which times what is accepted, and the chain's, at most
)

// Restorer brings the status store back from the stream and the chain whenever it has lost its data, and sweeps it.
type Restorer struct {
	Deployment score.Deployment
	Heads      Heads
	Chain      Chain
	Source     Source
	Journals   Journals
	Lanes      Lanes
	Statuses   Statuses
	// Lost names the newest loss of accepted updates that an operator accepted; empty where there is none, or it is not known. May be nil.
	Lost func() string
	// Retention is how far back final statuses are brought back, by the time of their block: the store's retention, or further, where the
	// stream holds what is older. 0 means all there ever were. What is older the chain still knows: it refuses the id.
	Retention time.Duration
	Poll      time.Duration // how often the store is looked at; 0 means DefaultPoll
	Log       *slog.Logger
}

// Run watches the store until ctx ends, whose end is no error. Several may run: their writes do not hurt each other, and
// the restore that began last counts. One that failed waits as long as it took, in which that last one comes through.
func (r *Restorer) Run(ctx context.Context) error {
	poll := cmp.Or(r.Poll, DefaultPoll)
	trouble := retry.Trouble{Log: r.Log, Works: "the statuses were brought back", Fails: "couldn't bring the statuses back; looking again"}
	for ctx.Err() == nil {
		complete := false
		err := r.forget(ctx)
		if err == nil {
			complete, err = r.Statuses.Complete(ctx)
		}
		if err == nil && complete {
			trouble.Say(ctx, nil) // another relayer brought them back
		}
		if err == nil && !complete {
			began := time.Now()
			err := retry.Contained(func() error { return r.Restore(ctx) })
			if trouble.Say(ctx, err); err != nil {
				_ = retry.Sleep(ctx, trouble.Pause(max(2*poll, time.Since(began))))
			}
		}
		if err == nil {
			_ = r.Statuses.Sweep(ctx)
		} // an error: the store is down, which those who need it tell
		_ = retry.Sleep(ctx, poll)
	}
	return nil
}

// forget has a store that is of before a loss forget what was lost: it would be answered as a duplicate forever.
func (r *Restorer) forget(ctx context.Context) error {
	if r.Lost == nil {
		return nil
	}
	token := r.Lost()
	if token == "" {
		return nil
	}
	did, err := r.Statuses.ForgetOnce(ctx, token)
	if did {
		r.Log.Warn("the status store did not know of a loss that an operator accepted: it was flushed or is an older copy; what had no outcome in it is forgotten")
	}
	return err
}

// Restore writes back what the stream and the final blocks know, and then declares the store complete.
func (r *Restorer) Restore(ctx context.Context) error {
	began := time.Now()
	r.Log.Info("the status store is empty or has lost its data; bringing it back from the stream and the chain")
	token, err := r.Statuses.BeginRestore(ctx)
	if err != nil {
		return err
	}
	// The final block is read after the beginning: what the store was told before, and lost, is in it. What it is told
	// from now on stays.
	final, err := r.awaitFinal(ctx)
	if err != nil {
		return err
	}
	if err := r.reached(ctx, final.Number); err != nil {
		return err
	}
	lanes, _, _, err := settledBy(ctx, r.Journals, r.Lanes)
	if err != nil {
		return fmt.Errorf("couldn't tell what lanes are done with: %w", err)
	}
	edits := newEditTally()
	accepted, oldest, err := r.accepted(ctx, &edits)
	if err != nil {
		return err
	}
	finals, err := r.finals(ctx, final, oldest)
	if err != nil {
		return err
	}
	if err := r.deadLetters(ctx, &edits); err != nil {
		return err
	}
	if err := r.edits(ctx, final, &edits, lanes); err != nil {
		return err
	}
	if err := r.Statuses.EndRestore(ctx, token); err != nil {
		return err
	}
	r.Log.Info("the status store is complete again", "accepted", accepted, "final", finals, "block", final.Number,
		"took", time.Since(began).Round(time.Millisecond))
	return nil
}

// awaitFinal waits until the relayer knows a final block. Without one nothing can be said of what is final.
func (r *Restorer) awaitFinal(ctx context.Context) (evidence.Block, error) {
	for {
		changed := r.Heads.Changed()
		if final, ok := r.Heads.Final(); ok {
			return final, nil
		}
		select {
		case <-ctx.Done():
			return evidence.Block{}, ctx.Err()
		case <-changed:
		}
	}
}

// reached fails while the final block is before one that lanes, of other relayers perhaps, have settled slots in: a restore
// up to there would declare the store complete without the outcomes after it.
func (r *Restorer) reached(ctx context.Context, final uint64) error {
	lanes, err := r.Lanes(ctx)
	if err != nil {
		return err
	}
	for i := range lanes {
		state, _, err := r.Journals.State(ctx, score.Lane(i))
		if err != nil {
			return fmt.Errorf("couldn't tell up to which block lane %d has reported outcomes: %w", i, err)
		}
		if n := len(state.Past); n > 0 && final < state.Past[n-1].Block.Number {
			return fmt.Errorf("lane %d reported outcomes up to block %d, and the newest final block that this relayer has seen is %d: it lags",
				i, state.Past[n-1].Block.Number, final)
		}
	}
	return nil
}

// accepted writes what the stream holds, and tells since when; now, if it holds nothing.
func (r *Restorer) accepted(ctx context.Context, edits *editTally) (n int, oldest time.Time, err error) {
	oldest = time.Now()
	err = r.Source.ReadAll(ctx, func(m score.Message) error {
		if m.Time.Before(oldest) {
			oldest = m.Time
		}
		refs := score.Refs(m.Updates)
		if ref, alone := m.Alone(); alone {
			refs = append(refs, ref)
		}
		edits.message(&m)
		n += len(refs)
		return again(ctx, func() error { return r.Statuses.RestoreAccepted(ctx, refs) })
	})
	return n, oldest, err
}

// deadLetters writes the outcomes that no event tells. That of a replayed one is over: what was accepted
// again is waiting, or has its outcome elsewhere.
func (r *Restorer) deadLetters(ctx context.Context, edits *editTally) error {
	return r.Source.DeadLetters(ctx, func(d score.DeadLetter) error {
		edits.deadLetter(&d)
		ref, readable := d.Ref()
		if !readable || !d.Eventless() || !d.Replayed.IsZero() || edits.replaced(&d) {
			return nil
		}
		return again(ctx, func() error { return r.Statuses.RestoreDead(ctx, d.Tx, []score.Ref{ref}, []score.Outcome{d.Outcome}) })
	})
}

// edits writes the outcomes of edits that were made, which no event tells, nor in which transaction. A nonce whose newest acceptance
// waits is that one's.
func (r *Restorer) edits(ctx context.Context, final evidence.Block, edits *editTally, lanes lane.Lanes) error {
	view := viewAt(r.Chain, r.Deployment.Contract, final.Hash)
	return edits.judge(ctx, view, lanes, func(e editAt, is editEnd) error {
		if is != made {
			return nil
		}
		return again(ctx, func() error {
			return r.Statuses.RestoreFinal(ctx, common.Hash{}, 0, []score.Ref{e.ref}, []score.Outcome{score.Applied})
		})
	})
}

// finals writes what the events of the final blocks tell, as far back as the retention, and as the oldest that is written as accepted:
// it may be final for longer than the retention, and in the stream for the sake of what waits before it.
func (r *Restorer) finals(ctx context.Context, final evidence.Block, oldest time.Time) (n int, err error) {
	from, err := r.from(ctx, final, oldest)
	if err != nil {
		return 0, err
	}
	err = readEvents(ctx, r.Chain, r.Deployment.Contract, from, final.Number, func(event registry.Event, log *types.Log) error {
		refs, outcomes := outcomesOf(event)
		n += len(refs)
		if len(refs) == 0 {
			return nil
		}
		return again(ctx, func() error { return r.Statuses.RestoreFinal(ctx, log.TxHash, log.BlockNumber, refs, outcomes) })
	})
	return n, err
}

// outcomesOf are the outcomes that an event tells, and of what.
func outcomesOf(event registry.Event) ([]score.Ref, []score.Outcome) {
	switch e := event.(type) {
	case registry.BatchApplied:
		return score.Refs(e.Batch.Updates()), e.Outcomes
	case registry.ScoreUpdated:
		return []score.Ref{e.Update.Ref()}, []score.Outcome{score.Applied}
	case registry.ProjectCreated:
		return []score.Ref{score.CreationRef(e.Project.ID)}, []score.Outcome{score.Applied}
	}
	return nil, nil
}

// from is the first block to read.
func (r *Restorer) from(ctx context.Context, final evidence.Block, oldest time.Time) (uint64, error) {
	first := r.Deployment.DeployBlock
	if r.Retention == 0 || final.Number <= first {
		return first, nil
	}
	since := time.Now().Add(-r.Retention)
	if written := oldest.Add(-clocksDiffer); written.Before(since) {
		since = written
	}
	return firstSince(ctx, r.Chain, first, final.Number, since)
}

// firstSince is evidence.FirstSince of a chain.
func firstSince(ctx context.Context, chain Chain, from, to uint64, since time.Time) (uint64, error) {
	return evidence.FirstSince(from, to, since, func(number uint64) (evidence.Block, error) { return chain.BlockByNumber(ctx, number) })
}

// again repeats a write that may repeat, since a restore is too long to begin again because of one missed answer.
func again(ctx context.Context, write func() error) error {
	return retry.Do(ctx, restoreTries, restorePause, write)
}
