package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	maxWallets  = 500  // per look-up
	scoresCost  = 2000 // scores charged as one look-up: about 3 ms of Redis, which is blocked meanwhile
	maxDays     = 366  // per look-up
	defaultDays = 30
	total       = "total" // the board of sums, even if a score type has the same name
)

// asOf is the final block that a response is as of.
type asOf struct {
	Block uint64    `json:"block"`
	Time  time.Time `json:"time"` // of the block
}

func asOfBlock(a score.AsOf) asOf { return asOf{a.Block, a.Time.UTC()} }

func (s *Server) unread(c *fiber.Ctx, err error) *Problem {
	var rebuilding *score.RebuildingError
	switch {
	case errors.As(err, &rebuilding):
		return temporary(codeIndexRebuilding, retryAfterFull, rebuilding.Progress())
	case errors.Is(err, score.ErrNotProjected):
		return temporary(codeIndexRebuilding, retryAfterFull, "the project's creation is not read yet, or not final")
	default:
		s.log(c).Warn("the API could not read final scores from Redis; it asks the caller to retry", "err", err)
		return temporary(codeIndexUnavailable, retryAfterFailure, "")
	}
}

// recordParam returns the path's project, if the key may use it and it can get updates.
func (s *Server) recordParam(c *fiber.Ctx, by *caller) (*score.Record, *Problem) {
	id, p := projectParam(c, by)
	if p != nil {
		return nil, p
	}
	rec, ok := s.deps.Projects.lookup(id)
	if !ok {
		return nil, problem(codeProjectNotFound, "")
	}
	return rec, nil
}

type projectsView struct {
	Projects []projectSummary `json:"projects"`
	Next     *string          `json:"next"`
	AsOf     asOf             `json:"asOf"`
}

type projectSummary struct {
	ProjectID score.ProjectID `json:"projectId"`
	Name      string          `json:"name"`
	Updates   *uint64         `json:"updates"` // applied; null if the project's creation has just become final
	Wallets   *uint64         `json:"wallets"`
}

