package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Update is one score change. ActionIndex and TypeIndex are what signed groups say instead of the names.
type Update struct {
	ID          score.UpdateID
	Project     score.ProjectID
	Action      string
	ActionIndex uint8
	ScoreType   string
	TypeIndex   uint8
	Target      common.Address
	Wallet      *Wallet

	Again   bool // the same updateId was sent before: accepted or duplicate, and applied once in all
	Invalid bool // must be refused
}

// Post is what one request carries: one update of the published scheme, or a signed group of one project and wallet.
type Post struct {
	Updates []Update
	Signed  bool // as a group
	Forged  bool // the group's signature is good for another contract only
}

// Alone is a post of one update.
func Alone(u Update) *Post { return &Post{Updates: []Update{u}} }

// Result is what became of one Post.
type Result struct {
	Post    *Post
	Status  []string      // of each update "accepted" or "duplicate"; nil when the post got no 200
	Code    string        // of the refusal; empty with a 200 or when there was no answer
	Err     error         // why there is no 200
	Retries int           // tries before the last one
	At      time.Time     // when the answer came
	Latency time.Duration // from Sent (or, in an open loop, from when it was due) to the answer, retries included
}

// body is an update-score body.
type body struct {
	UpdateID     score.UpdateID  `json:"updateId"`
	ProjectID    score.ProjectID `json:"projectId"`
	ActionName   string          `json:"actionName"`
	ScoreType    string          `json:"scoreType"`
	TargetWallet common.Address  `json:"targetWallet"`
	Signature    string          `json:"signature"`
	Message      string          `json:"message"`
}

// Send posts until there is a definite answer or ctx ends. due is when the latency began.
func (c *Client) Send(ctx context.Context, p *Post, due time.Time) Result {
	send := c.sendUpdate
	if p.Signed {
		send = c.sendGroup
	}
	status, retries, err := send(ctx, p)
	now := time.Now()
	result := Result{Post: p, Status: status, Err: err, Retries: retries, At: now, Latency: now.Sub(due)}
	if refused := (*APIError)(nil); errors.As(err, &refused) {
		result.Code = refused.Code
	}
	if err != nil {
		result.Status = nil
	}
	return result
}

// sendUpdate signs anew for each try, so that a long outage does not make the message stale.
func (c *Client) sendUpdate(ctx context.Context, p *Post) (status []string, retries int, err error) {
	var answer struct {
		Status string `json:"status"`
	}
	u := &p.Updates[0]
	retries, err = retry(ctx, func(ctx context.Context) error {
		message, signature, err := u.Wallet.Sign(time.Now())
		if err != nil {
			return err
		}
		return c.Do(ctx, http.MethodPost, "/update-score",
			&body{u.ID, u.Project, u.Action, u.ScoreType, u.Target, signature, message}, &answer)
	})
	if err == nil && answer.Status != "accepted" && answer.Status != "duplicate" {
		err = fmt.Errorf("the API answered 200 with status %q", answer.Status)
	}
	return []string{answer.Status}, retries, err
}

// RandomID is an id not minted before, which shares no word with any other.
func RandomID() (id score.UpdateID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}
