package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/journal"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type lanesResumeCommand struct {
	natsFlags `embed:""`
	Lane      laneNumber `arg:"" help:"Number of the lane, as its relayer's log has it."`
	Below     uint64     `name:"below" required:"" placeholder:"NONCE" help:"Accept unknown transactions of the lane's signer with nonces below this: the account_nonce of the relayer's log line."`
}

// Run appends the decision to the lane's journal. That ends the running session, and the next one continues behind the
// transactions. Updates that they carried are read again; the contract tells them from new ones.
func (c *lanesResumeCommand) Run(s signals) error {
	l, err := c.lanes(s.drain)
	if err != nil {
		return err
	}
	defer l.close()
	state, err := acceptUnjournaled(s.drain, l.journals, score.Lane(c.Lane), c.Below)
	if err != nil {
		return err
	}
	fmt.Printf("lane %d continues behind unknown transactions of %s with nonces from %d to %d\n",
		c.Lane, state.Identity.Signer, state.FirstOpen(), c.Below-1)
	return nil
}

// maxResume bounds the transactions that one decision accepts: a wrong number would accept any in future.
const maxResume = 4096

// acceptUnjournaled journals the operator's decision.
func acceptUnjournaled(ctx context.Context, journals *journal.Journal, id score.Lane, below uint64) (*lane.State, error) {
	return appendAsOperator(ctx, journals, id, func(state *lane.State) ([]lane.Entry, error) {
		switch {
		case below > state.Next+maxResume:
			return nil, fmt.Errorf("nonce %d is far beyond the lane's own, which end at %d: name the account_nonce of the relayer's log line", below, state.Next)
		case below <= state.FirstOpen():
			return nil, fmt.Errorf("the lane's journal knows what became of every nonce below %d: name a higher one", state.FirstOpen())
		}
		return []lane.Entry{{Resume: &lane.Resume{Below: below, By: operator}}}, nil
	})
}

const operator = "operator" // in journals

var errNeverDriven = errors.New("the lane was never driven: its journal is empty, there is nothing to decide")

// appendAsOperator fences the lane's session off with an epoch of the operator's, and appends in it what is decided of the lane's state. It
// begins again as often as relayers write in the same moment: one that halts the lane opens sessions all the time.
func appendAsOperator(
	ctx context.Context, journals *journal.Journal, id score.Lane, decide func(*lane.State) ([]lane.Entry, error),
) (state *lane.State, err error) {
	for {
		var last uint64
		if state, last, err = journals.State(ctx, id); err != nil {
			return nil, err
		}
		if state.Epoch == 0 {
			return nil, errNeverDriven
		}
		decided, err := decide(state)
		if err != nil {
			return nil, err
		}
		epoch := state.Epoch + 1
		for _, e := range append([]lane.Entry{{Open: &lane.Open{Replica: operator, Identity: state.Identity}}}, decided...) {
			e.Version, e.Epoch, e.Time = lane.Version, epoch, time.Now().UTC()
			if last, err = journals.Append(ctx, id, last, e); err != nil {
				break
			}
		}
		if !errors.Is(err, lane.ErrFenced) {
			return state, err
		}
	}
}
