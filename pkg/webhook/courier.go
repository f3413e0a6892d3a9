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
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// idleSaves is the interval between writes of a cursor that moves past unwanted events. If the cursor is lost, blocks
// are read again, invisibly to receivers.
const idleSaves = time.Minute

const findTimeout = 10 * time.Second

// A failed ledger counts as readable again after quietReads × TryAgain free of errors.
const quietReads = 15

var errTaken = errors.New("another process delivers to the endpoint")

// courier delivers to one endpoint until its record changes.
type courier struct {
	*Deliverer
	record
	log *slog.Logger

	state    State
	revision uint64    // of the stored state
	read     bool      // the state was read, so it may be written
	dirty    bool      // the stored state is older
	saved    time.Time // last write
	serving  bool      // the metric counts the endpoint as served
	trouble  retry.Trouble
}

func (c *courier) run(ctx context.Context) {
	defer c.metrics.forget(c.ID)
	defer c.serve(false)
	for ctx.Err() == nil {
		err := retry.Contained(func() error { return c.deliver(ctx) })
		c.wait(ctx, err)
		if c.dirty && !errors.Is(err, errTaken) { // record deliveries even if ctx has ended
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
			_ = retry.Contained(func() error { return c.save(last) })
			cancel()
		}
		c.serve(c.serving && err == nil)
		c.trouble.Say(ctx, err)
		_ = retry.Sleep(ctx, c.trouble.Pause(c.TryAgain))
	}
}

// deliver continues at the stored cursor until an error.
func (c *courier) deliver(ctx context.Context) (err error) {
	c.read, c.dirty = false, false
	state, err := c.Store.states.Get(ctx, c.ID)
	if err != nil {
		return err
	}
	c.state, c.revision = state.Document, state.Revision
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

// asked carries out operators' requests.
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

// If resend cannot find the event, the attempt records the reason, and delivery continues.
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

// page moves the cursor after each delivered message, and writes it at intervals.
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
	return c.advance(ctx, next, idleSaves)
}

// next waits for events until a pending cursor write is due or, after a read error, until the ledger counts as
// readable. It then returns an empty list.
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
	case errors.Is(err, event.ErrReplaced): // any other reorg is an ordinary event
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

// wait records when and why delivery became blocked. Later reasons are ignored: each would cost a write.
func (c *courier) wait(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil || errors.Is(err, errTaken) || !c.read || c.Disabled != nil || c.state.Waiting != nil {
		return
	}
	c.state.Waiting, c.dirty = &Waiting{time.Now().UTC().Truncate(time.Second), printable(err.Error())}, true
}

func (c *courier) waitNoMore() {
	if c.state.Waiting != nil {
		c.state.Waiting, c.dirty = nil, true
	}
}

// advance moves the cursor, and writes it if the last write is older than every.
func (c *courier) advance(ctx context.Context, to event.Cursor, every time.Duration) error {
	late := time.Since(c.saved) >= every
	c.dirty = c.dirty || late && to != c.state.Cursor
	c.state.Cursor = to
	if !late {
		return nil
	}
	return c.save(ctx)
}

// until sends a message until a 2xx. It returns an error if ctx ends or the endpoint is disabled.
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
		// The pause is the time since the first failure. So pauses double, even if another relayer continues.
		pause := min(max(failing, c.FirstPause), maxPause)
		pause = max(pause*3/4+rand.N(pause/2), a.retry)
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

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

// giveUp disables the endpoint until an operator runs the commands.
func (c *courier) giveUp(ctx context.Context, why string, commands ...string) error {
	if err := c.save(ctx); err != nil {
		return err
	}
	// Disabling changes the record, which ends ctx, maybe before the response arrives. WithoutCancel keeps the log
	// line.
	if err := c.Store.disable(context.WithoutCancel(ctx), c.ID, Disabled{Why: why, Fails: true}); err != nil {
		return err
	}
	c.log.Error("a webhook's endpoint is disabled; nothing is skipped, and it continues when an operator runs the command", "why", why, "command", strings.Join(commands, " && "))
	<-ctx.Done() // a new courier follows the changed record
	return ctx.Err()
}

// save retries until the state is written, which bounds the deliveries that a crash repeats. If another process wrote
// the state, it returns errTaken.
func (c *courier) save(ctx context.Context) error {
	served := c.serving
	for c.dirty {
		revision, err := c.Store.states.Replace(ctx, c.ID, c.state, c.revision)
		switch {
		case err == nil:
			c.revision, c.saved, c.dirty = revision, time.Now(), false
			c.serve(served)
			return nil
		case errors.Is(err, kv.ErrMoved):
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

// serve sets whether the endpoint counts as served: unless NATS or the chain blocks delivery.
func (c *courier) serve(is bool) {
	switch {
	case is && !c.serving:
		c.metrics.served.Inc()
	case c.serving && !is:
		c.metrics.served.Dec()
	}
	c.serving = is
}
