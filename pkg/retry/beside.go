package retry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// maxPanicPause bounds the pause after panics.
const maxPanicPause = 5 * time.Minute

// PanicError is a panic that Contained recovered.
type PanicError struct {
	Value any
	Stack string // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("a bug, it panicked: %v", e.Value) }

// Contained runs work outside the lanes (see package lifecycle), on one goroutine, and returns its panic as a
// *PanicError. So a log on which a projection panics cannot end every relayer at every start. The work must leave no
// partial state that the next try trusts.
func Contained(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: string(debug.Stack())}
		}
	}()
	return work()
}

// Trouble tracks and logs the failures of repeated work.
type Trouble struct {
	Log   *slog.Logger
	Fails string // logged with the error: the failure and the next step
	Works string // logged when it works again

	said   string
	panics int // in a row
}

// Say records the result of a try, unless ctx has ended. It logs each new error, each panic with its stack, and the
// recovery.
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

// Pause returns the time until the next try: d, doubled for each panic in a row, up to max(d, 5 min).
func (t *Trouble) Pause(d time.Duration) time.Duration {
	pause := d
	for n := 0; n < t.panics && pause < maxPanicPause; n++ {
		pause = min(2*pause, maxPanicPause)
	}
	return pause
}
