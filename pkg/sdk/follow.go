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

// MaxLookUp is the most updates of one look-up.
const MaxLookUp = 256

// Unknown is the stage of an update that nothing is known of.
const Unknown = "unknown"

// Status is how far an accepted update or creation has come.
type Status struct {
	Stage   string       `json:"status"`          // accepted, batched, submitted, included, final; unknown in Updates
	Outcome string       `json:"outcome"`         // once final: applied, duplicate, or why it was rejected
	Tx      *common.Hash `json:"transactionHash"` // nil when none is known
	Block   uint64       `json:"blockNumber"`     // 0 when none is known
	Waits   *Waits       `json:"waits"`           // of an update that is in no transaction, and held up; else nil
}

// Waits says why what was accepted waits. It is stored, and is carried out when that ends.
type Waits struct {
	Why    string `json:"why"`    // paused: by an operator
	Reason string `json:"reason"` // for people
}

// Final tells whether nothing changes any more.
func (s *Status) Final() bool { return s.Stage == score.Final.String() }

// Update asks how far an update has come. One that was never accepted has the code update_not_found.
func (c *Client) Update(ctx context.Context, project score.ProjectID, id score.UpdateID) (*Status, error) {
	return ask[Status](ctx, c, "/projects/"+project.String()+"/updates/"+id.String(), nil)
}

// Updates asks how far up to MaxLookUp updates have come, in one request, and answers in their order. One that was never
// accepted has the stage Unknown.
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

// within is Retry whose error, once ctx ended, is ctx's, joined with the last one that the call had before.
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

// UntilFinal waits until all of the updates, any number of them, are final, and returns their statuses in order; whether
// they applied is their Outcome. It looks once a second, or when the API asks for it, and only for those that are not
// final yet. An id under which nothing was accepted is waited for as well, since an acceptance may become known late: give
// ctx a deadline. With an error the statuses are the last that were seen; those never seen have the stage Unknown. The error
// is of a request that need not be sent again, or ctx's, joined with the API's last one if it was failing then.
func (c *Client) UntilFinal(ctx context.Context, project score.ProjectID, ids ...score.UpdateID) ([]Status, error) {
	statuses := make([]Status, len(ids))
	open := make([]int, len(ids)) // which are not final yet
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