func (s *Server) listProjects(c *fiber.Ctx, by *caller) *Problem {
	q := queryOf(c, "limit", "cursor")
	limit, after := q.limit(), from(q, "cursor", score.ParseProjectID)
	if q.wrong != nil {
		return q.wrong
	}
	records := s.deps.Projects.list(by.Grant, after, limit+1)
	view := projectsView{Projects: []projectSummary{}}
	if len(records) > limit {
		next := records[limit-1].ID.String()
		view.Next, records = &next, records[:limit]
	}
	ids := make([]score.ProjectID, len(records))
	for i, rec := range records {
		ids[i] = rec.ID
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	summaries, at, err := s.deps.Standings.Summaries(ctx, ids)
	if err != nil {
		return s.unread(c, err)
	}
	view.AsOf = asOfBlock(at)
	for i, rec := range records {
		each := projectSummary{ProjectID: rec.ID, Name: rec.Name}
		if sum := summaries[i]; sum != nil {
			each.Updates, each.Wallets = &sum.Updates, &sum.Wallets
		}
		view.Projects = append(view.Projects, each)
	}
	return s.send(c, view)
}

type leaderboardView struct {
	ProjectID score.ProjectID `json:"projectId"`
	ScoreType *string         `json:"scoreType"` // null: the sum of all
	Wallets   uint64          `json:"wallets"`   // on the whole board
	Standings []standingView  `json:"standings"`
	Next      *string         `json:"next"`
	AsOf      asOf            `json:"asOf"`
}

type standingView struct {
	Rank   uint64         `json:"rank"`
	Wallet common.Address `json:"wallet"`
	Score  string         `json:"score"`
}

func (s *Server) leaderboard(c *fiber.Ctx, by *caller) *Problem {
	rec, p := s.recordParam(c, by)
	if p != nil {
		return p
	}
	name, err := url.PathUnescape(c.Params("scoreType"))
	if err != nil {
		return problem(codeInvalidPath, "the score type is not percent-encoded well")
	}
	view := leaderboardView{ProjectID: rec.ID, Standings: []standingView{}}
	board := score.Total
	if name != total {
		index, known := rec.ScoreTypeIndex(name)
		if !known {
			return problem(codeUnknownScoreType, unknownName(name, "score type", append([]string{total}, rec.ScoreTypes...)))
		}
		board, view.ScoreType = int(index), &name
	}
	q := queryOf(c, "limit", "cursor", "around")
	limit, after, around := q.limit(), from(q, "cursor", score.ParseCursor), from(q, "around", wallet.ParseAddress)
	if after != nil && around != nil {
		q.refuse("cursor and around exclude each other")
	}
	if q.wrong != nil {
		return q.wrong
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	var page score.Page
	var at score.AsOf
	if around != nil {
		page, at, err = s.deps.Standings.Around(ctx, rec.ID, board, *around, limit)
	} else {
		page, at, err = s.deps.Standings.Page(ctx, rec.ID, board, after, limit)
	}
	if err != nil {
		return s.unread(c, err)
	}
	view.Wallets, view.AsOf = page.Wallets, asOfBlock(at)
	for _, each := range page.Standings {
		view.Standings = append(view.Standings, standingView{each.Rank, each.Wallet, strconv.FormatInt(each.Score, 10)})
	}
	if n := len(page.Standings); page.More && n > 0 {
		next := score.Cursor{Score: page.Standings[n-1].Score, Wallet: page.Standings[n-1].Wallet}.String()
		view.Next = &next
	}
	return s.send(c, view)
}

type walletsView struct {
	ProjectID  score.ProjectID `json:"projectId"`
	ScoreTypes []string        `json:"scoreTypes"`
	Wallets    []walletView    `json:"wallets"`
	AsOf       asOf            `json:"asOf"`
}

type walletView struct {
	Wallet common.Address `json:"wallet"`
	Scores []string       `json:"scores"`
	Total  string         `json:"total"`
}

func (s *Server) scoresOf(c *fiber.Ctx, by *caller) *Problem {
	rec, p := s.recordParam(c, by)
	if p != nil {
		return p
	}
	q := queryOf(c, "wallets")
	asked := from(q, "wallets", parseWallets)
	if asked == nil {
		q.refuse("wallets is missing: name 1 to %d, separated by commas", maxWallets)
	}
	if q.wrong != nil {
		return q.wrong
	}
	if p := s.countAs(c, by, (len(*asked)*len(rec.ScoreTypes)+scoresCost-1)/scoresCost); p != nil {
		return p
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	scores, at, err := s.deps.Standings.Scores(ctx, rec.ID, len(rec.ScoreTypes), *asked)
	if err != nil {
		return s.unread(c, err)
	}
	view := walletsView{ProjectID: rec.ID, ScoreTypes: rec.ScoreTypes, Wallets: make([]walletView, len(*asked)), AsOf: asOfBlock(at)}
	for i, each := range *asked {
		texts, sum := make([]string, len(scores[i])), int64(0)
		for n, value := range scores[i] {
			texts[n] = strconv.FormatInt(value, 10)
			sum += value
		}
		view.Wallets[i] = walletView{each, texts, strconv.FormatInt(sum, 10)}
	}
	return s.send(c, view)
}

func parseWallets(text string) ([]common.Address, error) {
	texts := strings.Split(text, ",")
	if len(texts) > maxWallets {
		return nil, fmt.Errorf("at most %d, not %d", maxWallets, len(texts))
	}
	wallets := make([]common.Address, len(texts))
	for i, each := range texts {
		address, err := wallet.ParseAddress(each)
		if err != nil {
			return nil, fmt.Errorf("%q %w", each, err)
		}
		wallets[i] = address
	}
	return wallets, nil
}

type statsView struct {
	ProjectID  score.ProjectID `json:"projectId"`
	Updates    uint64          `json:"updates"` // applied
	Wallets    uint64          `json:"wallets"`
	LastUpdate *time.Time      `json:"lastUpdate"`
	Days       []dayView       `json:"days"`
	AsOf       asOf            `json:"asOf"`
}

type dayView struct {
	Date     string `json:"date"`
	Applied  uint64 `json:"applied"`
	Rejected uint64 `json:"rejected"`
	Wallets  uint64 `json:"wallets"` // new ones
	Gas      uint64 `json:"gas"`
	Fee      string `json:"fee"` // wei
}

func (s *Server) stats(c *fiber.Ctx, by *caller) *Problem {
	rec, p := s.recordParam(c, by)
	if p != nil {
		return p
	}
	q := queryOf(c, "from", "to")
	first, last := from(q, "from", parseDate), from(q, "to", parseDate)
	if last == nil {
		today := time.Now().UTC().Truncate(24 * time.Hour)
		last = &today
	}
	if first == nil {
		before := last.AddDate(0, 0, 1-defaultDays)
		first = &before
	}
	if days := last.Sub(*first).Hours()/24 + 1; days < 1 || days > maxDays {
		q.refuse("from and to must be 1 to %d days", maxDays)
	}
	if q.wrong != nil {
		return q.wrong
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	sums, at, err := s.deps.Standings.Summaries(ctx, []score.ProjectID{rec.ID})
	if err == nil && sums[0] == nil {
		err = score.ErrNotProjected
	}
	if err != nil {
		return s.unread(c, err)
	}
	days, _, err := s.deps.Standings.Days(ctx, rec.ID, *first, *last) // as of the same block or a later one
	if err != nil {
		return s.unread(c, err)
	}
	view := statsView{ProjectID: rec.ID, Updates: sums[0].Updates, Wallets: sums[0].Wallets, Days: []dayView{}, AsOf: asOfBlock(at)}
	if !sums[0].Last.IsZero() {
		when := sums[0].Last.UTC()
		view.LastUpdate = &when
	}
	for _, d := range days {
		view.Days = append(view.Days, dayView{d.Date.Format(time.DateOnly), d.Applied, d.Rejected, d.Wallets, d.Gas, d.Fee.String()})
	}
	return s.send(c, view)
}
