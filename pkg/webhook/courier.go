package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/watched"
)

// idleSaves is the time between writes of a cursor that moved behind nothing that was delivered.
const idleSaves = time.Minute

// findTimeout is how long an event that is to be sent again is looked for.
const findTimeout = 10 * time.Second

// quietReads is for how many TryAgain the ledger, which could not be read, must have nothing new and no error, so that it is read again.
const quietReads = 15

// errTaken says that another process wrote an endpoint's state.
var errTaken = errors.New("another process delivers to the endpoint")

// courier delivers to one endpoint, as long as its record stays as it is.
type courier struct {
	*Deliverer
	record
	log *slog.Logger

	state    State
	revision uint64    // of the stored state
	read     bool      // it was; else there is nothing to write
	dirty    bool      // what is stored is older
	saved    time.Time // when it was stored
	serving  bool      // as the metric has it
	trouble  retry.Trouble
}

// run delivers until ctx ends.
func (c *courier) run(ctx context.Context) {
	defer c.metrics.forget(c.ID)
	defer c.serve(false)
	for ctx.Err() == nil {
		err := retry.Contained(func() error { return c.deliver(ctx) })
		c.wait(ctx, err)
		if c.dirty && !errors.Is(err, errTaken) { // ctx has ended, but what was delivered is worth a try
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
			_ = retry.Contained(func() error { return c.save(last) })
			cancel()
		}
		c.serve(c.serving && err == nil)
		c.trouble.Say(ctx, err)
		_ = retry.Sleep(ctx, c.trouble.Pause(c.TryAgain))
	}
}

