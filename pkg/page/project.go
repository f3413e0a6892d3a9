package page

import (
	"errors"
	"math/big"
	"net/http"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

type member struct {
	Wallet common.Address
	Roles  string
	Seen   *score.Execution // its newest signed update among recent executions

	Changes []change
}

// change is an edit that an owner could sign.
type change struct{ Name, Path string }

type membersView struct {
	head
	Members []member
	Seen    bool   // whether the newest executions are available
	Next    string // path; empty on the last page
	Later   bool   // whether earlier ones exist
}

func (p *Page) members(r *request) error {
	head, err := p.head(r, "members")
	if err != nil {
		return err
	}
	if err := r.count(len(head.Project.Members)); err != nil {
		return err
	}
	var after *common.Address
	if text := r.FormValue("after"); text != "" {
		address, err := wallet.ParseAddress(text)
		if err != nil {
			return invalid("The address of this list " + err.Error())
		}
		after = &address
	}
	newest, _, err := p.newest(r.Context(), &head)
	view := membersView{head: head, Seen: err == nil, Later: after != nil}
	signed := map[common.Address]*score.Execution{}
	for i := len(newest) - 1; i >= 0; i-- {
		signed[newest[i].Signer] = &newest[i]
	}
	shown := head.Project.MembersAfter(score.Owner|score.Updater, after, pageMembers+1)
	if len(shown) > pageMembers {
		shown = shown[:pageMembers]
		view.Next = head.Path + "/members?after=" + shown[pageMembers-1].Hex()
	}
	for _, address := range shown {
		role := head.Project.Members[address]
		m := member{Wallet: address, Roles: roles(role), Seen: signed[address]}
		for _, of := range []struct {
			role      score.Role
			operation score.Operation
		}{{score.Owner, score.RemoveOwner}, {score.Updater, score.RemoveUpdater}} {
			if role&of.role != 0 {
				m.Changes = append(m.Changes, change{"Remove " + roles(of.role), formOf(head.Path, score.Edit{Operation: of.operation, Member: address})})
			}
		}
		view.Members = append(view.Members, m)
	}
	p.show(r.w, http.StatusOK, "members", view)
	return nil
}

func roles(role score.Role) string {
	switch role {
	case score.Owner:
		return "owner"
	case score.Updater:
		return "updater"
	default:
		return "owner and updater"
	}
}

type action struct {
	score.Action
	Index    int
	Replaced bool // a later action has the same name
}

type actionsView struct {
	head
	Actions []action
}

func (p *Page) actions(r *request) error {
	head, err := p.head(r, "actions")
	if err != nil {
		return err
	}
	view := actionsView{head: head}
	for i, a := range head.Project.Actions {
		valid, _ := head.Project.ActionIndex(a.Name)
		view.Actions = append(view.Actions, action{a, i, int(valid) != i})
	}
	p.show(r.w, http.StatusOK, "actions", view)
	return nil
}

// shownDays includes today.
const shownDays = 30

func lastDays() (from, today time.Time) {
	today = time.Now().UTC().Truncate(24 * time.Hour)
	return today.AddDate(0, 0, 1-shownDays), today
}

type costsView struct {
	head
	Days  []score.Day // newest first
	Total score.Day
	Plot  *plot
}

func (p *Page) costs(r *request) error {
	head, err := p.head(r, "costs")
	if err != nil {
		return err
	}
	from, today := lastDays()
	days, asOf, err := p.standings.Days(r.Context(), head.Project.ID, from, today)
	if err != nil && !errors.Is(err, score.ErrNotProjected) {
		return err
	}
	view := costsView{head: head, Total: score.Day{Fee: new(big.Int)}}
	if err == nil {
		view.AsOf = &asOf
	}
	gas := make([]uint64, shownDays)
	for _, day := range days {
		view.Total.Applied += day.Applied
		view.Total.Rejected += day.Rejected
		view.Total.Gas += day.Gas
		view.Total.Wallets += day.Wallets
		view.Total.Fee.Add(view.Total.Fee, day.Fee)
		if i := int(day.Date.Sub(from).Hours() / 24); i >= 0 && i < len(gas) {
			gas[i] = day.Gas
		}
	}
	if len(days) > 0 {
		view.Plot = bars(gas, from, "Gas", "gas")
	}
	slices.Reverse(days)
	view.Days = days
	p.show(r.w, http.StatusOK, "costs", view)
	return nil
}
