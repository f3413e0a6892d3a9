package halt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

const (
	lookEvery    = time.Second
	lookPause    = 50 * time.Millisecond // between checks for a new connection
	confirmAfter = 500 * time.Millisecond

	// away is how long looks fail before the process switches to another server: its own may be cut off.
	away = 5 * time.Second

	stateTimeout   = 3 * time.Second
	compareTimeout = 15 * time.Second
	forgetTimeout  = time.Minute
)

type looks struct {
	resumed  uint64 // revision of the last marker handled by resume
	doubted  bool   // the note was implausible; logged once
	asked    bool   // the journals were read on the connection askedOn
	askedOn  uint64
	complain bool // log the next failure
}

// Run looks every second, and at once on each new connection, until ctx ends, and returns ctx's error.
func (g *Guard) Run(ctx context.Context) error {
	var next time.Time
	var last uint64
	saw := time.Now()
	for tried := false; ; {
		doubtful := g.doubtful() && !tried // retry a failed look only after confirmAfter
		if now := g.config.Connection(); now != last || doubtful || !time.Now().Before(next) {
			err := g.Look(ctx)
			if tried = err != nil; !tried {
				saw = time.Now()
			} else if g.config.Elsewhere != nil && time.Since(saw) > away {
				g.config.Elsewhere()
				saw = time.Now()
			}
			if err != nil && ctx.Err() == nil && g.complain {
				g.config.Log.Warn("couldn't look whether accepting halts; the process looks again, and accepts nothing on a new connection, or after 10 s, before", "err", err)
			}
			g.complain = err == nil
			next = time.Now().Add(lookEvery)
			if last = now; err != nil {
				next = time.Now().Add(confirmAfter)
			}
		}
		if err := retry.Sleep(ctx, lookPause); err != nil {
			return err
		}
	}
}

// Look reads the marker, checks the stream, and writes a loss to the marker. Only Run, or a test in its place, may
// call it.
func (g *Guard) Look(ctx context.Context) error {
	connection, began := g.config.Connection(), time.Now()
	g.mu.Lock()
	g.asked, g.doubt = g.asked && !g.doubt, false
	g.mu.Unlock()
	call, cancel := context.WithTimeout(ctx, stateTimeout)
	defer cancel()
	marker, revision, err := g.config.Marks.Get(call)
	if err == nil {
		g.read(marker, revision)
	}
	// Compare even if the marker is unreadable.
	if err = errors.Join(err, g.compare(ctx, connection)); err != nil {
		g.asked = false
		return err
	}
	if found := g.unwritten(); found != nil {
		next := *found
		next.Forgotten = marker.Forgotten
		if _, err := g.config.Marks.Replace(ctx, next, revision); err != nil && !errors.Is(err, kv.ErrMoved) {
			return err // perhaps stored: the next look reads it
		}
		if marker, revision, err = g.config.Marks.Get(ctx); err != nil {
			return err
		}
		g.read(marker, revision)
	}
	if err := g.resume(ctx, marker, revision); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clear = g.found == nil && !g.marker.Halts() && !g.doubt; g.clear {
		g.connection, g.lookedAt = connection, began
	}
	g.once.Do(func() { close(g.looked) })
	return nil
}

// resume calls Forget before the process accepts again, even if it missed the halt.
func (g *Guard) resume(ctx context.Context, m Marker, revision uint64) error {
	if m.Halts() || g.unwritten() != nil {
		return nil
	}
	select {
	case <-g.looked:
		if revision == g.resumed {
			return nil
		}
		if g.config.Forget != nil {
			limited, cancel := context.WithTimeout(ctx, forgetTimeout)
			defer cancel()
			if err := g.config.Forget(limited); err != nil {
				return fmt.Errorf("couldn't forget what NATS lost: %w", err)
			}
		}
		g.config.Log.Info("accepting resumes, as an operator decided", "choice", m.Choice)
	default: // at the start, Forget has no state to drop
	}
	g.resumed = revision
	g.halted.Set(0)
	return nil
}

// compare checks the stream's identity and end. A short end needs a second look, since a cluster's new leader may
// answer before it has read everything.
func (g *Guard) compare(ctx context.Context, connection uint64) error {
	ctx, cancel := context.WithTimeout(ctx, compareTimeout)
	defer cancel()
	s := g.config.Stream
	if !g.asked || g.askedOn != connection {
		seq, err := g.config.Journaled(ctx)
		if err != nil {
			return err
		}
		s.Saw(seq)
		g.asked, g.askedOn = true, connection
	}
	// the note is optional
	if highest, err := g.config.Note(ctx, s.Seen()); err == nil {
		if err := g.noted(ctx, highest); err != nil {
			return err
		}
	}
	for confirmed := false; ; confirmed = true {
		known := s.Seen() // read before the stream's end, which only grows
		state, err := g.state(ctx)
		switch {
		case err != nil:
			return err
		case !state.Created.Equal(s.Created()):
			g.replaced(s.Created(), state.Created)
			return nil
		case state.LastSeq >= known:
			s.Saw(state.LastSeq)
			g.disprove(state.LastSeq)
			return nil
		case confirmed:
			g.find(shorter(known, state.LastSeq), false)
			return nil
		}
		g.mu.Lock()
		g.clear = false
		g.mu.Unlock()
		if err := retry.Sleep(ctx, confirmAfter); err != nil {
			return err
		}
	}
}

func (g *Guard) state(ctx context.Context) (score.StreamState, error) {
	ctx, cancel := context.WithTimeout(ctx, stateTimeout)
	defer cancel()
	return g.config.Stream.State(ctx)
}

// noted applies Redis's note, unless it is implausible, since such a note would halt accepting forever.
func (g *Guard) noted(ctx context.Context, highest uint64) error {
	s := g.config.Stream
	if highest > s.Seen()+sure {
		state, err := g.state(ctx)
		if err != nil {
			return err
		}
		if !Believable(highest, state) {
			if !g.doubted {
				g.config.Log.Warn("Redis's note of the stream's end cannot be true; not using it until it is deleted", "noted", highest, "ends", state.LastSeq)
			}
			g.doubted = true
			return nil
		}
	}
	g.doubted = false
	s.Saw(highest)
	return nil
}
