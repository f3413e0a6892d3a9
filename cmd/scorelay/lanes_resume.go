package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

type lanesResumeCommand struct {
	natsFlags `embed:""`
	Lane      laneNumber `arg:"" help:"Number of the lane, as its relayer's log has it."`
	Below     uint64     `name:"below" required:"" placeholder:"NONCE" help:"Accept unknown transactions of the lane's signer with nonces below this: the account_nonce of the relayer's log line."`
}

// Run journals the decision, which ends the running session. The next one continues after the accepted transactions.
// It reads their updates again, and the contract skips those that it applied.
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

// maxResume is the most by which --below may exceed the lane's next nonce, since a mistyped nonce would also accept
// future transactions.
const maxResume = 4096

// acceptUnjournaled accepts the signer's unknown transactions up to nonce below-1. below must be above the lane's
// lowest open nonce, and at most maxResume above its next one.
func acceptUnjournaled(ctx context.Context, journals *stream.Journal, id score.Lane, below uint64) (*lane.State, error) {
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

const operator = "operator"

var errNeverDriven = errors.New("the lane was never driven: its journal is empty, there is nothing to decide")

// appendAsOperator opens an operator's term (epoch), which fences off the lane's session, and appends the entries of
// decide. It retries after concurrent appends, since the relayer of a halted lane keeps opening sessions. It returns
// the state before the append, or errNeverDriven.
func appendAsOperator(
	ctx context.Context, journals *stream.Journal, id score.Lane, decide func(*lane.State) ([]lane.Entry, error),
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