// deliver reads how far the endpoint is and continues there. The error says why it has to begin again.
func (c *courier) deliver(ctx context.Context) (err error) {
	c.read, c.dirty = false, false
	if c.state, c.revision, err = c.Store.state(ctx, c.ID); err != nil {
		return err
	}
	c.read = true
	if c.Disabled != nil {
		c.waitNoMore()
	}
	if err := c.asked(ctx); err != nil {
		return err
	}
	if c.Disabled != nil {
		if c.Disabled.Fails {
			c.metrics.disabled.WithLabelValues(c.ID).Set(1)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	c.serve(c.state.Waiting == nil)
	for {
		if err := c.page(ctx); err != nil {
			return err
		}
	}
}

// asked does what operators asked for.
func (c *courier) asked(ctx context.Context) (err error) {
	if c.Move.N > c.state.Moved {
		to := c.Move.From
		if to == nil {
			at, err := c.events.Since(ctx, c.Move.Time)
			if err != nil {
				return fmt.Errorf("couldn't find where the events since %s begin: %w", c.Move.Time.Format(time.RFC3339), err)
			}
			to = &at
		}
		c.state.Cursor, c.state.Moved, c.state.Failing, c.dirty = *to, c.Move.N, nil, true
		c.log.Info("a webhook's endpoint is sent events from another cursor on", "after", *to)
	}
	if c.Test > c.state.Tested {
		m, err := newTest(&c.Endpoint, c.Test, time.Now())
		if err != nil {
			return err
		}
		if _, err := c.post(m); err != nil {
			return err
		}
		c.state.Tested = c.Test
	}
	if c.Resend.N > c.state.Resent {
		if err := c.resend(ctx); err != nil {
			return err
		}
	}
	return c.save(ctx)
}

// resend tries the event that an operator asked for once. What cannot be found, now, holds up nothing: the attempt says why.
func (c *courier) resend(ctx context.Context) error {
	finding, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	var e event.Event
	err := retry.Contained(func() (err error) {
		e, err = c.events.Find(finding, c.Project, c.Resend.Event)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.state.add(Attempt{
			Time: time.Now().UTC().Truncate(time.Millisecond), Message: c.Resend.Event, After: c.state.Cursor, Answer: printable("was not sent: " + err.Error()), Resend: c.Resend.N,
		})
	default:
		m, err := newMessage([]event.Event{e}, c.state.Cursor, c.Batch > 1)
		if err != nil {
			return err
		}
		m.resend = c.Resend.N
		if _, err := c.post(m); err != nil {
			return err
		}
	}
	c.state.Resent, c.dirty = c.Resend.N, true
	return nil
}

// page delivers what comes next. The cursor moves behind each message when it was delivered, and is written now and then.
func (c *courier) page(ctx context.Context) error {
	events, next, err := c.next(ctx)
	if err != nil {
		return err
	}
	after := c.state.Cursor
	events = slices.DeleteFunc(events, func(e event.Event) bool { return !c.wants(e.Type) })
	for some := range slices.Chunk(events, c.Batch) {
		m, err := newMessage(some, after, c.Batch > 1)
		if err != nil {
			return err
		}
		c.metrics.oldest.WithLabelValues(c.ID).Set(float64(m.oldest.Unix()))
		if err := c.until(ctx, m); err != nil {
			return err
		}
		after = m.end
		if err := c.advance(ctx, after, c.SaveEvery); err != nil {
			return err
		}
	}
	c.metrics.oldest.DeleteLabelValues(c.ID)
	// Behind nothing that was delivered it is written less often, and may be lost: to read blocks again costs no receiver anything.
	return c.advance(ctx, next, idleSaves)
}

// next waits for events, but no longer than what was delivered may stay unwritten; where the ledger could not be read, no longer than shows that it can.
func (c *courier) next(ctx context.Context) ([]event.Event, event.Cursor, error) {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	switch {
	case c.dirty:
		waiting, cancel = context.WithDeadline(ctx, c.saved.Add(c.SaveEvery))
	case c.state.Waiting != nil:
		waiting, cancel = context.WithTimeout(ctx, quietReads*c.TryAgain)
	}
	defer cancel()
	events, next, err := c.events.Next(waiting, c.Project, c.state.Cursor, c.size())
	nothing := err != nil && ctx.Err() == nil && waiting.Err() != nil
	switch {
	case errors.Is(err, event.ErrReplaced): // else a reorg is an event like others
		again := "scorelay webhooks redeliver " + c.ID + " --from start"
		return nil, next, c.giveUp(ctx, err.Error()+", and the ledger does not tell what of it still holds: run `"+again+"` (or from a time before it), then `"+c.enable()+"`", again, c.enable())
	case err != nil && !nothing:
		return nil, next, err
	}
	c.trouble.Say(ctx, nil)
	c.serve(true)
	c.waitNoMore()
	if nothing {
		return nil, next, c.save(ctx)
	}
	return events, next, nil
}

// wait notes since when, and why, the endpoint is sent nothing. The first reason stays: each try may have another text, and would be one more write.
func (c *courier) wait(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil || errors.Is(err, errTaken) || !c.read || c.Disabled != nil || c.state.Waiting != nil {
		return
	}
	c.state.Waiting, c.dirty = &Waiting{time.Now().UTC().Truncate(time.Second), printable(err.Error())}, true
}

// waitNoMore notes that the endpoint does not wait.
func (c *courier) waitNoMore() {
	if c.state.Waiting != nil {
		c.state.Waiting, c.dirty = nil, true
	}
}

// advance notes what was delivered, or not asked for, and writes it every so often.
func (c *courier) advance(ctx context.Context, to event.Cursor, every time.Duration) error {
	late := time.Since(c.saved) >= every
	c.dirty = c.dirty || late && to != c.state.Cursor
	c.state.Cursor = to
	if !late {
		return nil
	}
	return c.save(ctx)
}

// until sends a message until it is answered 2xx. Otherwise it returns when ctx ends, or the endpoint was disabled.
func (c *courier) until(ctx context.Context, m *message) error {
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a, err := c.post(m)
		if err != nil {
			return err
		}
		if a.Delivered() {
			if c.state.Failing != nil {
				c.log.Info("a webhook's endpoint takes events again")
			}
			c.state.Failing = nil
			return nil
		}
		if c.state.Failing == nil {
			c.log.Warn("a webhook's endpoint does not take an event; trying again for a while", "event", m.id, "status", a.Status, "answer", a.Answer, "until", a.Time.Add(c.GiveUp))
			c.state.Failing = &a.Time
		}
		failing := min(time.Since(*c.state.Failing), time.Since(c.Enabled))
		switch {
		case a.Status == http.StatusGone:
			return c.giveUp(ctx, "it answered 410: it wants no more events", c.enable())
		case failing >= c.GiveUp:
			return c.giveUp(ctx, fmt.Sprintf("it did not take an event for %s; at last it said: %d %s", failing.Round(time.Second), a.Status, a.Answer), c.enable())
		}
		c.dirty = true
		if err := c.save(ctx); err != nil {
			return err
		}
		// As long as it fails already: pauses double, also where another relayer continues.
		pause := min(max(failing, c.FirstPause), maxPause)
		pause = max(pause*3/4+rand.N(pause/2), a.retry)
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// post tries a message once, and notes how that ended.
func (c *courier) post(m *message) (Attempt, error) {
	keys, err := c.keys(time.Now())
	if err != nil {
		return Attempt{}, err
	}
	a := c.poster.post(c.URL, m, keys)
	c.metrics.attempt(&a)
	c.state.add(a)
	c.dirty = true
	return a, nil
}

func (c *courier) enable() string { return "scorelay webhooks enable " + c.ID }

// giveUp disables the endpoint. Its cursor stays where it is until an operator runs the commands.
func (c *courier) giveUp(ctx context.Context, why string, commands ...string) error {
	if err := c.save(ctx); err != nil {
		return err
	}
	// The change itself ends ctx, maybe before the answer is here, and the log would say nothing.
	if err := c.Store.disable(context.WithoutCancel(ctx), c.ID, Disabled{Why: why, Fails: true}); err != nil {
		return err
	}
	c.log.Error("a webhook's endpoint is disabled; nothing is skipped, and it continues when an operator runs the command", "why", why, "command", strings.Join(commands, " && "))
	<-ctx.Done() // the record has changed: another courier goes by it
	return ctx.Err()
}

// save writes the state, and tries until it is written, so that what a crash repeats stays bounded.
func (c *courier) save(ctx context.Context) error {
	served := c.serving
	for c.dirty {
		revision, err := c.Store.save(ctx, c.ID, c.state, c.revision)
		switch {
		case err == nil:
			c.revision, c.saved, c.dirty = revision, time.Now(), false
			c.serve(served)
			return nil
		case watched.Moved(err):
			return fmt.Errorf("%w: %w", errTaken, err)
		}
		c.serve(false)
		c.trouble.Say(ctx, err)
		if err := retry.Sleep(ctx, c.TryAgain); err != nil {
			return err
		}
	}
	return nil
}

// serve tells whether the endpoint is served: what hinders it is neither NATS nor the chain.
func (c *courier) serve(is bool) {
	switch {
	case is && !c.serving:
		c.metrics.served.Inc()
	case c.serving && !is:
		c.metrics.served.Dec()
	}
	c.serving = is
}
