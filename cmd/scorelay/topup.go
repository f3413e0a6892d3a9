package main

import (
	"fmt"

	"github.com/scorelay/scorelay/pkg/topup"
)

type topUpCommand struct {
	Resume topUpResumeCommand `cmd:"" help:"Have payments begin again after they stopped, at the nonce that the chain shows of the account that pays."`
}

type topUpResumeCommand struct {
	natsFlags `embed:""`
}

// Run clears the record of the newest transfer and the reason for the stop. Today's payments still count.
func (c *topUpResumeCommand) Run(s signals) error {
	js, _, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	records, err := topup.Open(s.drain, js)
	if err != nil {
		return err
	}
	before, err := topup.Resume(s.drain, records)
	if err != nil {
		return err
	}
	if before.Stopped != "" {
		fmt.Printf("They stopped because %s.\n", before.Stopped)
	}
	fmt.Println("Top-ups begin again at the account's nonce on the chain; what was paid today still counts.")
	return nil
}
