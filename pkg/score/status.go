package score

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// Status is the state of one accepted update, creation or edit; zero: unknown.
type Status struct {
	Stage   Stage
	Outcome Outcome     // valid if Stage is Final
	Tx      common.Hash // from Submitted on; zero: unknown
	Block   uint64      // of Tx, from Included on; 0: unknown
}

var ErrFoldMoved = errors.New("the state that follows the ledger is elsewhere: another process moved it, or its store lost its newest writes")

// Fact is a final result in the ledger, or its revocation.
type Fact struct {
	Refs     []Ref
	Outcomes []Outcome   // empty if Gone
	Tx       common.Hash // zero: ended without a transaction
	// Block is that of Tx. If Tx is zero, it is the newest final block at that time.
	Block  uint64
	Letter bool // from a dead letter, so Refs were accepted
	// Gone means that Refs are no longer final, since Tx was rolled back or their dead letter was replayed.
	Gone bool
}

// Carrier is a lane's transaction that contains a certain update, decoded.
type Carrier struct {
	Update    Update
	Signer    common.Address // of the lane
	Nonce     uint64
	MaxPrice  *big.Int // fee cap, wei per gas
	Updates   int      // in all
	OfProject int      // of the update's project
}

// Claim is the result of claiming an updateId, before its update is accepted.
type Claim string

const (
	ClaimWon       Claim = "won"       // held until the claim expires or is released
	ClaimDuplicate Claim = "duplicate" // an update of this id was accepted and not rejected
	ClaimBusy      Claim = "busy"      // another request is accepting it; its claim ends soon
)
