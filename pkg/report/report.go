// Package report makes writes that a process owes to a store which may be away, such as the statuses of updates, without
// ever waiting for it: a write that fails is kept and replayed later, in order, in bounded memory. What finds no room is
// given up, and once the store answers it is asked to restore from elsewhere what it lacks.
//
// Invariants:
//   - A write is made at once, or after all that were kept before it, or given up. In the last case everything that was
//     kept is written first, then a restore is requested, and what is written meanwhile is given up with it.
//   - What is kept is bounded, in writes and in the references they hold.
//   - A write may be made more than once: it must be idempotent. One of an earlier session with the same work may undo what its
//     successor wrote; so a session replays only while it knows that it still has the work (a lane's journal fence).
//   - What is kept dies with its process. A session that relies on it notes behind it, by a write, how far it got.
//
// Rejected: a goroutine of its own (the writer's caller knows when to replay: at each head while the fence holds, or once a second);
// writes as data that could be merged (the closures of two callers say more than a format for both).
package report

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Timeout bounds one write; stores give up much earlier by themselves.
const Timeout = 2 * time.Second

// ErrUnfinished says that the store answers, and that there is more to write than one call may take the time for. A write may return it too:
// it is made again, and continues where it came to.
var ErrUnfinished = errors.New("there is more to write than there was time for")

// Config of a Writer; all fields are required but Hold.
type Config struct {
	MaxWrites int // kept at most
	MaxRefs   int // held by the writes that are kept, at most
	// RequestRestore asks the store to restore what it lacks.
	RequestRestore func(context.Context) error
	Log            *slog.Logger
	// Hold is for how long Replay begins further writes; 0 for no bound.
	Hold time.Duration
}

// Writer makes writes, or keeps them for Replay. Write may be called by any number of goroutines, Replay by one at a time.
// Writes of one goroutine are made in order.
type Writer struct {
	config Config

	mu      sync.Mutex
	pending []write
	refs    int  // in all pending writes
	lost    bool // some were given up: nothing more is kept or written before a restore was requested
}

type write struct {
	refs int
	do   func(context.Context) error
}

// NewWriter returns a Writer that keeps nothing yet.
func NewWriter(config Config) *Writer { return &Writer{config: config} }

// Write makes a write that holds as many references, unless others are pending or it fails: then it is kept, or given up
// for a restore, and done is false.
func (w *Writer) Write(ctx context.Context, refs int, do func(context.Context) error) (done bool) {
	if !w.Pending() && attempt(ctx, do) == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.lost:
	case len(w.pending) == w.config.MaxWrites || w.refs+refs > w.config.MaxRefs:
		w.lost = true
		w.config.Log.Warn("more status writes are pending than fit; the process drops further ones and requests a restore when the status store answers",
			"kept", len(w.pending))
	default:
		w.pending = append(w.pending, write{refs, do})
		w.refs += refs
	}
	return false
}

// GiveUp gives all pending writes up, and what is written before Replay has requested a restore. Not during Replay.
func (w *Writer) GiveUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending, w.refs, w.lost = nil, 0, true
}

// Pending tells whether Replay has anything to do.
func (w *Writer) Pending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending) > 0 || w.lost
}

// Replay makes the pending writes until one fails, and then requests the restore if some were given up. nil means that
// nothing is pending any more; ErrUnfinished, that nothing failed, and a later call continues.
func (w *Writer) Replay(ctx context.Context) error {
	began := time.Now()
	for made := 0; ; made++ {
		w.mu.Lock()
		if len(w.pending) == 0 {
			break
		}
		next := w.pending[0]
		w.mu.Unlock()
		if made > 0 && w.config.Hold > 0 && time.Since(began) >= w.config.Hold {
			return ErrUnfinished
		}
		if err := attempt(ctx, next.do); err != nil {
			return err
		}
		w.mu.Lock()
		w.refs -= next.refs
		w.pending[0] = write{} // what it holds goes now, not with the slice
		w.pending = w.pending[1:]
		w.mu.Unlock()
	}
	lost := w.lost
	w.lost = false // what is given up from here on needs another restore
	w.mu.Unlock()
	if !lost {
		return nil
	}
	err := attempt(ctx, w.config.RequestRestore)
	if err != nil {
		w.mu.Lock()
		w.lost = true
		w.mu.Unlock()
	}
	return err
}

func attempt(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return do(ctx)
}
