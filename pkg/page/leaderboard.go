package page

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

type board struct {
	Name  string
	Param string // in the query
	Index int
	Shown bool
}

// boards returns the boards of all score types, after the total if there are several. is is the shown board: by
// default the first.
func boards(rec *score.Record, shown string) (all []board, is board, err error) {
	if len(rec.ScoreTypes) > 1 {
		all = append(all, board{Name: "Total", Param: "total", Index: score.Total})
	}
	for i, name := range rec.ScoreTypes {
		all = append(all, board{Name: name, Param: strconv.Itoa(i), Index: i})
	}
	for i := range all {
		if all[i].Param == shown || shown == "" && i == 0 {
			all[i].Shown = true
			return all, all[i], nil
		}
	}
	return nil, board{}, notFound("There is no such leaderboard", "The project has no such score type.")
}

type leaderboardView struct {
	head
	Boards []board
	Board  board
	Page   score.Page
	Next   string
	Later  bool
}

func (p *Page) leaderboard(r *request) error {
	head, err := p.head(r, "")
	if err != nil {
		return err
	}
	view := leaderboardView{head: head}
	if view.Boards, view.Board, err = boards(head.Project, r.FormValue("board")); err != nil {
		return err
	}
	var after *score.Cursor
	if text := r.FormValue("after"); text != "" {
		cursor, err := score.ParseCursor(text)
		if err != nil {
			return invalid("The address of this part of the leaderboard is " + err.Error())
		}
		after, view.Later = &cursor, true
	}
	page, asOf, err := p.standings.Page(r.Context(), head.Project.ID, view.Board.Index, after, pageStandings)
	if err != nil && !errors.Is(err, score.ErrNotProjected) {
		return err
	}
	if err == nil {
		view.Page, view.AsOf = page, &asOf
	}
	if n := len(page.Standings); page.More && n > 0 {
		last := page.Standings[n-1]
		query := url.Values{"board": {view.Board.Param}, "after": {score.Cursor{Score: last.Score, Wallet: last.Wallet}.String()}}
		view.Next = head.Path + "?" + query.Encode()
	}
	p.show(r.w, http.StatusOK, "leaderboard", view)
	return nil
}

func (v leaderboardView) Lead() string {
	if v.Later || len(v.Page.Standings) == 0 {
		return ""
	}
	first, leaders := v.Page.Standings[0], 0
	for _, s := range v.Page.Standings {
		if s.Rank == 1 {
			leaders++
		}
	}
	switch {
	case leaders <= 1:
		return short(first.Wallet.Hex()) + " leads with " + grouped(first.Score) + "."
	case leaders == len(v.Page.Standings) && v.Page.More:
		return strconv.Itoa(leaders) + " wallets or more share the lead with " + grouped(first.Score) + "."
	default:
		return strconv.Itoa(leaders) + " wallets share the lead with " + grouped(first.Score) + "."
	}
}

type recentView struct {
	head
	Rows  []execution
	Shown int
	All   bool // including the oldest
}

type execution struct {
	score.Execution
	Path  string
	What  string // name of the action
	Where string // name of the score type
}

func executionOf(rec *score.Record, e score.Execution) execution {
	out := execution{Execution: e, Path: projectPath(rec.ID), What: "action " + strconv.Itoa(int(e.Action)), Where: "score type " + strconv.Itoa(int(e.ScoreType))}
	if int(e.Action) < len(rec.Actions) {
		out.What = rec.Actions[e.Action].Name
	}
	if int(e.ScoreType) < len(rec.ScoreTypes) {
		out.Where = rec.ScoreTypes[e.ScoreType]
	}
	return out
}

// newest returns a project's newest executions, empty before it is projected. all reports whether they include the
// oldest.
func (p *Page) newest(ctx context.Context, h *head) (newest []score.Execution, all bool, err error) {
	newest, asOf, err := p.standings.Recent(ctx, h.Project.ID)
	if errors.Is(err, score.ErrNotProjected) {
		return nil, true, nil
	}
	if err == nil {
		h.AsOf = &asOf
	}
	return newest, len(newest) < score.MaxRecent, err
}

func (p *Page) recent(r *request) error {
	head, err := p.head(r, "recent")
	if err != nil {
		return err
	}
	newest, all, err := p.newest(r.Context(), &head)
	if err != nil {
		return err
	}
	view := recentView{head: head, All: all && len(newest) <= pageRecent}
	for _, e := range newest[:min(len(newest), pageRecent)] {
		view.Rows = append(view.Rows, executionOf(head.Project, e))
	}
	p.show(r.w, http.StatusOK, "recent", view)
	return nil
}

func (v recentView) Lead(now time.Time) string {
	if len(v.Rows) == 0 {
		return ""
	}
	return "The newest final update was " + ago(now, v.Rows[0].Time) + "."
}
