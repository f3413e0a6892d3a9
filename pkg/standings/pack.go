package standings

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

const fixed = 32 + 20 + 20 + 32 + 3 // bytes of an execution before its numbers

// pack needs about 130 bytes.
func pack(e *score.Execution) []byte {
	out := make([]byte, 0, fixed+5*binary.MaxVarintLen64)
	out = slices.Concat(out, e.ID[:], e.Target[:], e.Signer[:], e.Tx[:], []byte{e.Action, e.ScoreType, byte(e.Outcome)})
	out = binary.AppendVarint(out, e.Points)
	for _, n := range []uint64{e.Block, uint64(e.Time.Unix()), e.Gas, e.Fee} {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

func unpack(text string) (e score.Execution, err error) {
	raw := []byte(text)
	if len(raw) < fixed {
		return e, redisdb.BadData("a packed execution of %d bytes", len(raw))
	}
	e.ID, e.Target, e.Signer, e.Tx = score.UpdateID(raw), common.Address(raw[32:]), common.Address(raw[52:]), common.Hash(raw[72:])
	e.Action, e.ScoreType, e.Outcome = raw[104], raw[105], score.Outcome(raw[106])
	raw = raw[fixed:]
	points, n := binary.Varint(raw)
	var numbers [4]uint64
	for i := range numbers {
		if n <= 0 {
			break
		}
		raw = raw[n:]
		numbers[i], n = binary.Uvarint(raw)
	}
	if n <= 0 || len(raw) != n || numbers[1] > 1<<40 {
		return e, redisdb.BadData("a packed execution cannot be read")
	}
	e.Points, e.Block, e.Time, e.Gas, e.Fee = points, numbers[0], time.Unix(int64(numbers[1]), 0).UTC(), numbers[2], numbers[3]
	return e, nil
}

// dayOf returns a UTC day, in days since 1970.
func dayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// packDay omits the date.
func packDay(d *score.Day) string {
	return strings.Join([]string{
		strconv.FormatUint(d.Applied, 10), strconv.FormatUint(d.Rejected, 10), strconv.FormatUint(d.Gas, 10), d.Fee.String(), strconv.FormatUint(d.Wallets, 10),
	}, " ")
}

// unpackDay decodes an empty text as an empty day.
func unpackDay(number int64, text string) (score.Day, error) {
	d := score.Day{Date: time.Unix(number*24*60*60, 0).UTC(), Fee: new(big.Int)}
	if text == "" {
		return d, nil
	}
	words := strings.Split(text, " ")
	if len(words) != 5 {
		return d, redisdb.BadData("a day %q", text)
	}
	for i, to := range []*uint64{&d.Applied, &d.Rejected, &d.Gas, nil, &d.Wallets} {
		if to == nil {
			if _, ok := d.Fee.SetString(words[i], 10); !ok {
				return d, redisdb.BadData("a day %q", text)
			}
			continue
		}
		n, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return d, redisdb.BadData("a day %q", text)
		}
		*to = n
	}
	return d, nil
}

// Scripts compare the text of packMark.
func packMark(m score.Mark) string {
	return strconv.FormatUint(m.Block, 10) + " " + strconv.FormatUint(uint64(m.Count), 10)
}

func unpackMark(text string) (m score.Mark, err error) {
	block, count, _ := strings.Cut(text, " ")
	n, wrong := strconv.ParseUint(count, 10, 32)
	if m.Block, err = strconv.ParseUint(block, 10, 64); err != nil || wrong != nil {
		return m, redisdb.BadData("a mark %q", text)
	}
	m.Count = uint32(n)
	return m, nil
}
