package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	couldNotLook = 2
	stillPending = 3
)

const lookAgain = 5 * time.Minute // longest pause after an audit that failed to read

type auditCommand struct {
	natsFlags     `embed:""`
	chainFlags    `embed:""`
	finalityFlags `embed:""`

	Await time.Duration `name:"wait" placeholder:"DURATION" help:"Wait this long for what was accepted before the audit began to become final."`
	Every time.Duration `name:"every" placeholder:"DURATION" help:"Audit again after this time, until interrupted."`
	JSON  bool          `name:"json" help:"Print the findings as JSON."`
}

func (c *auditCommand) Help() string {
	return "It ends with status 0 when nothing is lost, doubled or unequal, 1 when something is, 2 when it could not look, " +
		"and 3 when something that was accepted before it began is pending after --wait. What is accepted meanwhile is no failure."
}

// Run audits once or, with --every, until interrupted. Its error carries the exit status.
func (c *auditCommand) Run(s signals) error {
	err := c.audit(s.drain)
	for c.Every > 0 && s.drain.Err() == nil {
		if err != nil {
			say(err.Error())
		}
		pause := c.Every
		if exitStatus(err) == couldNotLook {
			pause = min(pause, lookAgain)
		}
		if err = nil; retry.Sleep(s.drain, pause) == nil {
			err = c.audit(s.drain)
		}
	}
	return err
}

// audit runs one audit and stores its exit status, which APIs export as a metric.
func (c *auditCommand) audit(ctx context.Context) (err error) {
	log := commandLog()
	js, opened, closeNATS, err := c.open(ctx, log)
	if err != nil {
		return statusError{fmt.Errorf("the audit could not look: %w", err), couldNotLook}
	}
	defer closeNATS()
	defer func() {
		if ctx.Err() != nil {
			return
		}
		if failed := kv.PutAudit(ctx, js, kv.Audit{Status: exitStatus(err)}); failed != nil {
			log.Warn("the result of the audit is shown by no metric", "err", failed)
		}
	}()
	findings, err := c.findings(ctx, js, opened, log)
	if findings != nil {
		if err := c.print(findings); err != nil {
			return statusError{err, couldNotLook}
		}
		if !findings.OK() {
			return fmt.Errorf("the audit found %s; keep everything, see \"The audit fails\" in docs/operations.md", findings.Problem())
		}
	}
	if err != nil {
		return statusError{fmt.Errorf("the audit could not look: %w", err), couldNotLook}
	}
	if c.Await > 0 && findings.Awaited > 0 {
		return statusError{fmt.Errorf("%d of what was accepted before the audit began are pending after %s, none is lost; `scorelay status` shows "+
			"what lanes wait for", findings.Awaited, c.Await), stillPending}
	}
	say("the audit found nothing lost, doubled or unequal")
	return nil
}

func (c *auditCommand) findings(ctx context.Context, js jetstream.JetStream, opened *stream.Stream, log *slog.Logger) (*index.Findings, error) {
	c.finalTag = c.Finality
	client, err := c.dial(ctx, c.devDir, log)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	auditor, err := app.NewAuditor(ctx, js, opened, client, c.confirmations(c.devDir))
	if err != nil {
		return nil, err
	}
	return auditor.Await(ctx, c.Await)
}

func (c *auditCommand) print(findings *index.Findings) error {
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(findings)
	}
	for _, example := range findings.Examples {
		fmt.Println(example)
	}
	fmt.Println(findings)
	return nil
}
