// Package lifecycle starts the parts of a process in order and stops them in reverse, so that each part can use the
// earlier ones until it has stopped.
//
// Drain means: finish accepted work and refuse new work. Kill means: return now. The first signal drains and the
// second kills. A drain that exceeds its timeout becomes a kill.
//
// A panic in a part ends the process, as kill -9 does: stored state survives that, and memory after a panic is
// unreliable. So lanes and their dependencies do not recover. A lane that continued could use a nonce, or send bytes,
// by a state that differs from its journal; the next session starts from the journal. Contained (retry.Contained) are
// only the parts that follow the contract's events beside the lanes: the ledger's writer and reader, its projections,
// and webhook delivery. Each of their attempts starts from stored state. An event that makes one panic would
// otherwise end every relayer at every start. (The API answers a request that panics with 500.)
//
//	start   a → b → c         (b fails, or a ends meanwhile: c does not start)
//	drain   c → b → a         (each: its Run context ends, Run returns, Stop runs)
//	kill    every Run and Stop context at once; parts that still do not return are left behind
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// ErrKilled reports that parts were killed and may have left work unfinished.
var ErrKilled = errors.New("killed before everything had drained")

// killGrace is how long a killed part may take to return.
const killGrace = 2 * time.Second

// Part is one part of a process. Every field except Name is optional.
type Part struct {
	Name string
	// Start makes the part ready for later parts. It must give up when ctx ends.
	Start func(ctx context.Context) error
	// Run works until drain ends, finishes accepted work and returns; when kill ends it returns at once. If Run
	// returns before drain ends, with or without an error, the whole group ends.
	Run func(drain, kill context.Context) error
	// Stop releases the part's resources after Run has returned.
	Stop func(kill context.Context) error
}

type running struct {
	part  Part
	drain context.CancelFunc
	done  chan struct{}
	err   error // of Run; read after done
}

// Run starts the parts, waits until drain ends or a part returns, and stops the started ones in reverse, within
// drainTimeout (0: unbounded). It returns their joined errors, with ErrKilled if they were killed.
func Run(drain, kill context.Context, log *slog.Logger, drainTimeout time.Duration, parts ...Part) error {
	kill, killNow := context.WithCancel(kill)
	defer killNow()
	// stopping also ends when a part ends while later ones start.
	stopping, stopNow := context.WithCancel(drain)
	defer stopNow()
	var started []*running
	ended := make(chan *running, len(parts))
	var failed error
	for _, part := range parts {
		if failed = start(stopping, part); failed != nil {
			break
		}
		started = append(started, launch(kill, part, func(r *running) { ended <- r; stopNow() }))
	}
	if failed == nil {
		log.Info("started; running until a signal")
		select {
		case <-stopping.Done():
		case <-kill.Done():
		}
	}
	select {
	case r := <-ended:
		failed = fmt.Errorf("%s ended: %w", r.part.Name, orUnexpected(r.err))
		log.Error("a part of the process ended; stopping the others", "part", r.part.Name, "err", r.err)
		r.err = nil // logged
	default:
		if drain.Err() != nil {
			failed = nil // a drain while starting is allowed
			log.Info("draining: finishing what was promised, taking nothing new")
		}
	}
	if drainTimeout > 0 {
		defer time.AfterFunc(drainTimeout, killNow).Stop()
	}
	for i := len(started) - 1; i >= 0; i-- {
		failed = errors.Join(failed, stop(kill, log, started[i]))
	}
	if kill.Err() != nil {
		failed = errors.Join(failed, ErrKilled)
	}
	return failed
}

func start(ctx context.Context, part Part) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if part.Start == nil {
		return nil
	}
	if err := part.Start(ctx); err != nil {
		return fmt.Errorf("couldn't start %s: %w", part.Name, err)
	}
	return nil
}

// launch runs the part on its own drain context.
func launch(kill context.Context, part Part, ended func(*running)) *running {
	ctx, cancel := context.WithCancel(context.WithoutCancel(kill))
	r := &running{part: part, drain: cancel, done: make(chan struct{})}
	if part.Run == nil {
		close(r.done)
		return r
	}
	go func() {
		r.err = part.Run(ctx, kill)
		close(r.done)
		ended(r)
	}()
	return r
}

func stop(kill context.Context, log *slog.Logger, r *running) error {
	began := time.Now()
	r.drain()
	select {
	case <-r.done:
	case <-kill.Done():
		select {
		case <-r.done:
		case <-time.After(killGrace):
			log.Error("a part did not return when killed; leaving it behind", "part", r.part.Name)
			return fmt.Errorf("%s did not return", r.part.Name)
		}
	}
	err := r.err
	if errors.Is(err, context.Canceled) {
		err = nil // as requested
	}
	if r.part.Stop != nil {
		err = errors.Join(err, r.part.Stop(kill))
	}
	if err != nil {
		return fmt.Errorf("couldn't stop %s cleanly: %w", r.part.Name, err)
	}
	log.Debug("stopped", "part", r.part.Name, "took", time.Since(began))
	return nil
}

func orUnexpected(err error) error {
	if err == nil {
		return errors.New("it returned though nothing asked it to")
	}
	return err
}

// sameSignal is how soon a second signal counts as the first: a terminal, a shell or `timeout` signals a process and
// its group.
const sameSignal = 500 * time.Millisecond

// Signals ends drain at the first SIGINT or SIGTERM, and kill at the first one later than sameSignal after it.
// release ends the handling of signals.
func Signals(ctx context.Context) (drain, kill context.Context, release func()) {
	drain, cancelDrain := context.WithCancel(ctx)
	kill, cancelKill := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	released := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		var first time.Time
		for {
			select {
			case <-signals:
			case <-released:
				return
			}
			if first.IsZero() {
				first = time.Now()
				cancelDrain()
			} else if time.Since(first) > sameSignal {
				cancelKill()
				return
			}
		}
	})
	var once sync.Once
	return drain, kill, func() {
		once.Do(func() {
			signal.Stop(signals)
			close(released)
			done.Wait()
			cancelDrain()
			cancelKill()
		})
	}
}
