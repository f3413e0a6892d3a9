package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/webhook"
)

type webhooksCommand struct {
	Add        webhooksAddCommand        `cmd:"" help:"Have a project's events be sent to an endpoint. Its secret is printed once and cannot be read again."`
	List       webhooksListCommand       `cmd:"" help:"List the endpoints, and how far each is."`
	Show       webhooksShowCommand       `cmd:"" help:"Show an endpoint, and how far it is, as JSON."`
	Deliveries webhooksDeliveriesCommand `cmd:"" help:"List the newest POSTs to an endpoint: 20 that it took, and 20 that it did not."`
	Test       webhooksTestCommand       `cmd:"" help:"Have the relayer send an endpoint one event of type webhook.test, also if it is disabled."`
	Redeliver  webhooksRedeliverCommand  `cmd:"" help:"Have one event, or all from a time or a cursor on, come again to an endpoint, or pass over what it cannot take."`
	Rotate     webhooksRotateCommand     `cmd:"" help:"Give an endpoint another secret, which is printed once. The one before signs, too, for a while."`
	Disable    webhooksDisableCommand    `cmd:"" help:"Have an endpoint be sent nothing. What becomes final meanwhile comes once it is enabled."`
	Enable     webhooksEnableCommand     `cmd:"" help:"Have an endpoint be sent events again, from where it was."`
	Remove     webhooksRemoveCommand     `cmd:"" help:"Forget an endpoint."`
}

const (
	untilDone = 30 * time.Second // long, since a relayer may have to take the lease first
	lookEvery = 200 * time.Millisecond
)

type webhooksAddCommand struct {
	natsFlags `embed:""`
	Project   score.ProjectID `name:"project" required:"" placeholder:"0x…" help:"The project whose events it is sent."`
	URL       string          `arg:"" help:"Where to: https://…, or http://… to networks of the relayers' SCORELAY_WEBHOOK_ALLOW."`
	Types     []event.Type    `name:"types" placeholder:"TYPE,…" help:"Types of events that it is sent, such as update.applied. By default all."`
	Batch     int             `name:"batch" default:"1" placeholder:"N" help:"Events in one POST: 1 (${default}), each is a POST of its own; more, up to 500, each POST has a list of as many as there are, for projects with many events a second."`
	From      string          `name:"from" default:"now" placeholder:"WHEN" help:"From when on: now (${default}), start (of the project), a time like 2026-11-23T08:00:00Z, how long ago (2h), or a cursor."`
	JSON      bool            `name:"json" help:"Print JSON."`
}

// Run prints only the secret to standard output, so it can be piped into a file.
func (c *webhooksAddCommand) Run(s signals) error {
	from, err := parseFrom(c.From, time.Now())
	if err != nil {
		return err
	}
	return c.withWebhooks(s.drain, &c.Project, func(store *webhook.Store) error {
		e, secret, err := store.Add(s.drain, webhook.Endpoint{Project: c.Project, URL: c.URL, Types: c.Types, Batch: c.Batch}, from)
		if err != nil {
			return err
		}
		return printSecret(fmt.Sprintf("added endpoint %s; this is the only time its secret is shown:", e.ID), e, secret, c.JSON)
	})
}

func printSecret(sentence string, e webhook.Endpoint, secret webhook.Secret, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(struct {
			webhook.Endpoint
			Secret string `json:"secret"`
		}{e, secret.Reveal()})
	}
	fmt.Fprintln(os.Stderr, sentence)
	fmt.Println(secret.Reveal())
	return nil
}

// parseFrom parses the word now, an RFC 3339 time, a duration before now, or a cursor such as start.
func parseFrom(text string, now time.Time) (webhook.Move, error) {
	if text == "now" {
		return webhook.Move{Time: now.UTC()}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return webhook.Move{Time: at.UTC()}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return webhook.Move{Time: now.Add(-ago).UTC()}, nil
	}
	cursor, err := event.ParseCursor(text)
	if err != nil {
		return webhook.Move{}, fmt.Errorf("--from is %q; it must be now, start, a time like 2026-11-23T08:00:00Z, a duration like 2h, or a cursor as `scorelay webhooks deliveries` prints it", text)
	}
	return webhook.Move{From: &cursor}, nil
}

type shown struct {
	webhook.Endpoint
	State webhook.State `json:"state"`
}

