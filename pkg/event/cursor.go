package event

import (
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// ErrNotCursor says that a text is no cursor.
var ErrNotCursor = errors.New("is no cursor: start, or what an event came with")

// MaxCursor bounds the text of a cursor, in bytes.
const MaxCursor = 128

// Cursor is how far a reader has read a project's log. The zero Cursor is the project's beginning. It is comparable, and its text fits a header and
// a value of NATS. Readers make none: they keep what they got.
type Cursor struct {
	block    evidence.Ref // everything before it was read; zero: nothing of the chain was
	logIndex uint32       // in the block of the newest log that was read of; wholeBlock: all of the block was read
	index    uint32       // in that log, of the newest update that was read
	dead     uint64       // dead letters up to this sequence of their stream were read
}

const wholeBlock = math.MaxUint32

// startText is the zero Cursor.
const startText = "start"

// String is the cursor's text: the block's number and hash, what of it was read, and the sequence of the dead letters, such as
// 1200-4f…e1-7-0-33, 1200-4f…e1-end-33, start-33, or start.
func (c Cursor) String() string {
	dead := strconv.FormatUint(c.dead, 10)
	switch {
	case c == Cursor{}:
		return startText
	case c.block == evidence.Ref{}:
		return startText + "-" + dead
	}
	read := "end"
	if c.logIndex != wholeBlock {
		read = strconv.FormatUint(uint64(c.logIndex), 10) + "-" + strconv.FormatUint(uint64(c.index), 10)
	}
	return strings.Join([]string{strconv.FormatUint(c.block.Number, 10), hex.EncodeToString(c.block.Hash[:]), read, dead}, "-")
}

// ParseCursor reads what String writes, exactly; anything else is ErrNotCursor.
func ParseCursor(text string) (Cursor, error) {
	var c Cursor
	if len(text) > MaxCursor {
		return c, ErrNotCursor
	}
	parts := strings.Split(text, "-")
	var errs [4]error
	number := func(i int, part string, bits int) (n uint64) {
		n, errs[i] = strconv.ParseUint(part, 10, bits)
		return n
	}
	last := parts[len(parts)-1]
	switch {
	case text == startText:
		return c, nil
	case parts[0] == startText && len(parts) == 2:
		c.dead = number(0, last, 64)
	case len(parts) == 4 && parts[2] == "end":
		c.block.Number, c.logIndex, c.dead = number(0, parts[0], 63), wholeBlock, number(1, last, 64)
	case len(parts) == 5:
		c.block.Number, c.logIndex, c.index, c.dead = number(0, parts[0], 63), uint32(number(1, parts[2], 32)), uint32(number(2, parts[3], 32)), number(3, last, 64)
	default:
		return c, ErrNotCursor
	}
	if len(parts) > 2 {
		hash, err := hex.DecodeString(parts[1])
		if err != nil || len(hash) != common.HashLength {
			return Cursor{}, ErrNotCursor
		}
		c.block.Hash = common.Hash(hash)
	}
	if errors.Join(errs[:]...) != nil || c.String() != text {
		return Cursor{}, ErrNotCursor
	}
	return c, nil
}

// covers tells whether everything before another cursor was read.
func (c Cursor) covers(o Cursor) bool {
	return c.dead >= o.dead && (c.block.Number > o.block.Number || c.block == o.block && (c.logIndex > o.logIndex || c.logIndex == o.logIndex && c.index >= o.index))
}

// MarshalText writes the form of String.
func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the form of String.
func (c *Cursor) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCursor(string(text))
	return err
}
