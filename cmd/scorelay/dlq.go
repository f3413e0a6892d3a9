package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

type dlqCommand struct {
	List   dlqListCommand   `cmd:"" help:"List the dead letters, oldest first."`
	Show   dlqShowCommand   `cmd:"" help:"Show one dead letter as JSON."`
	Replay dlqReplayCommand `cmd:"" help:"Accept dead letters anew, once what made them fail is repaired."`
}

type dlqListCommand struct {
	natsFlags `embed:""`
	JSON      bool `name:"json" help:"Print one JSON document per line."`
}

// Run lists the dead letters.
func (c *dlqListCommand) Run(s signals) error {
	_, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		return opened.DeadLetters(s.drain, func(d stream.DeadLetter) error { return out.Encode(d) })
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "TIME\tOUTCOME\tREASON\tID")
	err = opened.DeadLetters(s.drain, func(d stream.DeadLetter) error {
		_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", d.Time.Format(time.RFC3339), d.Outcome, d.Reason, d.ID)
		return err
	})
	return errors.Join(err, table.Flush())
}

type dlqShowCommand struct {
	natsFlags `embed:""`
	ID        string `arg:"" help:"The dead letter's id, as list prints it."`
}

// Run shows one dead letter.
func (c *dlqShowCommand) Run(s signals) error {
	_, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	letter, err := opened.DeadLetter(s.drain, c.ID)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(letter)
}

type dlqReplayCommand struct {
	natsFlags `embed:""`
	IDs       []string `arg:"" optional:"" name:"id" help:"Ids of dead letters, as list prints them."`
	All       bool     `name:"all" help:"Replay all dead letters."`
}

// errNoReplay says that a dead letter holds nothing that could be accepted.
var errNoReplay = errors.New("its message cannot be read, so there is nothing to accept")

// Run accepts dead letters anew and removes them. One that cannot be replayed stays, and does not keep others from it.
func (c *dlqReplayCommand) Run(s signals) error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("name the dead letters to replay, or --all")
	}
	_, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	letters, err := c.letters(s.drain, opened)
	if err != nil {
		return err
	}
	var errs []error
	replayed := 0
	for _, letter := range letters {
		if err := replay(s.drain, opened, letter); err != nil {
			errs = append(errs, fmt.Errorf("couldn't replay %s: %w", letter.ID, err))
			continue
		}
		replayed++
	}
	fmt.Printf("replayed %d of %d\n", replayed, len(letters))
	return errors.Join(errs...)
}

func (c *dlqReplayCommand) letters(ctx context.Context, opened *stream.Stream) (letters []stream.DeadLetter, err error) {
	if c.All {
		err = opened.DeadLetters(ctx, func(d stream.DeadLetter) error {
			letters = append(letters, d)
			return nil
		})
		return letters, err
	}
	for _, id := range c.IDs {
		letter, err := opened.DeadLetter(ctx, id)
		if err != nil {
			return nil, err
		}
		letters = append(letters, letter)
	}
	return letters, nil
}

// replay accepts what the dead letter holds, as the API would, and then removes the letter. The message id is the
// letter's own, so a replay that died in between and is repeated soon accepts it once.
func replay(ctx context.Context, opened *stream.Stream, letter stream.DeadLetter) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var err error
	switch {
	case letter.Update != nil:
		lane := score.LaneOf(letter.Update.Project, opened.Deployment().Lanes)
		msgID := "replay." + letter.ID + "." + strconv.FormatInt(letter.Time.UnixNano(), 36)
		err = opened.PublishEnvelope(ctx, lane, msgID, []score.Update{*letter.Update})
	case letter.Project != nil:
		err = opened.PublishProject(ctx, fmt.Sprint("replay-", letter.Seq), letter.Project, letter.Seq)
	default:
		err = errNoReplay
	}
	if err != nil {
		return err
	}
	return opened.RemoveDeadLetter(ctx, letter.ID)
}
