package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/status"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/halt"
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

// Run lists the dead letters. Replayed ones are history, which the audit needs, so they are shown on request only.
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
		return each(func(d *score.DeadLetter) error { return lines.Encode(documentOf(d)) })
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tTIME\tOUTCOME\tREASON")
	err := each(func(d *score.DeadLetter) error {
		reason := status.Printable(d.Reason)
		if !d.Replayed.IsZero() {
			reason += " (replayed " + d.Replayed.Format(time.RFC3339) + ")"
		}
		_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", shortID(d), d.Time.Format(time.RFC3339), d.Outcome, reason)
		return err
	})
	return errors.Join(err, table.Flush())
}

type dlqShowCommand struct {
	natsFlags `embed:""`
	ID        string `arg:"" help:"The dead letter's id, as list prints it; or an updateId or projectId, for the newest of that update or project."`
}

// Run shows one dead letter.
func (c *dlqShowCommand) Run(s signals) error {
	_, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	return c.show(s.drain, opened, os.Stdout)
}

func (c *dlqShowCommand) show(ctx context.Context, opened *stream.Stream, out io.Writer) error {
	letters, err := findLetters(ctx, opened, []string{c.ID})
	if err != nil {
		return err
	}
	document := json.NewEncoder(out)
	document.SetIndent("", "  ")
	return document.Encode(documentOf(&letters[0]))
}

type dlqReplayCommand struct {
	natsFlags `embed:""`
	IDs       []string `arg:"" optional:"" name:"id" help:"Ids of dead letters, as list prints them, or updateIds or projectIds."`
	All       bool     `name:"all" help:"Replay all dead letters that were not replayed yet."`
}

var (
	// errNoReplay says that a dead letter holds nothing that could be accepted.
	errNoReplay = errors.New("its message cannot be read, so there is nothing to accept")
	// errReplayed says that a dead letter was accepted again before.
	errReplayed = errors.New("it was accepted again before; if it was rejected again, that is another dead letter")
	// errEdit says that a dead letter is an edit. The API checks whether it can be made by now, and its owner has it.
	errEdit = errors.New("an owner's edit is not replayed: have the owner sign it again, and send it to POST /projects/{projectId}/edits; its nonce is free")
	// errSigned says that a dead letter's update was in a signed group. Its signature covers the whole group and is gone:
	// without it the update would stand on the service's word instead of its signer's.
	errSigned = errors.New("its signer signed it together with others, and replayed alone it would go without that signature; " +
		"have the backend sign it and send it again: its updateId is unused")
	// errSignedOnly says that the project takes nothing that a replay could bring.
	errSignedOnly = errors.New("the project takes signed groups only, and this update was not in one; " +
		"have the backend sign it and send it to POST /update-scores: its updateId is unused")
)

// Run accepts dead letters again and marks them. One that cannot be replayed stays, and the others are replayed all the same.
func (c *dlqReplayCommand) Run(s signals) error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("name the dead letters to replay, or --all")
	}
	js, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	if err := accepting(s.drain, js); err != nil {
		return err
	}
	projects, err := directory.Open(s.drain, js)
	if err != nil {
		return err
	}
	return c.replay(s.drain, opened, projects, os.Stdout)
}

// accepting fails while accepting halts.
func accepting(ctx context.Context, js jetstream.JetStream) error {
	marks, err := halt.Open(ctx, js)
	if err != nil {
		return err
	}
	marker, _, err := marks.Read(ctx)
	if err == nil && marker.Halts() {
		err = fmt.Errorf("accepting halts, see `scorelay halt show`: %s", marker.Reason)
	}
	return err
}

func (c *dlqReplayCommand) replay(ctx context.Context, opened *stream.Stream, projects *directory.Directory, out io.Writer) error {
	letters, err := c.letters(ctx, opened)
	if err != nil {
		return err
	}
	var errs []error
	for _, letter := range letters {
		if err := replay(ctx, opened, projects, letter); err != nil {
			errs = append(errs, fmt.Errorf("couldn't replay %s (%s): %w", shortID(&letter), subject(&letter), err))
		}
	}
	_, _ = fmt.Fprintf(out, "replayed %d of %d\n", len(letters)-len(errs), len(letters))
	return errors.Join(errs...)
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
	return findLetters(ctx, opened, c.IDs)
}

// replay accepts what the dead letter holds, as the API would, and then marks the letter, which stays: it is the outcome
// of the first acceptance. The message id is the letter's own, so a replay that died in between and is repeated soon
// accepts it once; repeated late, an update is accepted twice and applies once, a creation is accepted once.
func replay(ctx context.Context, opened *stream.Stream, projects *directory.Directory, letter score.DeadLetter) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := replayable(ctx, projects, letter); err != nil {
		return err
	}
	msgID := "replay-" + letter.ID
	var err error
	switch {
	case letter.Update != nil:
		msgID += "-" + strconv.FormatInt(letter.Time.UnixNano(), 36) // stored again, it is another one
		err = opened.PublishEnvelope(ctx, msgID, []score.Update{*letter.Update}, nil)
	default:
		err = opened.PublishProject(ctx, msgID, letter.Project, letter.Seq)
	}
	if err != nil {
		return err
	}
	return opened.MarkReplayed(ctx, letter, time.Now().UTC())
}

// replayable tells why a dead letter must not be accepted again, if so.
func replayable(ctx context.Context, projects *directory.Directory, letter score.DeadLetter) error {
	switch {
	case !letter.Replayed.IsZero():
		return errReplayed
	case letter.Edit != nil:
		return errEdit
	case letter.Update == nil && letter.Project == nil:
		return errNoReplay
	case letter.Update == nil:
		return nil
	case letter.Signed || letter.Outcome == score.BadSignature:
		return errSigned
	}
	record, _, _, err := projects.Project(ctx, letter.Update.Project)
	if err == nil && record != nil && record.SignedOnly {
		err = errSignedOnly
	}
	return err
}
