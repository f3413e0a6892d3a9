package event

import (
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Type is the kind of an event; it determines the type of its data.
type Type string

const (
	UpdateApplied   Type = "update.applied"   // UpdateData: its score changed
	UpdateDuplicate Type = "update.duplicate" // UpdateData: its updateId was used before, so it changed nothing
	UpdateRejected  Type = "update.rejected"  // UpdateData: changed nothing, see outcome; its updateId stays unused
	UpdateReplayed  Type = "update.replayed"  // UpdateData: rejected without a contract event, replayed by an operator

	ProjectCreated  Type = "project.created"  // ProjectData
	ProjectChanged  Type = "project.changed"  // ChangeData
	ProjectRejected Type = "project.rejected" // ProjectData: its creation failed
	ProjectReplayed Type = "project.replayed" // ProjectData: an operator replayed the failed creation

	EditRejected Type = "edit.rejected" // EditData: an owner's edit failed; changes made are ProjectChanged

	// ChainRewound (RewindData): a reorg deeper than finality. Events of later blocks are void; valid ones come again
	// under their ids.
	ChainRewound Type = "chain.rewound"
)

func Types() []Type {
	return []Type{
		UpdateApplied, UpdateDuplicate, UpdateRejected, UpdateReplayed, ProjectCreated, ProjectChanged, ProjectRejected, ProjectReplayed, EditRejected,
		ChainRewound,
	}
}

// MaxID bounds the id of an event, in bytes.
const MaxID = 255

// Event is one final fact. Its JSON form is sent to readers.
type Event struct {
	ID   string `json:"id"` // 1 to MaxID of A-Z a-z 0-9 and -; never changes, however often the event comes
	Type Type   `json:"type"`
	// Time, UTC: of the block; of a dead letter, when stored or replayed; of ChainRewound, of the final block then.
	Time    time.Time       `json:"timestamp"`
	Project score.ProjectID `json:"projectId"`
	Data    any             `json:"data"` // UpdateData, ProjectData, ChangeData, EditData or RewindData, by Type

	// After is the cursor right after the event, to continue from.
	After Cursor `json:"-"`
}

// TxRef is the transaction behind an event, and its block. Without a contract event Block is null, without a
// transaction both are.
type TxRef struct {
	Tx    *common.Hash `json:"transactionHash"`
	Block *uint64      `json:"blockNumber"` // null also if only the transaction is known
}

// UpdateData describes an update, in the terms of a wallet's history.
type UpdateData struct {
	ID        score.UpdateID `json:"updateId"`
	Target    common.Address `json:"targetWallet"`
	Signer    common.Address `json:"signer"`
	Action    *string        `json:"action"`    // null if the contract lacked it at first delivery
	Points    *int64         `json:"points"`    // signed, of the action, applied or not; else as action
	ScoreType *string        `json:"scoreType"` // as action
	Outcome   string         `json:"outcome"`   // a score.Outcome's text
	TxRef
}

// ProjectData describes a project as created, or as it should have been.
type ProjectData struct {
	Name       string           `json:"name"`
	Actions    []score.Action   `json:"inputActions"` // by index
	ScoreTypes []string         `json:"scoreTypes"`   // by index
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	SignedOnly bool             `json:"signedOnly"`
	Outcome    string           `json:"outcome"` // a score.Outcome's text
	TxRef
}

// ChangeData is one change of a project. One of Member, Action, ScoreType and SignedOnly is set.
type ChangeData struct {
	Member *common.Address `json:"member,omitempty"`
	// Roles are the member's current ones, owner and updater; empty, not null, for a removed member.
	Roles      []string      `json:"roles,omitzero"`
	Action     *score.Action `json:"action,omitempty"`
	ScoreType  *string       `json:"scoreType,omitempty"`
	SignedOnly *bool         `json:"signedOnly,omitempty"`
	TxRef
}

// EditData describes an owner's edit that was posted.
type EditData struct {
	Nonce   uint64         `json:"nonce"`
	Owner   common.Address `json:"owner"`
	Edits   []score.Edit   `json:"edits"`
	Outcome string         `json:"outcome"` // a score.Outcome's text
	TxRef
}

// RewindData holds the newest block that is still canonical.
type RewindData struct {
	Block uint64       `json:"blockNumber"`
	Hash  *common.Hash `json:"blockHash"` // null if only the number is known
}
