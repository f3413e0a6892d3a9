package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/scorelay/scorelay/pkg/journal"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type lanesCommand struct {
	List   lanesListCommand   `cmd:"" help:"List the lanes as their journals have them."`
	Resume lanesResumeCommand `cmd:"" help:"Let a lane continue that halts because of transactions its journal does not know."`
}

type lanesListCommand struct {
	natsFlags `embed:""`
}

// Run lists the lanes.
func (c *lanesListCommand) Run(s signals) error {
	js, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	journals, err := journal.Open(s.drain, js)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "LANE\tSIGNER\tEPOCH\tNEXT NONCE\tOPEN SLOTS\tWAITING WORK\tCURSOR")
	for id := range score.Lane(opened.Deployment().Lanes) {
		state, _, err := journals.State(s.drain, id)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%d\t%d\t%v\n",
			id, state.Identity.Signer, state.Epoch, state.Next, len(state.Slots), len(state.Queue), state.ReadFrom().Seq)
	}
	return table.Flush()
}

type lanesResumeCommand struct {
	natsFlags `embed:""`
	Lane      uint16 `arg:"" help:"Number of the lane, as its relayer's log has it."`
	Below     uint64 `name:"below" required:"" placeholder:"NONCE" help:"Accept unknown transactions of the lane's signer with nonces below this: the account_nonce of the relayer's log line."`
}

// Run appends the decision to the lane's journal. That ends the running session, and the next one continues behind the
// transactions. Updates that they carried are read again; the contract tells them from new ones.
func (c *lanesResumeCommand) Run(s signals) error {
	js, opened, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	if int(c.Lane) >= opened.Deployment().Lanes {
		return fmt.Errorf("there is no lane %d: the deployment has lanes 0 to %d", c.Lane, opened.Deployment().Lanes-1)
	}
	journals, err := journal.Open(s.drain, js)
	if err != nil {
		return err
	}
	state, err := acceptUnjournaled(s.drain, journals, score.Lane(c.Lane), c.Below)
	if err != nil {
		return err
	}
	fmt.Printf("lane %d continues behind unknown transactions of %s with nonces from %d to %d\n",
		c.Lane, state.Identity.Signer, state.FirstOpen(), c.Below-1)
	return nil
}

// maxResume bounds the transactions that one decision accepts: a wrong number would accept any in future.
const maxResume = 4096

// acceptUnjournaled fences the lane's session off and journals the operator's decision.
func acceptUnjournaled(ctx context.Context, journals *journal.Journal, id score.Lane, below uint64) (*lane.State, error) {
	state, last, err := journals.State(ctx, id)
	if err != nil {
		return nil, err
	}
	switch {
	case state.Epoch == 0:
		return nil, errors.New("the lane was never driven: its journal is empty, there is nothing to decide")
	case below > state.Next+maxResume:
		return nil, fmt.Errorf("nonce %d is far beyond the lane's own, which end at %d: name the account_nonce of the relayer's log line", below, state.Next)
	case below <= state.FirstOpen():
		return nil, fmt.Errorf("the lane's journal knows what became of every nonce below %d: name a higher one", state.FirstOpen())
	}
	epoch, operator := state.Epoch+1, "operator"
	for _, e := range []lane.Entry{
		{Open: &lane.Open{Replica: operator, Identity: state.Identity}},
		{Resume: &lane.Resume{Below: below, By: operator}},
	} {
		e.Version, e.Epoch, e.Time = lane.Version, epoch, time.Now().UTC()
		last, err = journals.Append(ctx, id, last, e)
		if errors.Is(err, lane.ErrFenced) {
			return nil, fmt.Errorf("the lane's relayer wrote to the journal in the same moment; run the command again: %w", err)
		}
		if err != nil {
			return nil, err
		}
	}
	return state, nil
}