type webhooksListCommand struct {
	natsFlags `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

func (c *webhooksListCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error {
		endpoints, err := store.List(s.drain)
		if err != nil {
			return err
		}
		all := make([]shown, len(endpoints))
		for i := range endpoints {
			if all[i].Endpoint, all[i].State, err = store.Get(s.drain, endpoints[i].ID); err != nil {
				return err
			}
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(all)
		}
		return printEndpoints(all)
	})
}

func printEndpoints(all []shown) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tPROJECT\tURL\tTYPES\tBATCH\tCREATED\tLAST TAKEN\tSTATE")
	for i := range all {
		e, last := &all[i], "-"
		for _, a := range e.State.Attempts {
			if a.Delivered() {
				last = a.Time.Format(time.RFC3339)
			}
		}
		types := make([]string, len(e.Types))
		for i, t := range e.Types {
			types[i] = string(t)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", e.ID, e.Project, e.URL, cmp.Or(strings.Join(types, ","), "all"), e.Batch,
			e.Created.Format(time.RFC3339), last, e.state())
	}
	return table.Flush()
}

func (e *shown) state() string {
	switch {
	case e.Disabled != nil:
		return fmt.Sprintf("disabled since %s: %s", e.Disabled.Since.Format(time.RFC3339), e.Disabled.Why)
	case e.State.Waiting != nil:
		return fmt.Sprintf("waiting since %s: %s", e.State.Waiting.Since.Format(time.RFC3339), e.State.Waiting.Why)
	case e.State.Failing != nil:
		return "failing since " + e.State.Failing.Format(time.RFC3339)
	case e.State.Moved == 0:
		return "no relayer has looked at it yet"
	}
	return "ok"
}

type endpointFlags struct {
	natsFlags `embed:""`
	ID        string `arg:"" help:"The endpoint's id."`
}

type webhooksShowCommand struct {
	endpointFlags `embed:""`
}

func (c *webhooksShowCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) (err error) {
		var e shown
		if e.Endpoint, e.State, err = store.Get(s.drain, c.ID); err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(e)
	})
}

type webhooksDeliveriesCommand struct {
	endpointFlags `embed:""`
	JSON          bool `name:"json" help:"Print JSON."`
}

func (c *webhooksDeliveriesCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error {
		_, state, err := store.Get(s.drain, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(state.Attempts)
		}
		return printAttempts(state.Attempts)
	})
}

func printAttempts(attempts []webhook.Attempt) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "TIME\tSTATUS\tMS\tEVENTS\tWEBHOOK-ID\tANSWER\tCURSOR BEFORE IT")
	for _, a := range attempts {
		status := "none"
		if a.Status != 0 {
			status = fmt.Sprint(a.Status)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", a.Time.Format(time.RFC3339), status, a.Millis, a.Events, a.Message, cmp.Or(a.Answer, "-"), a.After)
	}
	return table.Flush()
}

type webhooksTestCommand struct {
	endpointFlags `embed:""`
	JSON          bool `name:"json" help:"Print JSON."`
}

// Run fails unless the endpoint responds 2xx.
func (c *webhooksTestCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error {
		n, err := store.Test(s.drain, c.ID)
		if err != nil {
			return err
		}
		state, err := await(s.drain, store, c.ID, func(state *webhook.State) bool { return state.Tested >= n })
		if err != nil {
			return err
		}
		return printTried(state.Attempts, c.JSON, func(a *webhook.Attempt) bool { return a.Test == n })
	})
}

// printTried prints the attempts that asked selects. It fails if there are none, since a later request replaced the
// POST, or if the response was not 2xx.
func printTried(attempts []webhook.Attempt, asJSON bool, asked func(*webhook.Attempt) bool) (err error) {
	of := slices.DeleteFunc(attempts, func(a webhook.Attempt) bool { return !asked(&a) })
	if asJSON {
		err = json.NewEncoder(os.Stdout).Encode(of)
	} else {
		err = printAttempts(of)
	}
	switch {
	case err == nil && len(of) == 0:
		err = errors.New("another POST was asked for before this one was tried, which replaced it; ask again")
	case err == nil && !of[0].Delivered():
		err = errFailed
	}
	return err
}

func await(ctx context.Context, store *webhook.Store, id string, done func(*webhook.State) bool) (webhook.State, error) {
	limited, cancel := context.WithTimeout(ctx, untilDone)
	defer cancel()
	for {
		_, state, err := store.Get(limited, id)
		if err == nil && done(&state) {
			return state, nil
		}
		if retry.Sleep(limited, lookEvery) != nil {
			return state, cmp.Or(err, fmt.Errorf("no relayer has done it within %s; it is done as soon as one delivers webhooks", untilDone))
		}
	}
}

type webhooksRedeliverCommand struct {
	endpointFlags `embed:""`
	Event         string `arg:"" optional:"" help:"The id of one event (its webhook-id), which is sent once more, at once and out of order, also where the endpoint is disabled or asks for other types."`
	JSON          bool   `name:"json" help:"Print the POST of one event as JSON."`
	From          string `name:"from" placeholder:"WHEN" help:"Or all, from when on: start (of the project), a time like 2026-11-23T08:00:00Z, how long ago (2h), a cursor, or now, which passes over what waits."`
}

func (c *webhooksRedeliverCommand) Run(s signals) error {
	if (c.Event == "") == (c.From == "") {
		return errors.New("name an event by its id, or say --from when on")
	}
	if c.Event != "" {
		return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error { return c.one(s.drain, store) })
	}
	from, err := parseFrom(c.From, time.Now())
	if err != nil {
		return err
	}
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error {
		n, err := store.Move(s.drain, c.ID, from)
		if err != nil {
			return err
		}
		if _, err = await(s.drain, store, c.ID, func(state *webhook.State) bool { return state.Moved >= n }); err == nil {
			fmt.Fprintf(os.Stderr, "endpoint %s is sent events from %s on\n", c.ID, c.From)
		}
		return err
	})
}

func (c *webhooksRedeliverCommand) one(ctx context.Context, store *webhook.Store) error {
	n, err := store.Resend(ctx, c.ID, c.Event)
	if err != nil {
		return err
	}
	state, err := await(ctx, store, c.ID, func(state *webhook.State) bool { return state.Resent >= n })
	if err != nil {
		return err
	}
	return printTried(state.Attempts, c.JSON, func(a *webhook.Attempt) bool { return a.Resend == n })
}

type webhooksRotateCommand struct {
	endpointFlags `embed:""`
	Keep          time.Duration `name:"keep" default:"24h" help:"How long the secret of before signs, too (${default}). 0s: not at all."`
	JSON          bool          `name:"json" help:"Print JSON."`
}

// Run replaces an endpoint's secret; the previous one still signs for --keep.
func (c *webhooksRotateCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error {
		secret, err := store.Rotate(s.drain, c.ID, c.Keep)
		if err != nil {
			return err
		}
		e, _, err := store.Get(s.drain, c.ID)
		if err != nil {
			return err
		}
		return printSecret(fmt.Sprintf("endpoint %s has another secret, and the one of before signs until %s, too; this is the only time it is shown:", c.ID, when(e.Rotating)), e, secret, c.JSON)
	})
}

type webhooksDisableCommand struct {
	endpointFlags `embed:""`
	Reason        string `name:"reason" default:"an operator disabled it" placeholder:"TEXT" help:"Why, for those who look."`
}

func (c *webhooksDisableCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error { return store.Disable(s.drain, c.ID, c.Reason) })
}

type webhooksEnableCommand struct {
	endpointFlags `embed:""`
}

func (c *webhooksEnableCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error { return store.Enable(s.drain, c.ID) })
}

type webhooksRemoveCommand struct {
	endpointFlags `embed:""`
}

func (c *webhooksRemoveCommand) Run(s signals) error {
	return c.withWebhooks(s.drain, nil, func(store *webhook.Store) error { return store.Remove(s.drain, c.ID) })
}

func (f *natsFlags) withWebhooks(ctx context.Context, of *score.ProjectID, do func(*webhook.Store) error) error {
	log := commandLog()
	js, s, closeNATS, err := f.open(ctx, log)
	if err != nil {
		return err
	}
	defer closeNATS()
	if err := s.Complete(ctx); err != nil { // creates the webhook buckets that deployments of earlier versions lack
		return err
	}
	if of != nil {
		if err := lookForProject(ctx, js, *of, log); err != nil {
			return err
		}
	}
	store, err := webhook.Open(ctx, js)
	if err != nil {
		return err
	}
	return do(store)
}
