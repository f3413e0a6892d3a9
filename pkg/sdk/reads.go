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

// Total, as a score type, selects the leaderboard of all types' sums.
const Total = "total"

// MaxWallets is the most wallets in a call of FinalScores, since common proxies limit a URL's length.
const MaxWallets = 150

// AsOf is the newest final block that a response's data includes.
type AsOf struct {
	Block uint64    `json:"block"`
	Time  time.Time `json:"time"` // of the block
}

// The zero Page is the first.
type Page struct {
	Limit  int    // 1 … 500; 0: 100
	Cursor string // Next of the previous page
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

type ProjectList struct {
	Projects []ProjectSummary `json:"projects"`
	Next     string           `json:"next"` // empty: last page
	AsOf     AsOf             `json:"asOf"`
}

type ProjectSummary struct {
	ProjectID score.ProjectID `json:"projectId"`
	Name      string          `json:"name"`
	Updates   uint64          `json:"updates"` // applied
	Wallets   uint64          `json:"wallets"` // with an applied update
}

// Projects returns the projects with a final creation that the key may read, ordered by id.
func (c *Client) Projects(ctx context.Context, page Page) (*ProjectList, error) {
	return ask[ProjectList](ctx, c, "/projects", page.values())
}

type Leaderboard struct {
	Wallets   uint64     `json:"wallets"` // on the whole leaderboard
	Standings []Standing `json:"standings"`
	Next      string     `json:"next"` // empty: last page
	AsOf      AsOf       `json:"asOf"`
}

type Standing struct {
	Rank   uint64         `json:"rank"` // shared by equal scores
	Wallet common.Address `json:"wallet"`
	Score  int64          `json:"score,string"`
}

// Leaderboard returns wallets by their final scores of a type, or by their Total, highest first.
func (c *Client) Leaderboard(ctx context.Context, project score.ProjectID, scoreType string, page Page) (*Leaderboard, error) {
	return ask[Leaderboard](ctx, c, boardPath(project, scoreType), page.values())
}

// Around returns up to limit (1 … 500) standings around a wallet's; none if the wallet lacks a score.
func (c *Client) Around(ctx context.Context, project score.ProjectID, scoreType string, wallet common.Address, limit int) (*Leaderboard, error) {
	return ask[Leaderboard](ctx, c, boardPath(project, scoreType), url.Values{"around": {wallet.Hex()}, "limit": {strconv.Itoa(limit)}})
}

func boardPath(project score.ProjectID, scoreType string) string {
	return "/projects/" + project.String() + "/leaderboards/" + url.PathEscape(scoreType)
}

type FinalScores struct {
	ScoreTypes []string
	Scores     [][]int64 // per wallet, in the order of the request; each in the order of ScoreTypes
	Totals     []int64   // sum per wallet
	AsOf       AsOf
}

// FinalScores returns the scores of up to MaxWallets wallets.
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

type History struct {
	History []HistoryEntry `json:"history"` // newest first
	Next    string         `json:"next"`    // empty: last page. An empty page may have a Next
	AsOf    AsOf           `json:"asOf"`
}

type HistoryEntry struct {
	UpdateID  score.UpdateID `json:"updateId"`
	Action    string         `json:"action"`    // empty if the contract lacks it; Points is then 0
	Points    int64          `json:"points"`    // signed; if applied, the change of the score
	ScoreType string         `json:"scoreType"` // empty if the contract lacks it
	Signer    common.Address `json:"signer"`
	Time      time.Time      `json:"time"` // of the block
	Tx        common.Hash    `json:"transactionHash"`
	Block     uint64         `json:"blockNumber"`
	Stage     string         `json:"status"` // included (a reorg may remove it) or final
	Outcome   string         `json:"outcome"`
}

type HistoryPage struct {
	Page
	Final bool // only final entries, so that the API need not read recent ones from the chain
}

// History returns the outcomes of a wallet's updates, newest first. If the API reads the chain, the call counts as
// several look-ups.
func (c *Client) History(ctx context.Context, project score.ProjectID, wallet common.Address, page HistoryPage) (*History, error) {
	query := page.values()
	if page.Final {
		query.Set("final", "true")
	}
	return ask[History](ctx, c, "/projects/"+project.String()+"/wallets/"+wallet.Hex()+"/history", query)
}

type Stats struct {
	Updates    uint64    `json:"updates"`    // applied, ever
	Wallets    uint64    `json:"wallets"`    // with an applied update, ever
	LastUpdate time.Time `json:"lastUpdate"` // zero: none
	Days       []Day     `json:"days"`       // with updates, oldest first
	AsOf       AsOf      `json:"asOf"`
}

type Day struct {
	Date     time.Time // its midnight, UTC
	Applied  uint64
	Rejected uint64 // includes duplicates
	Wallets  uint64 // with their first applied update
	Gas      uint64
	Fee      *big.Int // wei
}

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

// Stats returns a project's totals, and the numbers of the days first … last (UTC, at most 366).
func (c *Client) Stats(ctx context.Context, project score.ProjectID, first, last time.Time) (*Stats, error) {
	return ask[Stats](ctx, c, "/projects/"+project.String()+"/stats", url.Values{
		"from": {first.UTC().Format(time.DateOnly)}, "to": {last.UTC().Format(time.DateOnly)},
	})
}

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
