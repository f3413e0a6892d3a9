package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/status"
	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

type dlqCommand struct {
	List   dlqListCommand   `cmd:"" help:"List the dead letters, oldest first."`
	Show   dlqShowCommand   `cmd:"" help:"Show one dead letter as JSON."`
	Replay dlqReplayCommand `cmd:"" help:"Accept dead letters again, once what made them fail is repaired."`
}

type dlqListCommand struct {
	natsFlags `embed:""`
	JSON      bool `name:"json" help:"Print one JSON document per line."`
	Replayed  bool `name:"replayed" help:"Also list those that were accepted again."`
}

// Run lists the dead letters, and with --replayed also replayed ones, which the stream keeps for the audit.
func (c *dlqListCommand) Run(s signals) error {
	_, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	return c.list(s.drain, opened, os.Stdout)
}

func (c *dlqListCommand) list(ctx context.Context, opened *stream.Stream, out io.Writer) error {
	each := func(fn func(*score.DeadLetter) error) error {
		return opened.DeadLetters(ctx, func(d score.DeadLetter) error {
			if !d.Replayed.IsZero() && !c.Replayed {
				return nil
			}
			return fn(&d)
		})
	}
	if c.JSON {
		lines := json.NewEncoder(out)
		return each(func(d *score.DeadLetter) error { return lines.Encode(deadletter.DocumentOf(d)) })
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tTIME\tOUTCOME\tREASON")
	err := each(func(d *score.DeadLetter) error {
		reason := status.Printable(d.Reason)
		if !d.Replayed.IsZero() {
			reason += " (replayed " + d.Replayed.Format(time.RFC3339) + ")"
		}
		_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", deadletter.ID(d), d.Time.Format(time.RFC3339), d.Outcome, reason)
		return err
	})
	return errors.Join(err, table.Flush())
}

type dlqShowCommand struct {
	natsFlags `embed:""`
	ID        string `arg:"" help:"The dead letter's id, as list prints it; or an updateId or projectId, for the newest of that update or project."`
}

func (c *dlqShowCommand) Run(s signals) error {
	_, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	return c.show(s.drain, opened, os.Stdout)
}

func (c *dlqShowCommand) show(ctx context.Context, opened *stream.Stream, out io.Writer) error {
	letters, err := deadletter.Find(ctx, opened, []string{c.ID})
	if err != nil {
		return err
	}
	document := json.NewEncoder(out)
	document.SetIndent("", "  ")
	return document.Encode(deadletter.DocumentOf(&letters[0]))
}

type dlqReplayCommand struct {
	natsFlags `embed:""`
	IDs       []string `arg:"" optional:"" name:"id" help:"Ids of dead letters, as list prints them, or updateIds or projectIds."`
	All       bool     `name:"all" help:"Replay all dead letters that were not replayed yet."`
}

// Run accepts dead letters again and marks them as replayed. A failure of one does not stop the others.
func (c *dlqReplayCommand) Run(s signals) error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("name the dead letters to replay, or --all")
	}
	js, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	replays, err := deadletter.Open(s.drain, js, opened)
	if err != nil {
		return err
	}
	return c.replay(s.drain, opened, replays, os.Stdout)
}

func (c *dlqReplayCommand) replay(ctx context.Context, opened *stream.Stream, replays *deadletter.Replays, out io.Writer) error {
	letters, err := c.letters(ctx, opened)
	if err != nil {
		return err
	}
	replayed, err := replays.Replay(ctx, letters)
	_, _ = fmt.Fprintf(out, "replayed %d of %d\n", replayed, len(letters))
	return err
}

func (c *dlqReplayCommand) letters(ctx context.Context, opened *stream.Stream) (letters []score.DeadLetter, err error) {
	if c.All {
		err = opened.DeadLetters(ctx, func(d score.DeadLetter) error {
			if d.Replayed.IsZero() {
				letters = append(letters, d)
			}
			return nil
		})
		return letters, err
	}
	return deadletter.Find(ctx, opened, c.IDs)
}
