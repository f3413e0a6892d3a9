package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// In signed groups, ActionIndex and TypeIndex replace the names.
type Update struct {
	ID          score.UpdateID
	Project     score.ProjectID
	Action      string
	ActionIndex uint8
	ScoreType   string
	TypeIndex   uint8
	Target      common.Address
	Wallet      *Wallet

	Again   bool // repeats an updateId
	Invalid bool // must be rejected
}

// Post is one request: an update of the timestamp scheme, or a signed group of one project and wallet.
type Post struct {
	Updates []Update
	Signed  bool // as a group
	Forged  bool // signed for another contract
}

func Alone(u Update) *Post { return &Post{Updates: []Update{u}} }

type Result struct {
	Post      *Post
	Duplicate []bool // per update: its id was used already; nil unless the response was 200
	Err       error
	Retries   int // requests before the last one
	At        time.Time
	Latency   time.Duration // from the due time to At, retries included
}

// refusal returns the code of a permanent problem; empty after a 200 or without a definite response.
func (r *Result) refusal() string {
	var refused *sdk.Error
	if errors.As(r.Err, &refused) && refused.RetryAfter == 0 {
		return refused.Code
	}
	return ""
}

// Send retries a post until a definite response or ctx's end. Its latency counts from due.
func (c *Client) Send(ctx context.Context, p *Post, due time.Time) Result {
	result := Result{Post: p}
	result.Duplicate, result.Retries, result.Err = c.send(ctx, p)
	result.At = time.Now()
	result.Latency = result.At.Sub(due)
	return result
}

func (c *Client) send(ctx context.Context, p *Post) (duplicate []bool, retries int, err error) {
	try := func() ([]bool, error) { return c.sendUpdate(ctx, &p.Updates[0]) }
	if p.Signed {
		group, err := c.sign(ctx, p)
		if err != nil {
			return nil, 0, fmt.Errorf("couldn't sign a group: %w", err)
		}
		try = func() ([]bool, error) { return c.sendGroup(ctx, group, p.Updates) }
	}
	tries := 0
	err = sdk.Retry(ctx, func() (err error) {
		tries++
		duplicate, err = try()
		return err
	})
	return duplicate, tries - 1, err
}

// sendUpdate signs at each try, so that messages are fresh even after long outages.
func (c *Client) sendUpdate(ctx context.Context, u *Update) ([]bool, error) {
	duplicate, err := c.UpdateScore(ctx, sdk.NamedUpdate{
		UpdateID: u.ID, ProjectID: u.Project, ActionName: u.Action, ScoreType: u.ScoreType, TargetWallet: u.Target,
	}, u.Wallet.Sign)
	if err != nil {
		return nil, err
	}
	return []bool{duplicate}, nil
}

// sign signs a post's group once for all tries, since a group contains no timestamp.
func (c *Client) sign(ctx context.Context, p *Post) (*sdk.SignedGroup, error) {
	updates := make([]sdk.Update, len(p.Updates))
	for i := range p.Updates {
		u := &p.Updates[i]
		updates[i] = sdk.Update{UpdateID: u.ID, TargetWallet: u.Target, Action: u.ActionIndex, ScoreType: u.TypeIndex}
	}
	groups, err := sdk.BuildGroups(p.Updates[0].Project, updates)
	if err != nil {
		return nil, err
	}
	if len(groups) != 1 {
		return nil, fmt.Errorf("the updates of a post make %d groups", len(groups))
	}
	domain := c.Domain
	if p.Forged {
		domain = wallet.NewDomain(0, common.Address{})
	}
	return groups[0].Sign(ctx, domain, p.Updates[0].Wallet.Sign)
}

// sendGroup returns which updates are duplicates, or sdk.ErrAnswer unless the response accounts for each update.
func (c *Client) sendGroup(ctx context.Context, group *sdk.SignedGroup, updates []Update) ([]bool, error) {
	stored, ids, err := c.UpdateScores(ctx, group)
	if err != nil {
		return nil, err
	}
	used := make(map[score.UpdateID]bool, len(ids))
	for _, id := range ids {
		used[id] = true
	}
	duplicate, found := make([]bool, len(updates)), 0
	for i := range updates {
		if duplicate[i] = used[updates[i].ID]; duplicate[i] {
			found++
		}
	}
	if stored != len(updates)-found || len(ids) != found {
		return nil, fmt.Errorf("%w: %d accepted and %d duplicates, of a group of %d", sdk.ErrAnswer, stored, len(ids), len(updates))
	}
	return duplicate, nil
}
