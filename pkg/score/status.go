package score

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// Status is the state of one accepted update, creation or edit. The zero Status means unknown.
type Status struct {
	Stage   Stage       // 0: unknown
	Outcome Outcome     // valid if Stage is Final
	Tx      common.Hash // from Submitted on; zero: unknown
	Block   uint64      // of Tx, from Included on; 0: unknown
}

// ErrFoldMoved reports that a projection is at an unexpected position: another process writes it, or its store lost
// the newest writes.
var ErrFoldMoved = errors.New("the state that follows the ledger is elsewhere: another process moved it, or its store lost its newest writes")

// Fact is a final result of updates, creations or edits in the ledger, or its revocation.
type Fact struct {
	Refs     []Ref
	Outcomes []Outcome   // of Refs; empty if Gone
	Tx       common.Hash // zero: ended without a transaction
	// Block is that of Tx; of a dead letter without Tx, the newest final block at that time.
	Block  uint64
	Letter bool // from a dead letter, so Refs were accepted
	// Gone: Refs are no longer final. Tx was rolled back, or their dead letter was replayed.
	Gone bool
}

// Carrier is a lane's transaction that carries an update, decoded from its bytes.
type Carrier struct {
	Update    Update         // as encoded
	Signer    common.Address // of the lane
	Nonce     uint64
	MaxPrice  *big.Int // fee cap, wei per gas
	Updates   int      // in all
	OfProject int      // of the update's project
}

// Claim is the result of claiming an updateId, which precedes accepting its update.
type Claim string

// The results of a claim.
const (
	ClaimWon       Claim = "won"       // held until the claim expires or is released
	ClaimDuplicate Claim = "duplicate" // an update of this id was accepted and not rejected
	ClaimBusy      Claim = "busy"      // another request is accepting it; its claim ends soon, either way
)
