package event

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/scorelay/scorelay/pkg/ledger"
)

var ErrNotCursor = errors.New("is no cursor: start, or what an event came with")

// MaxCursor bounds a cursor's text, in bytes.
const MaxCursor = 128

// Cursor is a reader's checkpoint in a project's events; zero is the project's beginning. It is comparable, and its
// text fits a header and a value of NATS.
type Cursor struct {
	ledger.Position // everything before it was read

	part place // read part of the next block, if any
}

type place struct {
	above uint32  // the block's number less the Position's; at least 1
	hash  [8]byte // first bytes of the block's hash
	log   uint32  // index in the block of the newest log read, at least in part
	index uint32  // index in that log of the newest update read
}

const startText = "start"

// String formats the cursor for ParseCursor: start, a ledger position or, with a place in the next block,
// 41-1200-4f0c…e1-3-1-9ac4…07-12-0.
func (c Cursor) String() string {
	switch {
	case c == Cursor{}:
		return startText
	case c.part == place{}:
		return c.Position.String()
	}
	return fmt.Sprintf("%s-%d-%x-%d-%d", c.Position, c.part.above, c.part.hash, c.part.log, c.part.index)
}

// ParseCursor parses exactly the form of String. Any other text is ErrNotCursor.
func ParseCursor(text string) (c Cursor, err error) {
	if text == startText {
		return c, nil
	}
	parts := strings.Split(text, "-")
	if len(text) > MaxCursor || len(parts) != 4 && len(parts) != 8 {
		return c, ErrNotCursor
	}
	if c.Position, err = ledger.ParsePosition(strings.Join(parts[:4], "-")); err != nil {
		return c, ErrNotCursor
	}
	if parts = parts[4:]; len(parts) > 0 {
		for i, n := range map[int]*uint32{0: &c.part.above, 2: &c.part.log, 3: &c.part.index} {
			read, err := strconv.ParseUint(parts[i], 10, 32)
			if err != nil {
				return Cursor{}, ErrNotCursor
			}
			*n = uint32(read)
		}
		if hash, err := hex.DecodeString(parts[1]); err == nil && len(hash) == len(c.part.hash) {
			c.part.hash = [8]byte(hash)
		}
	}
	if c.String() != text {
		return Cursor{}, ErrNotCursor
	}
	return c, nil
}

func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

func (c *Cursor) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCursor(string(text))
	return err
}
