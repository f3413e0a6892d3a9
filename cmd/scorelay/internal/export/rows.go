package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/score"
)

// The formats.
const (
	CSV    = "csv"
	NDJSON = "ndjson"
)

// row is a line of an export.
type row interface{ cells() []string }

// rows writes lines.
type rows struct {
	csv  *csv.Writer // nil: NDJSON
	json *json.Encoder
}

func newRows(format string, out io.Writer) *rows {
	if format == CSV {
		return &rows{csv: csv.NewWriter(out)}
	}
	r := &rows{json: json.NewEncoder(out)}
	r.json.SetEscapeHTML(false)
	return r
}

// header writes the names of the columns; NDJSON has them in each line.
func (r *rows) header(names []string) error {
	if r.csv == nil {
		return nil
	}
	return r.csv.Write(names)
}

func (r *rows) write(line row) error {
	if r.csv == nil {
		return r.json.Encode(line)
	}
	return r.csv.Write(line.cells())
}

// flush hands what was written on.
func (r *rows) flush() error {
	if r.csv == nil {
		return nil
	}
	r.csv.Flush()
	return r.csv.Error()
}

var updateColumns = []string{
	"block", "time", "transaction", "logIndex", "index", "updateId", "targetWallet", "signer", "action", "scoreType", "points", "outcome",
}

// updateRow is what the contract did with one update. Block, log index and index in the log name it.
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
		strconv.FormatUint(u.Block, 10), u.Time.Format(time.RFC3339), u.Tx.Hex(), strconv.FormatUint(uint64(u.Log), 10), strconv.Itoa(u.Index),
		u.ID.String(), hexutil.Encode(u.Target[:]), hexutil.Encode(u.Signer[:]), score.CSVCell(u.Action), score.CSVCell(u.ScoreType),
		strconv.FormatInt(u.Points, 10), u.Outcome,
	}
}

var scoreColumns = []string{"targetWallet", "scoreType", "score"}

// scoreRow is one score. In JSON it is a string, as the API tells it: JavaScript's numbers would lose digits.
type scoreRow struct {
	Target    common.Address `json:"targetWallet"`
	ScoreType string         `json:"scoreType"`
	Score     int64          `json:"score,string"`
}

func (s scoreRow) cells() []string {
	return []string{hexutil.Encode(s.Target[:]), score.CSVCell(s.ScoreType), strconv.FormatInt(s.Score, 10)}
}

// FormatOf is the format that a file's name asks for: CSV unless it ends in .ndjson or .jsonl.
func FormatOf(path string) string {
	for _, end := range []string{".ndjson", ".jsonl"} {
		if strings.HasSuffix(path, end) {
			return NDJSON
		}
	}
	return CSV
}
