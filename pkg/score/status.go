package score

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// Status is what can be told of one accepted update or creation. The zero Status says that nothing is known of it.
type Status struct {
	Stage   Stage       // 0 when nothing is known
	Outcome Outcome     // meaningful when Stage is Final
	Tx      common.Hash // from Submitted on; zero when no transaction is known
	Block   uint64      // the transaction's block, from Included on; 0 when none is known
}

// ErrFoldMoved reports that what is folded of the ledger is not where a writer thought: another process folds, or the store lost writes.
var ErrFoldMoved = errors.New("the state that follows the ledger is elsewhere: another process moved it, or its store lost its newest writes")

// Carrier is a lane's transaction that carries an update, as its bytes tell it.
type Carrier struct {
	Update    Update         // as it is carried
	Signer    common.Address // the lane's, who sent it
	Nonce     uint64
	MaxPrice  *big.Int // wei per gas that it pays at most
	Updates   int      // that it carries
	OfProject int      // of these, those of the update's project
}

// Claim is the answer to a request that claims an updateId to accept an update under it.
type Claim string

// The answers to a claim.
const (
	ClaimWon       Claim = "won"       // the updateId is the claimer's until the claim expires or is released
	ClaimDuplicate Claim = "duplicate" // an update of this id was accepted, and not rejected
	ClaimBusy      Claim = "busy"      // another request is accepting it right now; its claim ends soon, either way
)
