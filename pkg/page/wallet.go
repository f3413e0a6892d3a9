package page

import (
	"errors"
	"net/http"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// pageHistory is how many updates of a wallet a page lists.
const pageHistory = 30

type walletView struct {
	head
	Wallet common.Address
	Boards []onBoard
	Rows   []execution // the newest first
	More   bool        // others are older
	Plot   *plot       // nil where there are too few points
}

// onBoard is a wallet's standing on one board.
type onBoard struct {
	Board board
	score.BoardStanding
}

// wallet answers: what did this wallet earn?
func (p *Page) wallet(r *request) error {
	head, err := p.head(r, "wallets")
	if err != nil {
		return err
	}
	address, err := wallet.ParseAddress(r.PathValue("wallet"))
	if err != nil {
		return invalid("The wallet " + err.Error())
	}
	all, _, err := boards(head.Project, "")
	if err != nil {
		return err
	}
	newest, whole, err := p.newest(r.Context(), &head)
	if err != nil {
		return err
	}
	view := walletView{head: head, Wallet: address, More: !whole}
	view.Title = short(address.Hex()) + " in " + head.Project.Name
	standings, asOf, err := p.standings.BoardStandings(r.Context(), head.Project.ID, len(head.Project.ScoreTypes), address)
	switch {
	case errors.Is(err, score.ErrNotProjected):
		standings = make([]score.BoardStanding, len(head.Project.ScoreTypes)+1)
	case err != nil:
		return err
	default:
		view.AsOf = &asOf
	}
	for _, b := range all {
		view.Boards = append(view.Boards, onBoard{b, standings[b.Index+1]}) // the total, which is -1, comes first
	}
	var line []score.Execution
	for _, e := range newest {
		if e.Target != address {
			continue
		}
		line = append(line, e)
		if len(view.Rows) == pageHistory {
			view.More = true
			continue
		}
		view.Rows = append(view.Rows, executionOf(head.Project, e))
	}
	if total := view.Boards[0].Standing; total != nil {
		view.Plot = cumulative(line, total.Score)
	}
	p.show(r.w, http.StatusOK, "wallet", view)
	return nil
}
