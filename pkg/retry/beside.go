package retry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// maxPanicPause bounds how long work that panics again and again rests.
const maxPanicPause = 5 * time.Minute

// PanicError is a panic that Contained made an error of.
type PanicError struct {
	Value any
	Stack string // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("a bug, it panicked: %v", e.Value) }

// Contained does work beside the lanes, and makes a *PanicError of its panic: what follows the chain's events for readers may be behind, but a log
// that one of it cannot read must not end every relayer, at every start. It is for one goroutine, and for work that keeps nothing half done that
// the next try believes. Lanes are not contained (package lifecycle).
func Contained(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: string(debug.Stack())}
		}
	}()
	return work()
}

// Trouble is what a loop knows of work that it does again and again.
type Trouble struct {
	Log   *slog.Logger
	Fails string // is logged with the error: what failed, and what happens next
	Works string // is logged when it works again

	said   string
	panics int // in a row
}

// Say takes how a try ended, unless ctx has ended. It logs an error unless it was the last one, each panic with its stack, and once that there is none
// any more.
func (t *Trouble) Say(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	text, panicked := "", (*PanicError)(nil)
	if err != nil {
		text = err.Error()
	}
	was := t.said
	t.said = text
	if errors.As(err, &panicked) {
		t.panics++
		t.Log.Error(t.Fails, "err", err, "stack", panicked.Stack) //nolint:sloglint // a constant of the caller's
		return
	}
	t.panics = 0
	switch {
	case text == was:
	case err == nil:
		t.Log.Info(t.Works) //nolint:sloglint // as above
	default:
		t.Log.Warn(t.Fails, "err", err) //nolint:sloglint // as above
	}
}

// Pause is how long to wait before the next try: d, doubled with each panic in a row, to five minutes or d if that is longer.
func (t *Trouble) Pause(d time.Duration) time.Duration {
	pause := d
	for n := 0; n < t.panics && pause < maxPanicPause; n++ {
		pause = min(2*pause, maxPanicPause)
	}
	return pause
}
