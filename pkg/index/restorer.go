package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	restoreTries = 10 // of one write, before the restore begins anew
	restorePause = time.Second
)

// Restorer brings the status store back from the stream and the chain whenever it has lost its data.
type Restorer struct {
	Deployment Deployment
	Chain      Chain
	Source     Source
	Statuses   Statuses
	// Horizon is how far back final statuses are brought back, by the time of their block: the store's retention. 0 means
	// all there ever were. What is older the chain still knows: it refuses the id.
	Horizon time.Duration
	// Settled is the newest block of which lanes reported outcomes; nil means none. A restore that read an endpoint that lags
	// behind it would declare the store complete without them.
	Settled func(ctx context.Context) (block uint64, err error)
	Poll    time.Duration // how often the store is looked at; 0 means DefaultPoll
	Log     *slog.Logger
}

// Run watches the store until ctx ends, whose end is no error. Several may run: their writes do not hurt each other, and
// the restore that began last counts. One that failed waits as long as it took, in which that last one comes through.
func (r *Restorer) Run(ctx context.Context) error {
	poll := r.Poll
	if poll == 0 {
		poll = DefaultPoll
	}
	for ctx.Err() == nil {
		complete, err := r.Statuses.Complete(ctx)
		if err == nil && !complete {
			began := time.Now()
			if err := r.Restore(ctx); err != nil && ctx.Err() == nil {
				r.Log.Warn("couldn't bring the statuses back; looking again", "err", err)
				pause(ctx, max(2*poll, time.Since(began)))
			}
		} // an error: the store is down, which those who need it tell
		pause(ctx, poll)
	}
	return nil
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
	final, err := r.Chain.Final(ctx)
	none := errors.Is(err, ethereum.NotFound)
	if err != nil && !none {
		return fmt.Errorf("couldn't read the final block: %w", err)
	}
	if err := r.reached(ctx, final.Number); err != nil {
		return err
	}
	accepted, err := r.accepted(ctx)
	if err != nil {
		return err
	}
	finals := 0
	if !none {
		if finals, err = r.finals(ctx, final); err != nil {
			return err
		}
	}
	if err := r.deadLetters(ctx); err != nil {
		return err
	}
	if err := r.Statuses.EndRestore(ctx, token); err != nil {
		return err
	}
	r.Log.Info("the status store is complete again", "accepted", accepted, "final", finals, "block", final.Number,
		"took", time.Since(began).Round(time.Millisecond))
	return nil
}

// reached fails while the final block that endpoints show is before one that lanes have settled slots in.
func (r *Restorer) reached(ctx context.Context, final uint64) error {
	if r.Settled == nil {
		return nil
	}
	settled, err := r.Settled(ctx)
	if err != nil {
		return fmt.Errorf("couldn't tell up to which block the lanes have reported outcomes: %w", err)
	}
	if final < settled {
		return fmt.Errorf("lanes reported outcomes up to block %d, and the newest final block that endpoints show is %d: they lag", settled, final)
	}
	return nil
}

// accepted writes what the stream holds.
func (r *Restorer) accepted(ctx context.Context) (n int, err error) {
	err = r.Source.ReadAll(ctx, func(_ score.Lane, record Record) error {
		n += len(record.Updates)
		return r.again(ctx, func() error {
			switch {
			case record.Project != nil:
				return r.Statuses.RestoreProjectAccepted(ctx, record.Project.ID)
			case len(record.Updates) > 0:
				return r.Statuses.RestoreAccepted(ctx, record.Updates)
			}
			return nil
		})
	})
	return n, err
}

// deadLetters writes the outcomes that no event tells. A replayed letter's is over: what was accepted anew is waiting, or
// has its outcome elsewhere.
func (r *Restorer) deadLetters(ctx context.Context) error {
	return r.Source.DeadLetters(ctx, func(d DeadLetter) error {
		if !d.uneventful() || d.Replayed {
			return nil
		}
		return r.again(ctx, func() error {
			switch {
			case d.Project != nil:
				return r.Statuses.RestoreProjectFinal(ctx, d.Tx, 0, d.Project.ID, d.Outcome)
			case d.Update != nil:
				return r.Statuses.RestoreDead(ctx, d.Tx, d.Update, d.Outcome)
			}
			return nil
		})
	})
}

// finals writes what the events of the final blocks tell, as far back as the horizon.
func (r *Restorer) finals(ctx context.Context, final Block) (n int, err error) {
	from, err := r.horizon(ctx, final)
	if err != nil {
		return 0, err
	}
	topics := append(registry.UpdateTopics(), registry.ProjectTopics()...)
	err = r.Chain.Logs(ctx, topics, from, final.Number, func(_ Block, logs []types.Log) error {
		for i := range logs {
			event, err := registry.ParseLog(&logs[i])
			if err != nil {
				return err
			}
			n += updatesOf(event)
			if err := r.again(ctx, func() error { return r.final(ctx, event, logs[i].TxHash, logs[i].BlockNumber) }); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func (r *Restorer) final(ctx context.Context, event registry.Event, tx common.Hash, block uint64) error {
	switch e := event.(type) {
	case registry.BatchApplied:
		return r.Statuses.RestoreFinal(ctx, tx, block, e.Batch.Updates(), e.Outcomes)
	case registry.ScoreUpdated:
		return r.Statuses.RestoreFinal(ctx, tx, block, []score.Update{e.Update}, []score.Outcome{score.Applied})
	case registry.ProjectCreated:
		return r.Statuses.RestoreProjectFinal(ctx, tx, block, e.Project.ID, score.Applied)
	}
	return nil
}

func updatesOf(event registry.Event) int {
	switch e := event.(type) {
	case registry.BatchApplied:
		return len(e.Outcomes)
	case registry.ScoreUpdated:
		return 1
	}
	return 0
}

// horizon is the first block to read.
func (r *Restorer) horizon(ctx context.Context, final Block) (uint64, error) {
	first := r.Deployment.Block
	if r.Horizon == 0 || final.Number <= first {
		return first, nil
	}
	since := time.Now().Add(-r.Horizon).Unix()
	var failed error
	n := sort.Search(int(final.Number-first), func(i int) bool {
		if failed != nil {
			return true
		}
		block, err := r.Chain.BlockByNumber(ctx, first+uint64(i))
		failed = err
		return err == nil && int64(block.Time) >= since
	})
	if failed != nil {
		return 0, fmt.Errorf("couldn't find the first block of the horizon: %w", failed)
	}
	return first + uint64(n), nil
}

// again repeats a write that may repeat, since a restore is too long to begin anew for one missed answer.
func (r *Restorer) again(ctx context.Context, write func() error) error {
	for try := 1; ; try++ {
		err := write()
		if err == nil || try == restoreTries || ctx.Err() != nil {
			return err
		}
		pause(ctx, restorePause)
	}
}
