package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Total, in place of a score type, is the leaderboard of the sums of all.
const Total = "total"

// MaxWallets is how many wallets one request of FinalScores asks for: more would not fit into the path that common proxies take.
const MaxWallets = 150

// AsOf is the final block as of which an answer is.
type AsOf struct {
	Block uint64    `json:"block"`
	Time  time.Time `json:"time"` // of the block
}

// Page is which part of a list is asked for; the zero Page is its begin.
type Page struct {
	Limit  int    // 1 … 500; 0: 100
	Cursor string // Next of the answer before
}

func (p Page) values() url.Values {
	v := url.Values{}
	if p.Limit != 0 {
		v.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Cursor != "" {
		v.Set("cursor", p.Cursor)
	}
	return v
}

// ProjectList is a part of the projects that the key may read.
type ProjectList struct {
	Projects []ProjectSummary `json:"projects"`
	Next     string           `json:"next"` // empty: there are no more
	AsOf     AsOf             `json:"asOf"`
}

// ProjectSummary is a project at a glance.
type ProjectSummary struct {
	ProjectID score.ProjectID `json:"projectId"`
	Name      string          `json:"name"`
	Updates   uint64          `json:"updates"` // that were applied
	Wallets   uint64          `json:"wallets"` // that had one applied
}

// Projects asks for the final projects that the key may read, in the order of their ids.
func (c *Client) Projects(ctx context.Context, page Page) (*ProjectList, error) {
	return ask[ProjectList](ctx, c, "/projects", page.values())
}

// Leaderboard is a part of an order of wallets by their final scores.
type Leaderboard struct {
	Wallets   uint64     `json:"wallets"` // on the whole board
	Standings []Standing `json:"standings"`
	Next      string     `json:"next"` // empty: there are no more
	AsOf      AsOf       `json:"asOf"`
}

// Standing is a wallet's score and rank.
type Standing struct {
	Rank   uint64         `json:"rank"` // equal scores share it
	Wallet common.Address `json:"wallet"`
	Score  int64          `json:"score,string"`
}

// Leaderboard asks for wallets by their final scores of a type, or by their Total, the highest first.
func (c *Client) Leaderboard(ctx context.Context, project score.ProjectID, scoreType string, page Page) (*Leaderboard, error) {
	return ask[Leaderboard](ctx, c, boardPath(project, scoreType), page.values())
}

// Around asks for the part of a leaderboard with a wallet in its middle, of 1 … 500 wallets; it is empty where the wallet has no score.
func (c *Client) Around(ctx context.Context, project score.ProjectID, scoreType string, wallet common.Address, limit int) (*Leaderboard, error) {
	return ask[Leaderboard](ctx, c, boardPath(project, scoreType), url.Values{"around": {wallet.Hex()}, "limit": {strconv.Itoa(limit)}})
}

func boardPath(project score.ProjectID, scoreType string) string {
	return "/projects/" + project.String() + "/leaderboards/" + url.PathEscape(scoreType)
}

// FinalScores are scores of several wallets.
type FinalScores struct {
	ScoreTypes []string
	Scores     [][]int64 // of each wallet, in the order asked; each in the order of ScoreTypes
	Totals     []int64   // of each wallet, the sum
	AsOf       AsOf
}

// FinalScores asks for scores of up to MaxWallets wallets as of a final block; Scores tells those of one as of the newest.
func (c *Client) FinalScores(ctx context.Context, project score.ProjectID, wallets []common.Address) (*FinalScores, error) {
	texts := make([]string, len(wallets))
	for i, each := range wallets {
		texts[i] = each.Hex()
	}
	answer, err := ask[struct {
		ScoreTypes []string `json:"scoreTypes"`
		Wallets    []struct {
			Scores []json.Number `json:"scores"`
			Total  int64         `json:"total,string"`
		} `json:"wallets"`
		AsOf AsOf `json:"asOf"`
	}](ctx, c, "/projects/"+project.String()+"/scores", url.Values{"wallets": {strings.Join(texts, ",")}})
	if err != nil {
		return nil, err
	}
	if len(answer.Wallets) != len(wallets) {
		return nil, fmt.Errorf("%w: it tells of %d wallets, not of %d", ErrAnswer, len(answer.Wallets), len(wallets))
	}
	out := &FinalScores{ScoreTypes: answer.ScoreTypes, Scores: make([][]int64, len(wallets)), Totals: make([]int64, len(wallets)), AsOf: answer.AsOf}
	for i, each := range answer.Wallets {
		out.Totals[i] = each.Total
		for _, text := range each.Scores {
			value, err := text.Int64()
			if err != nil {
				return nil, fmt.Errorf("%w: a score is %q", ErrAnswer, text)
			}
			out.Scores[i] = append(out.Scores[i], value)
		}
	}
	return out, nil
}

// History is a part of what became of a wallet's updates.
type History struct {
	History []HistoryEntry `json:"history"` // the newest first
	Next    string         `json:"next"`    // empty: there are no more. A page may be empty and have a next one
	AsOf    AsOf           `json:"asOf"`
}

// HistoryEntry is what the contract did with one update.
type HistoryEntry struct {
	UpdateID  score.UpdateID `json:"updateId"`
	Action    string         `json:"action"` // empty where the contract has no such action; so the next two
	Points    int64          `json:"points"` // signed; what the score changed by if the outcome is "applied"
	ScoreType string         `json:"scoreType"`
	Signer    common.Address `json:"signer"`
	Time      time.Time      `json:"time"` // of the block
	Tx        common.Hash    `json:"transactionHash"`
	Block     uint64         `json:"blockNumber"`
	Stage     string         `json:"status"` // included, in a block that may still be lost, or final
	Outcome   string         `json:"outcome"`
}

// HistoryPage is which part of a history is asked for.
type HistoryPage struct {
	Page
	Final bool // leave out what is not final yet. With it, unless it is long ago, the chain is not asked
}

// History asks what became of a wallet's updates, the newest first. One that asks the chain counts as several look-ups.
func (c *Client) History(ctx context.Context, project score.ProjectID, wallet common.Address, page HistoryPage) (*History, error) {
	query := page.values()
	if page.Final {
		query.Set("final", "true")
	}
	return ask[History](ctx, c, "/projects/"+project.String()+"/wallets/"+wallet.Hex()+"/history", query)
}

// Stats are a project's numbers.
type Stats struct {
	Updates    uint64    `json:"updates"`    // that were applied, ever
	Wallets    uint64    `json:"wallets"`    // that had one applied, ever
	LastUpdate time.Time `json:"lastUpdate"` // zero: there is none
	Days       []Day     `json:"days"`       // with updates, the oldest first
	AsOf       AsOf      `json:"asOf"`
}

// Day is what a project's updates of a day were and cost.
type Day struct {
	Date     time.Time // the midnight it begins at, UTC
	Applied  uint64
	Rejected uint64 // duplicates, too
	Wallets  uint64 // that had an update applied for the first time
	Gas      uint64
	Fee      *big.Int // wei
}

// UnmarshalJSON reads what the API writes as texts.
func (d *Day) UnmarshalJSON(raw []byte) error {
	var text struct {
		Date                            string
		Applied, Rejected, Wallets, Gas uint64
		Fee                             string
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	date, err := time.Parse(time.DateOnly, text.Date)
	fee, ok := new(big.Int).SetString(text.Fee, 10)
	if err != nil || !ok {
		return fmt.Errorf("a day is %q, and its fee %q", text.Date, text.Fee)
	}
	*d = Day{date, text.Applied, text.Rejected, text.Wallets, text.Gas, fee}
	return nil
}

// Stats asks for a project's numbers, with those of the days first … last (UTC, at most 366).
func (c *Client) Stats(ctx context.Context, project score.ProjectID, first, last time.Time) (*Stats, error) {
	return ask[Stats](ctx, c, "/projects/"+project.String()+"/stats", url.Values{
		"from": {first.UTC().Format(time.DateOnly)}, "to": {last.UTC().Format(time.DateOnly)},
	})
}

// ask reads what is at a path.
func ask[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	out := new(T)
	if err := c.do(ctx, http.MethodGet, path, nil, out); err != nil {
		return nil, err
	}
	return out, nil
}
