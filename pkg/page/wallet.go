package page

import (
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const pageHistory = 30

type walletView struct {
	head
	Wallet common.Address
	Boards []onBoard
	Rows   []execution // newest first
	More   bool
	Whole  bool
	Plot   *plot // nil: too few points
}

type onBoard struct {
	Board board
	score.BoardStanding
}

// history returns the screen's view, and all available updates of the wallet, newest first.
func (p *Page) history(r *request) (view walletView, line []score.Execution, err error) {
	head, err := p.head(r, "wallets")
	if err != nil {
		return view, nil, err
	}
	address, err := wallet.ParseAddress(r.PathValue("wallet"))
	if err != nil {
		return view, nil, invalid("The wallet " + err.Error())
	}
	newest, whole, err := p.newest(r.Context(), &head)
	line = slices.DeleteFunc(newest, func(e score.Execution) bool { return e.Target != address })
	return walletView{head: head, Wallet: address, More: len(line) > pageHistory, Whole: whole}, line, err
}

func (p *Page) wallet(r *request) error {
	view, line, err := p.history(r)
	if err != nil {
		return err
	}
	all, _, err := boards(view.Project, "")
	if err != nil {
		return err
	}
	view.Title = short(view.Wallet.Hex()) + " in " + view.Project.Name
	standings, asOf, err := p.standings.BoardStandings(r.Context(), view.Project.ID, len(view.Project.ScoreTypes), view.Wallet)
	switch {
	case errors.Is(err, score.ErrNotProjected):
		standings = make([]score.BoardStanding, len(view.Project.ScoreTypes)+1)
	case err != nil:
		return err
	default:
		view.AsOf = &asOf
	}
	for _, b := range all {
		// the total, index -1, comes first
		view.Boards = append(view.Boards, onBoard{b, standings[b.Index+1]})
	}
	for _, e := range line[:min(len(line), pageHistory)] {
		view.Rows = append(view.Rows, executionOf(view.Project, e))
	}
	if total := view.Boards[0].Standing; total != nil {
		view.Plot = cumulative(line, total.Score)
	}
	p.show(r.w, http.StatusOK, "wallet", view)
	return nil
}

// historyCSV sends the wallet's updates, in the columns of an export.
func (p *Page) historyCSV(r *request) error {
	view, line, err := p.history(r)
	if err != nil {
		return err
	}
	guard(r.w, "")
	r.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	r.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.csv"`, view.Wallet.Hex()))
	out := csv.NewWriter(r.w)
	// writes to memory
	_ = out.Write([]string{"block", "time", "transaction", "updateId", "targetWallet", "signer", "action", "scoreType", "points", "outcome"})
	for _, each := range line {
		e := executionOf(view.Project, each)
		if e.Outcome != score.Applied {
			e.Points = 0 // the change of the score
		}
		_ = out.Write([]string{
			strconv.FormatUint(e.Block, 10), e.Time.UTC().Format(time.RFC3339), e.Tx.Hex(), e.ID.String(), hexutil.Encode(e.Target[:]), hexutil.Encode(e.Signer[:]),
			score.CSVCell(e.What), score.CSVCell(e.Where), strconv.FormatInt(e.Points, 10), e.Outcome.String(),
		})
	}
	out.Flush()
	return nil
}
