package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/scorelay/scorelay/pkg/app"
)

type haltCommand struct {
	Show   haltShowCommand   `cmd:"" help:"Show whether accepting halts, why, and what is known of the stream."`
	Resume haltResumeCommand `cmd:"" help:"Have accepting resume, after you decided how."`
}

type haltFlags struct {
	natsFlags `embed:""`
	RedisURL  app.Secret `name:"redis-url" env:"SCORELAY_REDIS_URL" placeholder:"URL" help:"Redis, as redis:// or rediss:// with user, password and database."`
}

// look reads the last halt and the known sequences of the stream. The caller calls the returned function to close.
func (f *haltFlags) look(ctx context.Context) (*app.Halting, func(), error) {
	url := f.RedisURL
	if url == "" {
		info, err := f.running("--redis-url")
		if err != nil {
			return nil, nil, err
		}
		url = app.Secret(info.RedisURL)
	}
	js, opened, closeNATS, err := f.open(ctx, commandLog())
	if err != nil {
		return nil, nil, err
	}
	statuses, closeRedis, err := app.OpenStatuses(opened, url)
	if err != nil {
		closeNATS()
		return nil, nil, fmt.Errorf("--redis-url: %w", err)
	}
	closeAll := func() { _ = closeRedis(); closeNATS() }
	h, err := app.LookAtHalt(ctx, js, opened, statuses)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return h, closeAll, nil
}

type haltShowCommand struct {
	haltFlags `embed:""`
}

func (c *haltShowCommand) Run(s signals) error {
	h, closeAll, err := c.look(s.drain)
	if err != nil {
		return err
	}
	defer closeAll()
	showHalt(os.Stdout, h)
	return nil
}

func showHalt(out io.Writer, h *app.Halting) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	m := &h.Marker
	switch {
	case m.Halts():
		say("Accepting halts since %s, as %s found (%s):\n%s.", m.At.Format(time.RFC3339), m.By, m.Code, m.Reason)
	case m.Code != "":
		say("Accepting does not halt. It did from %s to %s (%s): %s.\nThe operator's decision: %s.",
			m.At.Format(time.RFC3339), m.Resumed.Format(time.RFC3339), m.Code, m.Reason, m.Choice)
	default:
		say("Accepting does not halt, and never did.")
	}
	say("\nThe stream of accepted updates ends at sequence %d, stored at %s.", h.Stream.LastSeq, h.Stream.LastTime.UTC().Format(time.RFC3339))
	say("The lanes' journals speak of sequences up to %d.", h.Journaled)
	if h.NoteErr != nil {
		say("Redis does not tell what it noted: %v.", h.NoteErr)
	} else {
		say("Redis noted sequences up to %d.", h.Noted)
	}
	if known, loss := h.Known(), h.Loss(); known > loss.Ends {
		say("So sequences %d to %d, at least, are missing: what was accepted after %s may be lost.", loss.Ends+1, known, loss.Stored.Format(time.RFC3339))
	}
	if m.Halts() && m.Loss != nil {
		say("An operator began to accept that, and it did not end: run \"scorelay halt resume --accept-loss\" again.")
	}
	if m.Halts() {
		say("\n" + `What you can do:
  - Bring the newest copy of NATS's data back, if there is one with less missing: stop NATS, put it there, start NATS.
    Then run "scorelay halt show" again. If nothing is missing: "scorelay halt resume --nothing-lost".
  - If a lane halts because of transactions that its journal does not know, first decide that: "scorelay lanes resume".
    If the lane's key was used elsewhere and NATS is complete: "scorelay halt resume --nothing-lost".
  - If this copy is all there is: "scorelay halt resume --accept-loss". New updates get sequences behind all that are
    known, and updates that have no outcome can be sent again. Then have the backends send again, under the same ids,
    what they sent since the copy was made: the contract applies each id once.`)
	}
}

type haltResumeCommand struct {
	haltFlags   `embed:""`
	NothingLost bool   `name:"nothing-lost" help:"NATS holds everything it ever acknowledged, again or still."`
	AcceptLoss  bool   `name:"accept-loss" help:"Continue with what NATS holds; backends send again what is lost."`
	Past        uint64 `name:"past" placeholder:"SEQUENCE" help:"With --accept-loss: continue behind this sequence of the stream at least, if you know of a higher one than 'halt show' does."`
}

// Run can be repeated after an error.
func (c *haltResumeCommand) Run(s signals) error {
	switch {
	case c.NothingLost == c.AcceptLoss:
		return errors.New("decide: --nothing-lost or --accept-loss; `scorelay halt show` says what they mean")
	case c.Past > 0 && c.NothingLost:
		return errors.New("--past belongs to --accept-loss")
	}
	h, closeAll, err := c.look(s.drain)
	if err != nil {
		return err
	}
	defer closeAll()
	began := time.Now()
	forgotten, err := h.Resume(s.drain, c.AcceptLoss, c.Past, func(left uint64) {
		if time.Since(began) > 5*time.Second {
			began = time.Now()
			fmt.Fprintf(os.Stderr, "%d sequences left to pass\n", left)
		}
	})
	if err != nil {
		return err
	}
	if c.AcceptLoss {
		fmt.Printf("the statuses of %d updates and creations without an outcome were forgotten; those that NATS holds are restored\n", forgotten)
		fmt.Printf("have the backends send again what they sent after %s\n", h.Loss().Stored.Format(time.RFC3339))
	}
	fmt.Println("accepting resumes within seconds; lanes within half a minute")
	return nil
}
