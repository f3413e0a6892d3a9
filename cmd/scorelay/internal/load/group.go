package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// errGroups says that a post's updates cannot be signed together.
var errGroups = errors.New("the updates of a post make several groups")

// sign writes the post's updates as a group and signs it.
func (p *Post) sign(ctx context.Context, domain wallet.Domain) (*sdk.SignedGroup, error) {
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
		return nil, errGroups
	}
	if p.Forged {
		domain = wallet.NewDomain(0, common.Address{})
	}
	return groups[0].Sign(ctx, domain, sdk.KeySigner(p.Updates[0].Wallet.key))
}

// sendGroup sends the same signature at each try: a group has no time in it.
func (c *Client) sendGroup(ctx context.Context, p *Post) (status []string, retries int, err error) {
	group, err := p.sign(ctx, c.Domain)
	if err != nil {
		return nil, 0, fmt.Errorf("couldn't sign a group: %w", err)
	}
	var answer struct {
		Status     string           `json:"status"`
		Accepted   int              `json:"accepted"`
		Duplicates []score.UpdateID `json:"duplicates"`
	}
	retries, err = retry(ctx, func(ctx context.Context) error {
		return c.Do(ctx, http.MethodPost, "/update-scores", group, &answer)
	})
	if err != nil {
		return nil, retries, err
	}
	duplicates := make(map[score.UpdateID]bool, len(answer.Duplicates))
	for _, id := range answer.Duplicates {
		duplicates[id] = true
	}
	status = make([]string, len(p.Updates))
	found := 0
	for i := range p.Updates {
		status[i] = "accepted"
		if duplicates[p.Updates[i].ID] {
			status[i] = "duplicate"
			found++
		}
	}
	whole := "accepted"
	if found == len(p.Updates) {
		whole = "duplicate"
	}
	if answer.Status != whole || answer.Accepted != len(p.Updates)-found || len(answer.Duplicates) != found {
		err = fmt.Errorf("the API answered 200 with status %q, %d accepted and %d duplicates, of a group of %d",
			answer.Status, answer.Accepted, len(answer.Duplicates), len(p.Updates))
	}
	return status, retries, err
}
