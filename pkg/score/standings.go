package score

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// MaxPart is how many executions a Part holds at most.
const MaxPart = 1000

// MaxRecent is how many of a project's newest executions are kept at hand; older ones are in the chain's logs.
const MaxRecent = 1000

// Total, instead of the index of a score type, is the sum of a wallet's scores of all types.
const Total = -1

// Execution is what the contract did with one update, in a final block.
type Execution struct {
	Update

	Points  int64 // signed, of the action; what the score changed by if the outcome is Applied
	Outcome Outcome
	Tx      common.Hash
	Block   uint64
	Time    time.Time // of the block
	Gas     uint64    // its share of the transaction's gas; the shares of all updates of a transaction are the transaction's
	Fee     uint64    // its share of what was paid for it, wei
}

// Mark is how far a project's executions are known: all those in blocks before Block, and the first Count of those in Block.
type Mark struct {
	Block uint64
	Count uint32
}

// Compare is negative if m comes before other, positive if it comes after it, and 0 if they are the same.
func (m Mark) Compare(other Mark) int {
	return cmp.Or(cmp.Compare(m.Block, other.Block), cmp.Compare(m.Count, other.Count))
}

// Part is what comes next in a project: all its executions after one mark, up to another. At most MaxPart. Its executions tell every mark between.
type Part struct {
	Project    ProjectID
	From, To   Mark
	Executions []Execution // in the order of the chain
}

// Standing is a wallet's score and rank in an order of a project's wallets: by the score of one type, or by Total.
type Standing struct {
	Wallet common.Address
	Score  int64
	Rank   uint64 // 1 + how many wallets have a higher score; equal scores share it. Beyond ±2^53 scores are compared as float64
}

// BoardStanding is a wallet's standing on a board, among so many.
type BoardStanding struct {
	Standing *Standing // nil: it is not on it
	Wallets  uint64    // on the board
}

// Cursor is right after a standing, so that a page can follow another one although scores changed meanwhile.
type Cursor struct {
	Score  int64
	Wallet common.Address
}

// ErrCursor says that a text is not a cursor.
var ErrCursor = errors.New("not a cursor")

// String is what ParseCursor reads: 38 characters that may be in a URL.
func (c Cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(append(binary.BigEndian.AppendUint64(nil, uint64(c.Score)), c.Wallet[:]...))
}

// ParseCursor reads what String wrote; anything else is ErrCursor.
func ParseCursor(text string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != 8+common.AddressLength {
		return Cursor{}, ErrCursor
	}
	c := Cursor{int64(binary.BigEndian.Uint64(raw)), common.Address(raw[8:])}
	if c.String() != text { // the decoder passes over line breaks
		return Cursor{}, ErrCursor
	}
	return c, nil
}

// Page is a part of an order.
type Page struct {
	Standings []Standing // highest score first; equal scores in an order that does not change
	Wallets   uint64     // in the whole order
	More      bool       // others follow the last one
}

// Day is what a project's updates of one day (UTC, by their block's time) were and cost.
type Day struct {
	Date     time.Time // the midnight it begins at
	Applied  uint64
	Rejected uint64 // duplicates, too
	Gas      uint64
	Fee      *big.Int // wei
	Wallets  uint64   // that were hit for the first time
}

// Summary is a project at a glance.
type Summary struct {
	Updates uint64    // applied
	Wallets uint64    // with a score, be it 0
	Last    time.Time // of the newest execution's block; zero if there is none
}

// Checkpoint is as of which block the projection of the contract's executions is: all those up to this block, of every project, are in it,
// and perhaps some later ones.
type Checkpoint struct {
	Generation uint64 // of the projection: a rebuild begins a higher one. 0: there is no projection
	Block      uint64
	Hash       common.Hash
	Time       time.Time // of the block
	Target     uint64    // the block from which on the rebuild that began this generation is done; lowered where the ledger ends before it

	Position string    // where reading the ledger continues, as a text of ledger.Position; "" at the generation's beginning, as Back and Anchor
	Process  string    // the store's when this was written
	Back     string    // a Position that was written some time before: where to continue if the store may have lost what was written since
	Anchor   string    // the next Back
	Anchored time.Time // when Anchor was written, in seconds
}

// Rebuilding tells whether the projection does not hold yet what it should.
func (c Checkpoint) Rebuilding() bool { return c.Generation == 0 || c.Block < c.Target }

// Extent is how long the chain is: the blocks' numbers.
type Extent struct {
	First uint64 // the contract's
	Final uint64 // the newest final one; 0 while there is none
	Head  uint64 // the newest one
}

// AsOf is the block as of which something was read. Later ones may be in it in part.
type AsOf struct {
	Block uint64
	Time  time.Time
}

// RebuildingError says that the projection is being rebuilt and cannot be read yet.
type RebuildingError struct {
	Block, Target uint64 // how far it is, and will be; both 0 before it began
}

func (e *RebuildingError) Error() string { return "the projection is being rebuilt: " + e.Progress() }

// Progress says how far it is.
func (e *RebuildingError) Progress() string {
	if e.Target == 0 {
		return "not begun yet; a relayer begins by itself"
	}
	return fmt.Sprintf("at block %d of %d", e.Block, e.Target)
}

// ErrNotProjected says that the projection does not have the project: it was lost, or has not come to its creation yet.
var ErrNotProjected = errors.New("the projection does not have the project")

// GapError says that a Part begins after what is known of its project: executions are missing. Nothing was written.
type GapError struct {
	Mark Mark // the project's; what comes next begins here
}

func (e *GapError) Error() string {
	return fmt.Sprintf("executions are missing after the first %d of block %d", e.Mark.Count, e.Mark.Block)
}
