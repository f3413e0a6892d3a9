package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/scorelay/scorelay/pkg/app"
)

type auditCommand struct {
	natsFlags     `embed:""`
	chainFlags    `embed:""`
	finalityFlags `embed:""`

	Await time.Duration `name:"wait" placeholder:"DURATION" help:"Wait this long for pending updates to become final, and fail if some still are not."`
	JSON  bool          `name:"json" help:"Print the findings as JSON."`
}

// Run audits. Its status is 0 only when nothing is lost, doubled or otherwise wrong, and, with --wait, nothing pending.
func (c *auditCommand) Run(s signals) error {
	log := commandLog()
	js, opened, closeNATS, err := c.open(s.drain, log)
	if err != nil {
		return err
	}
	defer closeNATS()
	client, err := c.dial(s.drain, c.devDir, log)
	if err != nil {
		return err
	}
	defer client.Close()
	auditor, err := app.NewAuditor(s.drain, js, opened, client, c.confirmations(c.devDir))
	if err != nil {
		return err
	}
	findings, err := auditor.Await(s.drain, c.Await)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(findings); err != nil {
			return err
		}
	} else {
		for _, example := range findings.Examples {
			fmt.Println(example)
		}
		fmt.Println(findings)
	}
	if !findings.OK() || c.Await > 0 && findings.Pending() > 0 {
		return errFailed
	}
	return nil
}
