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

const MaxPart = 1000

// MaxRecent is the most executions per project in the projection. Older ones are in the chain's logs.
const MaxRecent = 1000

// Total, as a score type, is the sum of all types.
const Total = -1

// Execution is the contract's final result for one update.
type Execution struct {
	Update

	Points  int64 // signed points of the action; the score's change if Outcome is Applied
	Outcome Outcome
	Tx      common.Hash
	Block   uint64
	Time    time.Time // of the block
	Gas     uint64    // share of the transaction's; the shares add up
	Fee     uint64    // wei, likewise
}

// Mark is how far a project's executions are known: all before Block, and the first Count in it.
type Mark struct {
	Block uint64
	Count uint32
}

func (m Mark) Compare(other Mark) int {
	return cmp.Or(cmp.Compare(m.Block, other.Block), cmp.Compare(m.Count, other.Count))
}

// Part is a project's executions after From up to To, at most MaxPart. They determine every mark between these.
type Part struct {
	Project    ProjectID
	From, To   Mark
	Executions []Execution // in chain order
}

type Standing struct {
	Wallet common.Address
	Score  int64
	Rank   uint64 // 1 + wallets with a higher score; ties share it. Scores beyond ±2^53 are compared as float64
}

type BoardStanding struct {
	Standing *Standing // nil: not on the board
	Wallets  uint64    // on the board
}

// Cursor is the place right after a standing, where the next page starts even if scores changed.
type Cursor struct {
	Score  int64
	Wallet common.Address
}

var ErrCursor = errors.New("not a cursor")

// String returns 38 URL-safe characters.
func (c Cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(append(binary.BigEndian.AppendUint64(nil, uint64(c.Score)), c.Wallet[:]...))
}

func ParseCursor(text string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != 8+common.AddressLength {
		return Cursor{}, ErrCursor
	}
	c := Cursor{int64(binary.BigEndian.Uint64(raw)), common.Address(raw[8:])}
	if c.String() != text { // the decoder ignores line breaks
		return Cursor{}, ErrCursor
	}
	return c, nil
}

type Page struct {
	Standings []Standing // highest score first; ties in a stable order
	Wallets   uint64     // on the leaderboard
	More      bool
}

// Day is a project's results and costs on one day (UTC, by block time).
type Day struct {
	Date     time.Time // its midnight
	Applied  uint64
	Rejected uint64 // including duplicates
	Gas      uint64
	Fee      *big.Int // wei
	Wallets  uint64   // with their first applied update
}

type Summary struct {
	Updates uint64    // applied
	Wallets uint64    // with a score, even 0
	Last    time.Time // of the newest execution's block; zero: none
}

// Checkpoint is the projection's progress. It contains all executions up to Block, and perhaps later ones.
type Checkpoint struct {
	Generation uint64 // each rebuild starts a higher one; 0: no projection
	Block      uint64
	Hash       common.Hash
	Time       time.Time // of the block
	// Target is the block that completes this generation's rebuild. It is lowered if the ledger ends earlier.
	Target uint64

	// Position is where reading the ledger continues, the text of a ledger.Position. Like Back and Anchor, it is ""
	// at a generation's start.
	Position string
	Process  string    // the store's server process at this write
	Back     string    // an earlier Position, in case the store lost newer writes
	Anchor   string    // the next Back
	Anchored time.Time // time of Anchor, whole seconds

	// Ahead is the highest block that appended parts may reach, as the text of a ledger.Position. It is stored before
	// them, so it may be later than Position.
	Ahead string
}

func (c Checkpoint) Rebuilding() bool { return c.Generation == 0 || c.Block < c.Target }

// Extent is the range of the chain's blocks, by number.
type Extent struct {
	First uint64 // of the contract's deployment
	Final uint64 // the newest final one; 0: none yet
	Head  uint64
}

// AsOf is the block of a read. The result may contain parts of later blocks.
type AsOf struct {
	Block uint64
	Time  time.Time
}

type RebuildingError struct {
	Block, Target uint64 // current and last block; both 0 before the start
}

func (e *RebuildingError) Error() string { return "the projection is being rebuilt: " + e.Progress() }

func (e *RebuildingError) Progress() string {
	if e.Target == 0 {
		return "not begun yet; a relayer begins by itself"
	}
	return fmt.Sprintf("at block %d of %d", e.Block, e.Target)
}

// ErrNotProjected reports that the projection lost the project, or that the creation is still to come.
var ErrNotProjected = errors.New("the projection does not have the project")

// GapError refuses a Part that starts after its project's mark.
type GapError struct {
	Mark Mark // of the project; the next Part starts here
}

func (e *GapError) Error() string {
	return fmt.Sprintf("executions are missing after the first %d of block %d", e.Mark.Count, e.Mark.Block)
}
