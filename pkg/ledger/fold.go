package ledger

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Fold is a state that is computed from the ledger. It may be killed anywhere, and run twice at once.
type Fold interface {
	// Begin returns up to where the state is computed, as its store has it; the zero Position of one that holds nothing. It is called again after each
	// error, also of a position that cannot be read on from (ErrReplaced): then lost is true, and the state begins again.
	Begin(ctx context.Context, lost bool) (Position, error)
	// Apply computes the messages, which follow what the state holds, into it, and stores with the same write up to where that is.
	Apply(ctx context.Context, messages []*Message) error
}

// Checker is a Fold that can tell whether its store still is where it thinks; it is asked about once a second, so that a store that lost what it had
// is noticed also while the ledger has nothing new. An error of Check is as one of Apply.
type Checker interface {
	Check(ctx context.Context) error
}

// ErrFoldMoved reports that a fold's store is not where the caller thought: another process works on it, or it lost what it was told last.
var ErrFoldMoved = score.ErrFoldMoved

const (
	foldPause = time.Second     // after an error
	foldCheck = time.Second     // between checks
	foldAhead = 2 * time.Minute // how long a ledger that began again may take to reach a fold's position, before the state begins again, too
)

// RunFold keeps a state up to date until ctx ends, whose end is no error. name is what it is, in log lines. It reads the next messages while it
// applies some.
func RunFold(ctx context.Context, s *Source, f Fold, name string, log *slog.Logger) error {
	trouble := retry.Trouble{
		Log: log.With("fold", name), Works: "a fold follows the ledger of final blocks again",
		Fails: "a fold couldn't follow the ledger of final blocks; what it computes stays as it is, and the relayer tries again",
	}
	var ahead time.Time // since when
	for lost := false; ctx.Err() == nil; {
		err := retry.Contained(func() error { return follow(ctx, s, f, lost, func() { trouble.Say(ctx, nil) }) })
		switch {
		case !errors.Is(err, ErrAhead):
			ahead = time.Time{}
		case ahead.IsZero():
			ahead = time.Now()
		}
		lost = errors.Is(err, ErrReplaced) || !ahead.IsZero() && time.Since(ahead) >= foldAhead
		if errors.Is(err, ErrFoldMoved) {
			err = nil // begin again
		}
		trouble.Say(ctx, err)
		_ = retry.Sleep(ctx, trouble.Pause(foldPause))
	}
	return nil
}

func follow(ctx context.Context, s *Source, f Fold, lost bool, works func()) error {
	at, err := f.Begin(ctx, lost)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type read struct {
		messages []*Message
		err      error
	}
	next := make(chan read, 1)
	go func() {
		defer close(next)
		for {
			var r read
			r.err = retry.Contained(func() (err error) {
				r.messages, err = s.Next(ctx, at)
				return err
			})
			if r.err == nil {
				at = r.messages[len(r.messages)-1].Position
			}
			select {
			case next <- r:
			case <-ctx.Done():
				return
			}
			if r.err != nil {
				return
			}
		}
	}()
	check := time.NewTicker(foldCheck)
	defer check.Stop()
	for {
		select {
		case r, open := <-next:
			switch {
			case !open:
				return ctx.Err()
			case r.err != nil:
				return r.err
			}
			if err := f.Apply(ctx, r.messages); err != nil {
				return err
			}
			works()
		case <-check.C:
			if c, can := f.(Checker); can {
				if err := c.Check(ctx); err != nil {
					return err
				}
			}
		}
	}
}

// updatesIn is how many updates an event tells of.
func updatesIn(e *Event) int {
	if b, ok := e.Event.(registry.BatchApplied); ok {
		return b.Batch.Len()
	}
	return 1
}
