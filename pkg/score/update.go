package score

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// Update is one verified score change: what a lane carries and the contract applies. Action and ScoreType are the
// project's indexes, resolved from the names when the update was accepted, so a later action of the same name does
// not change what was accepted.
type Update struct {
	Project   ProjectID
	ID        UpdateID
	Signer    common.Address // the owner or updater who signed
	Target    common.Address // the wallet whose score changes
	Action    uint8
	ScoreType uint8
}

// Outcome is what the contract did with one update of a batch: the byte its event carries.
type Outcome uint8

// The outcomes; the numbers are the contract's.
const (
	Applied          Outcome = 0
	Duplicate        Outcome = 1 // the updateId was used before; the score did not change
	UnknownProject   Outcome = 2
	NotMember        Outcome = 3 // the signer is neither owner nor updater
	UnknownAction    Outcome = 4
	UnknownScoreType Outcome = 5
	ProjectExists    Outcome = 6 // of a creation: the projectId was taken
	Unprocessable    Outcome = 7 // the contract reverts on it even alone; never emitted by the contract

	SignatureRequired Outcome = 8 // the project takes signed groups only
	BadSignature      Outcome = 9 // the group's signature is not its signer's; of an edit, not its owner's

	// Of edits; the contract reverts with the errors of these names.
	EditExpired    Outcome = 10 // no block had it before its deadline
	WrongEditNonce Outcome = 11 // its nonce was not the project's next: another transaction used it, perhaps for this very edit
	NotOwner       Outcome = 12 // who signed it was no owner then
)

var outcomeNames = [...]string{
	"applied", "duplicate", "unknown_project", "not_member", "unknown_action", "unknown_score_type", "project_exists",
	"unprocessable", "signature_required", "bad_signature", "edit_expired", "wrong_edit_nonce", "not_owner",
}

// String is the outcome's name in statuses, logs and metrics.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome_%d", uint8(o))
}

// Rejected tells whether the update did not apply as things stood, and is no duplicate. Its updateId is unused: it may be
// sent again when the reason is gone.
func (o Outcome) Rejected() bool { return o > Duplicate }

// Stage is how far an accepted update, creation or edit has come.
type Stage uint8

// The stages, in order. Included may fall back to Submitted (a reorg), and anything from Batched to Included may fall
// back to Accepted (its slot ended without having carried it); Final stays, except that an updateId whose update was
// rejected may be accepted again.
const (
	Accepted  Stage = iota + 1 // durable in the stream
	Batched                    // bound to a slot, journaled
	Submitted                  // its transaction was handed to a node
	Included                   // its transaction is in a block
	Final                      // it has its outcome, by a final transaction or a dead letter
)

var stageNames = [...]string{"", "accepted", "batched", "submitted", "included", "final"}

// String is the stage's name in statuses.
func (s Stage) String() string {
	if int(s) < len(stageNames) {
		return stageNames[s]
	}
	return fmt.Sprintf("stage_%d", uint8(s))
}
