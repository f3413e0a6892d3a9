package score

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// Update is one verified score change. Action and ScoreType are the project's indexes at acceptance, so a later
// action of the same name does not change the update.
type Update struct {
	Project   ProjectID
	ID        UpdateID
	Signer    common.Address // owner or updater
	Target    common.Address
	Action    uint8
	ScoreType uint8
}

// Outcome is the contract's result for one update: the byte in its event.
type Outcome uint8

// The outcomes, with the contract's numbers.
const (
	Applied          Outcome = 0
	Duplicate        Outcome = 1 // updateId used before; score unchanged
	UnknownProject   Outcome = 2
	NotMember        Outcome = 3 // signer is neither owner nor updater
	UnknownAction    Outcome = 4
	UnknownScoreType Outcome = 5
	ProjectExists    Outcome = 6 // of a creation
	Unprocessable    Outcome = 7 // the contract reverts on it even alone; never in an event

	SignatureRequired Outcome = 8 // the project accepts only signed groups
	// BadSignature means that the signature is by another wallet than the group's signer or the edit's owner.
	BadSignature Outcome = 9

	// Of edits; the contract reverts with the errors of these names.
	EditExpired    Outcome = 10 // not included before its deadline
	WrongEditNonce Outcome = 11 // another transaction used its nonce, perhaps with this very edit
	NotOwner       Outcome = 12 // signer was not an owner then
)

var outcomeNames = [...]string{
	"applied", "duplicate", "unknown_project", "not_member", "unknown_action", "unknown_score_type", "project_exists",
	"unprocessable", "signature_required", "bad_signature", "edit_expired", "wrong_edit_nonce", "not_owner",
}

// String is for statuses, logs and metrics.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome_%d", uint8(o))
}

// Rejected excludes Duplicate. A rejected updateId is unused, and can be sent again once the reason is gone.
func (o Outcome) Rejected() bool { return o > Duplicate }

// Stage is the progress of an accepted update, creation or edit.
type Stage uint8

// The stages, in order. A reorg moves Included back to Submitted. If a pending transaction ends without the update,
// any stage from Batched on moves back to Accepted. Final stays, except that a rejected updateId may be accepted
// again.
const (
	Accepted  Stage = iota + 1 // durable in the stream
	Batched                    // assigned to a pending transaction, journaled
	Submitted                  // handed to a node
	Included                   // in a block
	Final                      // by a final transaction or a dead letter
)

var stageNames = [...]string{"", "accepted", "batched", "submitted", "included", "final"}

func (s Stage) String() string {
	if int(s) < len(stageNames) {
		return stageNames[s]
	}
	return fmt.Sprintf("stage_%d", uint8(s))
}
