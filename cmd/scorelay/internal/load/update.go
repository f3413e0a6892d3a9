package load

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Update is one thing to send.
type Update struct {
	ID        score.UpdateID
	Project   score.ProjectID
	Action    string
	ScoreType string
	Target    common.Address
	Wallet    *Wallet

	Again   bool // the same updateId was sent before: accepted or duplicate, and applied once in all
	Invalid bool // must be refused
}

// Result is what became of one Update.
type Result struct {
	Update  *Update
	Status  string        // "accepted", "duplicate", or "" when it got no 200
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

// Send posts an update until it has a definite answer or ctx ends, signing anew for each try so that a long outage
// does not make the message stale. due is when the latency began.
func (c *Client) Send(ctx context.Context, u *Update, due time.Time) Result {
	var answer struct {
		Status string `json:"status"`
	}
	retries, err := retry(ctx, func(ctx context.Context) error {
		message, signature, err := u.Wallet.Sign(time.Now())
		if err != nil {
			return err
		}
		return c.Do(ctx, http.MethodPost, "/update-score",
			&body{u.ID, u.Project, u.Action, u.ScoreType, u.Target, signature, message}, &answer)
	})
	now := time.Now()
	result := Result{Update: u, Status: answer.Status, Err: err, Retries: retries, At: now, Latency: now.Sub(due)}
	if refused := (*APIError)(nil); errors.As(err, &refused) {
		result.Code = refused.Code
	}
	if err == nil && answer.Status != "accepted" && answer.Status != "duplicate" {
		result.Err = fmt.Errorf("the API answered 200 with status %q", answer.Status)
	}
	if result.Err != nil {
		result.Status = ""
	}
	return result
}

// IDs mints updateIds. It is not safe for concurrent use.
type IDs struct {
	prefix      [28]byte
	counter     uint32
	consecutive bool
}

// NewIDs mints random ids, or consecutive ones: 28 random bytes and a counter, so that 256 updates share one storage
// slot of the contract's bitmap.
func NewIDs(consecutive bool) *IDs {
	ids := &IDs{consecutive: consecutive}
	_, _ = rand.Read(ids.prefix[:]) // never fails
	return ids
}

// Next is an id not minted before.
func (i *IDs) Next() (id score.UpdateID) {
	if !i.consecutive {
		_, _ = rand.Read(id[:]) // never fails
		return id
	}
	copy(id[:], i.prefix[:])
	binary.BigEndian.PutUint32(id[28:], i.counter)
	i.counter++
	return id
}
