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

// Fold is a projection: state computed from the ledger. It may be killed anywhere, and run twice at once.
type Fold interface {
	// Begin returns the position of the stored state; the zero Position if the store is empty. It is called again
	// after each error. If lost is set, reading cannot continue from that position (ErrReplaced), and the state
	// starts over.
	Begin(ctx context.Context, lost bool) (Position, error)
	// Apply applies the messages after the stored position. It stores the new position with the state or after it, so
	// messages may be applied again.
	Apply(ctx context.Context, messages []*Message) error
}

// Checker is a Fold with a Check that runs about once a second, to notice lost data even while the ledger is idle.
// Check's errors count as Apply's.
type Checker interface {
	Check(ctx context.Context) error
}

var ErrFoldMoved = score.ErrFoldMoved

const (
	foldPause = time.Second
	foldCheck = time.Second
	foldAhead = 2 * time.Minute // most time for a restarted ledger to reach a fold's position
)

// RunFold keeps a projection up to date until ctx ends, then returns nil. It reads ahead while it applies.
func RunFold(ctx context.Context, s *Source, f Fold, name string, log *slog.Logger) error {
	trouble := retry.Trouble{
		Log: log.With("fold", name), Works: "a fold follows the ledger of final blocks again",
		Fails: "a fold couldn't follow the ledger of final blocks; what it computes stays as it is, and the relayer tries again",
	}
	var ahead time.Time // since when ErrAhead is returned
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
			err = nil
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

func updatesIn(e *Event) int {
	if b, ok := e.Event.(registry.BatchApplied); ok {
		return b.Batch.Len()
	}
	return 1
}
