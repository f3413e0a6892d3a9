package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	CSV    = "csv"
	NDJSON = "ndjson"
)

type row interface{ cells() []string }

type header []string

func (h header) cells() []string { return h }

func linesTo(out *bufio.Writer, format string) func(row) error {
	if format == CSV {
		lines := csv.NewWriter(out) // uses out as its buffer
		return func(line row) error { return lines.Write(line.cells()) }
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return func(line row) error { return lines.Encode(line) }
}

var updateColumns = header{
	"block", "time", "transaction", "logIndex", "index", "updateId", "targetWallet", "signer", "action", "scoreType",
	"points", "outcome",
}

// updateRow is identified by block, log index and index in the log.
type updateRow struct {
	Block     uint64         `json:"block"`
	Time      time.Time      `json:"time"`
	Tx        common.Hash    `json:"transaction"`
	Log       uint           `json:"logIndex"`
	Index     int            `json:"index"`
	ID        score.UpdateID `json:"updateId"`
	Target    common.Address `json:"targetWallet"`
	Signer    common.Address `json:"signer"`
	Action    string         `json:"action"`
	ScoreType string         `json:"scoreType"`
	Points    int64          `json:"points"` // below 2^31
	Outcome   string         `json:"outcome"`
}

func (u updateRow) cells() []string {
	return []string{
		strconv.FormatUint(u.Block, 10), u.Time.Format(time.RFC3339), u.Tx.Hex(), strconv.FormatUint(uint64(u.Log), 10),
		strconv.Itoa(u.Index), u.ID.String(), hexutil.Encode(u.Target[:]), hexutil.Encode(u.Signer[:]),
		score.CSVCell(u.Action), score.CSVCell(u.ScoreType), strconv.FormatInt(u.Points, 10), u.Outcome,
	}
}

var scoreColumns = header{"targetWallet", "scoreType", "score"}

// In JSON a score is a string, as in the API: JavaScript's numbers would lose digits.
type scoreRow struct {
	Target    common.Address `json:"targetWallet"`
	ScoreType string         `json:"scoreType"`
	Score     int64          `json:"score,string"`
}

func (s scoreRow) cells() []string {
	return []string{hexutil.Encode(s.Target[:]), score.CSVCell(s.ScoreType), strconv.FormatInt(s.Score, 10)}
}

func FormatOf(path string) string {
	if end := filepath.Ext(path); end == ".ndjson" || end == ".jsonl" {
		return NDJSON
	}
	return CSV
}
