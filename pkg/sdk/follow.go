package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// MaxLookUp is the most updates in a call of Updates.
const MaxLookUp = 256

// Unknown is the stage of an update unknown to the API.
const Unknown = "unknown"

type Status struct {
	Stage   string       `json:"status"`          // accepted, batched, submitted, included, final; or Unknown
	Outcome string       `json:"outcome"`         // if final: applied, duplicate, or the reason of a rejection
	Tx      *common.Hash `json:"transactionHash"` // nil if unknown
	Block   uint64       `json:"blockNumber"`     // 0 if unknown
	Waits   *Waits       `json:"waits"`           // nil unless delayed before it is in a transaction
}

// Waits is the reason that delays an accepted update. The update is processed afterwards.
type Waits struct {
	Why    string `json:"why"`    // paused: by an operator
	Reason string `json:"reason"` // human-readable
}

func (s *Status) Final() bool { return s.Stage == score.Final.String() }

// Update returns an update's status. If the update was never accepted, the error's code is update_not_found.
func (c *Client) Update(ctx context.Context, project score.ProjectID, id score.UpdateID) (*Status, error) {
	return ask[Status](ctx, c, "/projects/"+project.String()+"/updates/"+id.String(), nil)
}

// Updates returns the statuses of up to MaxLookUp updates, in order. The stage is Unknown if an update was never
// accepted.
func (c *Client) Updates(ctx context.Context, project score.ProjectID, ids []score.UpdateID) ([]Status, error) {
	var out struct {
		Updates []Status `json:"updates"`
	}
	err := c.do(ctx, http.MethodPost, "/look-up-updates", struct {
		ProjectID score.ProjectID  `json:"projectId"`
		UpdateIDs []score.UpdateID `json:"updateIds"`
	}{project, ids}, &out)
	if err == nil && len(out.Updates) != len(ids) {
		err = &Error{RetryAfter: defaultWait, cause: fmt.Errorf("it reports %d updates, asked for %d", len(out.Updates), len(ids))}
	}
	if err != nil {
		return nil, err
	}
	return out.Updates, nil
}

// within is Retry, except that once ctx has ended, its error joins ctx's with the last one that call returned before.
func within(ctx context.Context, unfinished string, call func() error) error {
	var last error
	err := Retry(ctx, func() error {
		err := call()
		if ctx.Err() == nil {
			last = err
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", unfinished, errors.Join(context.Cause(ctx), last))
	}
	return err
}

// UntilFinal polls any number of updates until all are final, and returns their statuses in order. Status.Outcome
// reports whether an update applied. Polls come once a second, or with the delay that the API asks for. It also waits
// for unknown ids, since an acceptance may become known late, so give ctx a deadline. On error it returns the last
// known statuses, initially Unknown. The error is a permanent *Error, or ctx's joined with the API's last error.
func (c *Client) UntilFinal(ctx context.Context, project score.ProjectID, ids ...score.UpdateID) ([]Status, error) {
	statuses := make([]Status, len(ids))
	open := make([]int, len(ids)) // indexes of the updates to poll
	for i := range ids {
		statuses[i].Stage, open[i] = Unknown, i
	}
	for {
		for some := range slices.Chunk(open, MaxLookUp) {
			asked := make([]score.UpdateID, len(some))
			for i, at := range some {
				asked[i] = ids[at]
			}
			var seen []Status
			err := within(ctx, "not all updates are final", func() (err error) { seen, err = c.Updates(ctx, project, asked); return err })
			if err != nil {
				return statuses, err
			}
			for i, at := range some {
				statuses[at] = seen[i]
			}
		}
		open = slices.DeleteFunc(open, func(at int) bool { return statuses[at].Final() })
		if len(open) == 0 {
			return statuses, nil
		}
		if retry.Sleep(ctx, defaultWait) != nil {
			return statuses, fmt.Errorf("not all updates are final: %w", context.Cause(ctx))
		}
	}
}
